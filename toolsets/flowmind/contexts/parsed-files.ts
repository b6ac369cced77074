import { readFile } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { isSystemError, type Log } from '@millrace/kernel';
import { run, type Store } from '@millrace/storage';
import type { ContextDefinition, ContextIssue, ContextSource } from '../language/context.ts';
import type { ContextFile } from './context-files.ts';
import type { ContextTables } from './migrations.ts';

/** Changes when the parsed form does, so that what an older version kept is not taken for it. */
const FORMAT = 1;
const ROWS = 100;

export interface ParsedFile {
  path: string;
  definition: ContextDefinition | undefined;
  issues: ContextIssue[];
}

interface Kept {
  stamp: string;
  parsed: ParsedFile;
}

/** Parses context files, and remembers the outcome over restarts: an unchanged file costs a look at its date. */
export class ParsedFiles {
  readonly #store: Store<ContextTables>;
  readonly #log: Log;
  readonly #version: string;
  #kept: Map<string, Kept> | undefined;

  constructor(options: { store: Store<ContextTables>; log: Log; version: string }) {
    this.#store = options.store;
    this.#log = options.log;
    this.#version = options.version;
  }

  async parse(files: readonly ContextFile[], root: string, kind: ContextSource['kind']): Promise<ParsedFile[]> {
    const kept = await this.#load();
    const fresh: { file: ContextFile; stamp: string; parsed: ParsedFile }[] = [];
    const parsed: ParsedFile[] = [];
    for (const file of files) {
      const stamp = `${FORMAT}:${this.#version}:${kind}:${file.stamp}`;
      const known = kept.get(file.path);
      if (known?.stamp === stamp) {
        parsed.push(known.parsed);
        continue;
      }
      const made = await parseFile(file, root, kind);
      kept.set(file.path, { stamp, parsed: made });
      fresh.push({ file, stamp, parsed: made });
      parsed.push(made);
    }
    await this.#keep(fresh);
    return parsed;
  }

  async #load(): Promise<Map<string, Kept>> {
    if (this.#kept) return this.#kept;
    const kept = new Map<string, Kept>();
    try {
      const rows = await this.#store.db.selectFrom('flowmind_parsed_files').selectAll().execute();
      for (const row of rows) kept.set(row.path, { stamp: row.stamp, parsed: revived(row.parsed) });
    } catch (error) {
      this.#log.warn({ err: error }, 'kept contexts could not be read; their files are parsed anew');
    }
    this.#kept = kept;
    return kept;
  }

  async #keep(fresh: readonly { file: ContextFile; stamp: string; parsed: ParsedFile }[]): Promise<void> {
    try {
      for (let from = 0; from < fresh.length; from += ROWS) {
        const rows = fresh
          .slice(from, from + ROWS)
          .map(({ file, stamp, parsed }) => ({ path: file.path, stamp, parsed: JSON.stringify(parsed) }));
        await this.#store.transaction(function* (db) {
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
      this.#log.warn({ err: error }, 'parsed contexts could not be kept');
    }
  }
}

function revived(json: string): ParsedFile {
  const parsed = JSON.parse(json) as ParsedFile;
  if (parsed.definition?.updatedAt) parsed.definition.updatedAt = new Date(parsed.definition.updatedAt);
  return parsed;
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
  const [{ parseContext }, { skillAsContext }] = await Promise.all([import('../language/parse.ts'), import('./skill.ts')]);
  const isSkill = basename(file.path) === 'SKILL.md';
  const { definition, issues } = parseContext(isSkill ? skillAsContext(text, file.path) : text, {
    path: relative(root, file.path),
    kind: isSkill ? 'skill' : kind,
    updatedAt: file.updatedAt,
  });
  return { path: file.path, definition: definition && { ...definition, source: { ...definition.source, path: file.path } }, issues };
}
