import type { EgressRules } from '@millrace/http';
import type { Catalog, Clock, Command, CommandInput, CommandOption, Log, Settings, Terminal, Toolset } from '@millrace/kernel';
import type { Embedder, Generator } from '@millrace/models';
import type { Migration, Storage } from '@millrace/storage';
import type { z } from 'zod';

/** What the server gives a toolset when it creates one. */
export interface ToolsetDependencies<Values = unknown> {
  settings: Values;
  /** Where data, keys and installed engines are kept. */
  home: string;
  /** The folder of the files that people edit. */
  workspace: string;
  workingDirectory: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** The version of Millrace. */
  version: string;
  /** The product's own pages, as paths of files and folders. */
  documentation: readonly string[];
  storage: Storage;
  /** Set if everything is kept on Postgres. */
  databaseUrl: string | undefined;
  clock: Clock;
  log: Log;
  /** Where requests may go that people, models and workflows ask for. */
  egress: EgressRules;
  /** Whether people besides the owner of this machine can call tools. */
  shared(): Promise<boolean>;
  /** Available once the catalog exists, which is after the toolsets. */
  catalog(): Catalog;
  /** Folders of embedding models, besides the bundled one. */
  modelFolders: readonly string[];
  /** The bundled embedding model. */
  embedder(): Promise<Embedder | undefined>;
  /** The language model that was configured, if any. */
  generator(): Promise<Generator | undefined>;
}

export interface DocumentsFolder {
  current(places: Pick<ToolsetDependencies, 'workspace' | 'workingDirectory'>): Promise<string | undefined>;
  /** Returns the file that now names the folder. */
  set(workspace: string, folder: string): string;
  /** The command that reads the documents. */
  command: string;
}

/**
 * Everything that the server knows about a toolset. It is loaded with every start, so it holds nothing heavy: the code
 * behind create, commands and engine is imported on demand.
 */
export interface ToolsetManifest<Schema extends z.ZodObject = z.ZodObject> {
  name: string;
  /** A section of millrace.config.json of the toolset's name. */
  settings?: Settings<Schema>;
  /** Always applied: a toolset that is off today may be on tomorrow. */
  migrations?: readonly Migration[];
  // biome-ignore lint/suspicious/noExplicitAny: every toolset has its own services
  commands?(): Promise<readonly Command<any>[]>;
  /** The word before its commands, and those settings that are flags of them: they are needed before the toolset is created. */
  commandGroup?: { word: string; flags: readonly string[] };
  engine?(): Promise<Engine>;
  /** The server that it talks to, for the guided set-up: its settings apiUrl and apiKey name the address and the key. */
  access?: { title: string; example: string };
  /** The folder that it reads documents from, for the guided set-up. */
  documents?(): Promise<DocumentsFolder>;
  /** The chat agent understands requests for these tools without a language model. */
  talks?: true;
  // biome-ignore lint/suspicious/noExplicitAny: every toolset has its own services
  create(dependencies: ToolsetDependencies<z.output<Schema>>): Promise<Toolset<any>>;
}

export function defineToolset<Schema extends z.ZodObject>(manifest: ToolsetManifest<Schema>): ToolsetManifest<Schema> {
  return manifest;
}

/** What an engine needs to be installed or run. */
export interface EngineCall {
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  terminal: Terminal;
  values: CommandInput['values'];
  /** The licence was shown already. */
  noticed?: true;
}

/** One line of `engine list`. */
export interface EngineState {
  version: string;
  /** `installed, not running: …`, ready to be read. */
  state: string;
  /** Empty where nothing is installed. */
  folder: string;
}

/** A separate program that a toolset works with, installed on request: `engine add <name of the toolset>`. */
export interface Engine {
  /** What it is, for the help of `engine add`. */
  summary: string;
  options?: Record<string, CommandOption>;
  /** Returns the exit code. */
  add(call: EngineCall): Promise<number>;
  list(home: string, program: string): Promise<EngineState[]>;
  /** Offered at the first start of a checkout; nothing is installed without asking. */
  offer?: {
    isInstalled(home: string): Promise<boolean>;
    /** What it is for. */
    purpose: string;
    /** Under which licence it comes. */
    notice: string;
  };
}
