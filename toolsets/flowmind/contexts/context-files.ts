import { type Dirent, existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { absent, isSystemError, type Log } from '@millrace/kernel';
import { run, type Store } from '@millrace/storage';
import type { ContextDefinition, ContextIssue, ContextSource } from '../flow/context.ts';
import type { ContextTables } from '../migrations.ts';

export interface ContextFile {
  path: string;
  /** Changes whenever the file does. */
  stamp: string;
  updatedAt: Date;
}

export interface ParsedFile {
  path: string;
  definition: ContextDefinition | undefined;
  issues: ContextIssue[];
}

const MOST_FILES = 50_000;
const SKIPPED = new Set(['node_modules', 'dist']);

/** The folder of the built-in contexts: beside the source, or beside the bundle. */
export function libraryFolder(): string | undefined {
  const places = ['../library/', './library/'].map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return places.find((place) => existsSync(place));
}

/** The file in which a build ships the vectors of the product's own texts. */
export function libraryVectors(): string | undefined {
  const folder = libraryFolder();
  return folder && join(folder, 'vectors.bin');
}

/** Every YAML file and every SKILL.md below a folder, in a fixed order. Links, hidden folders and folders of packages are skipped. */
export async function contextFilesBelow(folder: string): Promise<ContextFile[]> {
  const paths: string[] = [];
  await collect(folder, paths);
  const files = await Promise.all(paths.map(contextFile));
  return files.filter((file) => file !== undefined);
}

async function collect(folder: string, paths: string[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown): Dirent[] => {
    if (isSystemError(error) && error.code === 'ENOENT') return [];
    throw error;
  });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (paths.length >= MOST_FILES) return;
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !entry.name.startsWith('.') && !SKIPPED.has(entry.name)) await collect(path, paths);
    else if (entry.isFile() && (/\.ya?ml$/i.test(entry.name) || entry.name === 'SKILL.md')) paths.push(path);
  }
}

/** A file may disappear between being listed and being read. */
async function contextFile(path: string): Promise<ContextFile | undefined> {
  const found = await stat(path).catch(absent);
  return found && { path, stamp: `${found.mtimeMs}:${found.size}`, updatedAt: found.mtime };
}

/** The path below its root gives the URI of a context that names no id. */
export async function parseFile(file: ContextFile, root: string, kind: ContextSource['kind']): Promise<ParsedFile> {
  let text: string;
  try {
    text = await readFile(file.path, 'utf8');
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const issue: ContextIssue = { severity: 'error', message: 'The file cannot be read', line: 1, column: 1, path: '' };
    return { path: file.path, definition: undefined, issues: [issue] };
  }
  // The YAML parser is loaded with the first file that has to be parsed, not when the server starts.
  const [{ parseContext }, { skillAsContext }] = await Promise.all([import('./parse.ts'), import('./skill.ts')]);
  const isSkill = basename(file.path) === 'SKILL.md';
  const { definition, issues } = parseContext(isSkill ? skillAsContext(text, file.path) : text, {
    path: relative(root, file.path),
    kind: isSkill ? 'skill' : kind,
    updatedAt: file.updatedAt,
  });
  return { path: file.path, definition: definition && { ...definition, source: { ...definition.source, path: file.path } }, issues };
}

/** Changes when the parsed form does, so that what an older version stored is not mistaken for it. */
const FORMAT = 2;
const ROWS = 100;

interface Stored {
  stamp: string;
  parsed: ParsedFile;
}

/** Parses context files and stores the outcome: after a restart too, an unchanged file only costs a look at its date. */
export class ParsedFiles {
  readonly #options: { store: Store<ContextTables>; log: Log; version?: string };
  #stored: Map<string, Stored> | undefined;

  constructor(options: { store: Store<ContextTables>; log: Log; version?: string }) {
    this.#options = options;
  }

  async parse(files: readonly ContextFile[], root: string, kind: ContextSource['kind']): Promise<ParsedFile[]> {
    this.#stored ??= await this.#load();
    const stored = this.#stored;
    const fresh: Stored[] = [];
    const parsed: ParsedFile[] = [];
    for (const file of files) {
      const stamp = `${FORMAT}:${this.#options.version ?? ''}:${kind}:${file.stamp}`;
      let known = stored.get(file.path);
      if (known?.stamp !== stamp) {
        known = { stamp, parsed: await parseFile(file, root, kind) };
        stored.set(file.path, known);
        fresh.push(known);
      }
      parsed.push(known.parsed);
    }
    await this.#save(fresh);
    return parsed;
  }

  async #load(): Promise<Map<string, Stored>> {
    try {
      const rows = await this.#options.store.db.selectFrom('flowmind_parsed_files').selectAll().execute();
      return new Map(rows.map((row) => [row.path, { stamp: row.stamp, parsed: revived(row.parsed) }]));
    } catch (error) {
      this.#options.log.warn({ err: error }, 'stored contexts could not be read; their files are parsed again');
      return new Map();
    }
  }

  async #save(fresh: readonly Stored[]): Promise<void> {
    try {
      for (let from = 0; from < fresh.length; from += ROWS) {
        const rows = fresh
          .slice(from, from + ROWS)
          .map(({ stamp, parsed }) => ({ path: parsed.path, stamp, parsed: JSON.stringify(parsed) }));
        await this.#options.store.transaction(function* (db) {
          yield* run(
            db
              .insertInto('flowmind_parsed_files')
              .values(rows)
              .onConflict((conflict) =>
                conflict.column('path').doUpdateSet((row) => ({ stamp: row.ref('excluded.stamp'), parsed: row.ref('excluded.parsed') })),
              ),
          );
        });
      }
    } catch (error) {
      this.#options.log.warn({ err: error }, 'parsed contexts could not be stored');
    }
  }
}

function revived(json: string): ParsedFile {
  const parsed: ParsedFile = JSON.parse(json);
  if (parsed.definition?.updatedAt) parsed.definition.updatedAt = new Date(parsed.definition.updatedAt);
  return parsed;
}
