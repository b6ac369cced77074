import type { z } from 'zod';
import type { Fix } from './failure.ts';
import type { Step } from './pipeline.ts';
import type { Tool } from './tool.ts';
import type { Wire } from './wire.ts';

/** Something a request can find and run: FlowMind's unit of discovery, published by every toolset. */
export interface Context {
  uri: string;
  type: 'workflow' | 'agent' | 'pattern' | 'tool';
  name: string;
  description: string;
  domain?: string;
  tags: string[];
  complexity: 'simple' | 'moderate' | 'complex' | 'expert';
  /** Sentences that a person would say when they need this. */
  examples: string[];
  variables: { required: string[]; optional: string[] };
  updatedAt?: Date;
  /** The call that runs it; variables that a request provides are merged into the parameters. */
  action: { tool: string; parameters: Record<string, unknown> };
}

/** A name as part of a URI or of a file name: lower-case letters, digits and hyphens. */
export function slugOf(text: string, most = 60): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}+/gu, '');
  const slug = plain.replaceAll(/[^a-z0-9]+/g, '-').replace(/^-/, '');
  return slug.slice(0, most).replace(/-$/, '');
}

export interface Resource {
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: string;
  read(): Promise<string> | string;
}

/** One finding of the doctor. */
export interface Check {
  name: string;
  /** `optional`: not set up, and everything else works without it. */
  state: 'ok' | 'optional' | 'broken';
  detail: string;
  fix?: Fix;
}

export interface Toolset<Services = unknown> {
  name: string;
  title: string;
  /** What an assistant must know to use these tools well: becomes part of the server's instructions. */
  instructions: string;
  tools: readonly Tool<Services>[];
  // biome-ignore lint/suspicious/noExplicitAny: every wire knows its own tools and what its own steps note
  wire: Wire<any, any>;
  services: Services;
  resources?: readonly Resource[];
  /** Who may call what, by this toolset's own rules: steps that run once the user is known. */
  guards?: readonly Step[];
  /** This toolset's own steps, run between validation and the handler. */
  steps?: readonly Step[];
  /** What requests can find in this toolset besides its tools. */
  contexts?(): Promise<Context[]> | Context[];
  /** The names of the tools that a request needs, likeliest first; for the toolset that can tell for all toolsets. */
  findTools?(request: string, signal: AbortSignal): Promise<string[]>;
  /** What a person can say to see what exists, when something was not found. */
  whatThereIs?: string;
  /** The time zone of its dates, as an IANA name. */
  timeZone?: string;
  /** What works, what does not, and how to fix it. */
  checks?(): Promise<Check[]>;
  /** Work to resume once the server is complete; nothing waits for it. */
  started?(): Promise<void>;
  /** Files that ship with the release so that new machines need not generate them, by path in the package. */
  assets?(): Promise<Record<string, Uint8Array>>;
  close?(): Promise<void> | void;
}

/**
 * What a person can configure about a toolset: a section of millrace.config.json. Every field can also be set by an
 * environment variable; secrets only that way.
 */
export interface Settings<Schema extends z.ZodObject = z.ZodObject> {
  schema: Schema;
  /** Field of the section (dotted where nested) to environment variable. */
  environment: Record<string, string>;
  /** Fields that are never read from a file, shown or logged. */
  secrets?: readonly string[];
}
