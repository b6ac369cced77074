import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { absent, Failure, isSystemError, nearest } from '@millrace/kernel';
import { EMBEDDING_PROVIDERS, GENERATION_PROVIDERS, type ModelEnvironment } from '@millrace/models';
import { makeFolder } from '@millrace/storage';
import type { DocumentsFolder } from '@millrace/toolset';
import { z } from 'zod';
import { graphSchema } from './schema.ts';

export const CONFIGURATION_FILE = 'flowrag.config.json';

const EXTRACTORS = [...GENERATION_PROVIDERS, 'rules'] as const;

const embedderSection = z.strictObject({
  provider: z.enum(EMBEDDING_PROVIDERS).default('local'),
  model: z.string().min(1).exactOptional(),
  dimensions: z.number().int().min(1).max(16_000).exactOptional(),
  baseUrl: z.url().exactOptional(),
});

const extractorSection = z.strictObject({
  provider: z.enum(EXTRACTORS),
  model: z.string().min(1).exactOptional(),
  baseUrl: z.url().exactOptional(),
});

export const configurationFile = z.strictObject({
  $schema: z.string().optional(),
  data: z.string().min(1).default('./data'),
  docs: z.string().min(1).optional(),
  schema: graphSchema.prefault({}),
  embedder: embedderSection.prefault({}),
  extractor: extractorSection.optional(),
  transport: z.enum(['stdio', 'http']).default('stdio'),
  port: z.number().int().min(1).max(65_535).default(3000),
});

export type FlowragConfiguration = Omit<z.output<typeof configurationFile>, '$schema'> & {
  /** The file that was read; undefined where there was none. */
  file: string | undefined;
};

export interface ConfigurationSources {
  /** From flags and the like: relative to the working folder. */
  config?: string | undefined;
  data?: string | undefined;
  docs?: string | undefined;
  workingFolder: string;
  /** Where flowrag.config.json is looked for, and what defaults count from, when no file is named. */
  home?: string;
}

/** Flags win over the file, the file over the defaults. A file that was named must exist; a broken one is never ignored. */
export async function readConfiguration(sources: ConfigurationSources): Promise<FlowragConfiguration> {
  const home = sources.home ?? sources.workingFolder;
  const path = sources.config === undefined ? join(home, CONFIGURATION_FILE) : resolve(sources.workingFolder, sources.config);
  const text = await readIfPresent(path, sources.config !== undefined);
  const { $schema: _schema, data, docs, ...rest } = text === undefined ? configurationFile.parse({}) : parseConfiguration(text, path);
  const base = text === undefined ? home : dirname(path);
  const { model } = rest.embedder;
  const documents = sources.docs === undefined ? docs && resolve(base, docs) : resolve(sources.workingFolder, sources.docs);
  return {
    ...rest,
    embedder: { ...rest.embedder, ...(model !== undefined && /^\.{0,2}[\\/]/.test(model) && { model: resolve(base, model) }) },
    data: sources.data === undefined ? resolve(base, data) : resolve(sources.workingFolder, sources.data),
    ...(documents !== undefined && { docs: documents }),
    file: text === undefined ? undefined : path,
  };
}

async function readIfPresent(path: string, demanded: boolean): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const missing = error.code === 'ENOENT';
    if (missing && !demanded) return undefined;
    throw new Failure('unavailable', `The configuration file ${path} ${missing ? 'does not exist' : 'cannot be read'}`, {
      details: { file: path },
      fix: { instruction: 'Correct --config, or leave it out to do without a configuration file' },
      cause: error,
    });
  }
}

export function parseConfiguration(text: string, path: string): z.output<typeof configurationFile> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new Failure('invalid_input', `${path} is not valid JSON: ${error instanceof Error ? error.message : ''}`, {
      details: { file: path },
      fix: { instruction: 'Correct the file; comments and trailing commas are not allowed' },
      cause: error,
    });
  }
  const parsed = configurationFile.safeParse(value);
  const [issue] = parsed.error?.issues ?? [];
  if (!issue) return configurationFile.parse(value);
  const found = describeIssue(issue, value);
  throw new Failure('invalid_input', `${path}: ${found.message}`, {
    details: { file: path, field: found.field, value: found.value },
    fix: { instruction: 'Correct the field; all fields are described in docs/guide/mcp.md' },
  });
}

function describeIssue(issue: z.core.$ZodIssue, root: unknown): { field: string; value: unknown; message: string } {
  const at = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const field = [...at, key].join('.');
    const [close] = nearest(key, knownFields(at), 1);
    const hint = /key|token|secret|password/i.test(key) ? 'keys come from the environment only' : close ? `did you mean "${close}"?` : '';
    const message = [`unknown field "${field}"`, hint].filter(Boolean).join(': ');
    return { field, value: shown(valueAt(root, [...at, key]), key), message };
  }
  const field = at.join('.');
  const value = shown(valueAt(root, at), field);
  if (field === 'extractor.provider' && value === 'local') {
    const message = `"extractor.provider" cannot be "local": the local provider has no extractor. Use one of ${EXTRACTORS.join(', ')}`;
    return { field, value, message };
  }
  return { field, value, message: `"${field}" is ${JSON.stringify(value) ?? 'missing'}: ${issue.message}` };
}

function knownFields(at: readonly string[]): string[] {
  const sections: Record<string, object> = {
    schema: graphSchema.shape,
    embedder: embedderSection.shape,
    extractor: extractorSection.shape,
  };
  return Object.keys(at.length === 0 ? configurationFile.shape : (sections[at[0] ?? ''] ?? {}));
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (value === null || typeof value !== 'object' ? undefined : Reflect.get(value, key)), root);
}

/** The value as written, shortened; never shown where it might be a secret. */
function shown(value: unknown, field: string): unknown {
  if (/key|token|secret|password/i.test(field)) return '(not shown)';
  if (typeof value === 'string') return value.slice(0, 100);
  return value !== null && typeof value === 'object' ? (Array.isArray(value) ? 'an array' : 'an object') : value;
}

/** The process's own variables, then .env beside the configuration file, then .env in the working folder: the first value wins. */
export async function readEnvironment(sources: { process: ModelEnvironment; folders: readonly string[] }): Promise<ModelEnvironment> {
  const environment: Record<string, string | undefined> = { ...sources.process };
  for (const folder of sources.folders) {
    const text = (await readFile(join(folder, '.env'), 'utf8').catch(absent)) ?? '';
    for (const [name, value] of Object.entries(parseEnv(text))) environment[name] ??= value;
  }
  return environment;
}

export const documentsFolder: DocumentsFolder = {
  async current({ workspace, workingDirectory }) {
    return (await readConfiguration({ workingFolder: workingDirectory, home: workspace })).docs;
  },

  /** Keeps everything else in the file. A broken file is refused, never replaced. */
  set(workspace, docs) {
    const path = join(workspace, CONFIGURATION_FILE);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '{}';
    parseConfiguration(text, path);
    const content: object = JSON.parse(text.replace(/^\uFEFF/, ''));
    makeFolder(workspace, { mode: 0o700 });
    const temporary = `${path}.${process.pid}.tmp`;
    writeFileSync(temporary, `${JSON.stringify({ ...content, docs }, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, path);
    return path;
  },

  command: 'index',
};
