import { createHash } from 'node:crypto';
import { type Clock, Failure } from '@millrace/kernel';
import { all, run, type Store } from '@millrace/storage';
import { type Generated, type Insertable, sql } from 'kysely';

/** One edit of a workflow file: which bytes it replaced, so that it can be taken back. */
interface HistoryTable {
  id: Generated<number>;
  path: string;
  tool: string;
  at: string;
  before_hash: string;
  after_hash: string;
  /** Where the change begins; the bytes before and after it stayed. */
  offset_bytes: number;
  removed: Uint8Array;
  inserted_bytes: number;
}

type EditRow = Insertable<HistoryTable>;

export interface HistoryTables {
  n8n_history: HistoryTable;
  /** The same the other way round: edits that were taken back, and which bytes that replaced. */
  n8n_undone: HistoryTable;
}

const KEPT_PER_FILE = 200;
const KEPT_BYTES_PER_FILE = 64 * 1024 * 1024;
/** Of all files together. */
const KEPT_UNDONE = 5000;

/** What a file was before it was made. */
export const NO_FILE = Buffer.alloc(0);
const NO_FILE_HASH = hashOf(NO_FILE);

/** A file as it was some edits ago or, after those were taken back, as it was again. */
export interface Reached {
  bytes: Buffer;
  /** Whether there was no file then. */
  isAbsent: boolean;
  /** The tools that made the edits, the last first. */
  tools: string[];
  /** Keeps the way back. Written before the file is: nothing is lost when the process dies in between. Answers how to forget it. */
  keep(): Promise<() => Promise<void>>;
  /** Forgets the way here, once the file is written. */
  settle(): Promise<void>;
}

type Table = 'n8n_history' | 'n8n_undone';

/** What stood in a file before each edit, and what stood there before an edit was taken back; kept outside of the workspace. */
export class History {
  readonly #store: Store<HistoryTables>;
  readonly #clock: Clock;

  constructor(store: Store<HistoryTables>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Written before the file is: a file that was changed can always be changed back. Answers how to forget it again. */
  async record(path: string, tool: string, before: Buffer, after: Buffer): Promise<() => Promise<void>> {
    const row = this.#row(path, tool, before, after);
    const id = await this.#store.transaction(function* (db) {
      const [written] = yield* all(db.insertInto('n8n_history').values(row).returning('id'));
      const kept = yield* all(
        db
          .selectFrom('n8n_history')
          .select(['id', sql<number>`octet_length(removed)`.as('bytes')])
          .where('path', '=', path)
          .orderBy('id', 'desc'),
      );
      let bytes = 0;
      const tooOld = kept.find((edit, index) => {
        bytes += Number(edit.bytes);
        return index >= KEPT_PER_FILE || (index > 0 && bytes > KEPT_BYTES_PER_FILE);
      });
      if (tooOld) yield* run(db.deleteFrom('n8n_history').where('path', '=', path).where('id', '<=', tooOld.id));
      return written?.id;
    });
    return async () => {
      if (id !== undefined) await this.#store.db.deleteFrom('n8n_history').where('id', '=', id).execute();
    };
  }

  /** After an edit, what was undone before it cannot be redone. */
  async forgetUndone(path: string): Promise<void> {
    await this.#store.db.deleteFrom('n8n_undone').where('path', '=', path).execute();
  }

  /** The file as it was `steps` edits ago. */
  undo(path: string, shown: string, current: Buffer, steps: number): Promise<Reached> {
    return this.#reach('n8n_history', 'n8n_undone', { path, shown, current, steps });
  }

  /** The file as it was before the last `steps` edits were taken back. */
  redo(path: string, shown: string, current: Buffer, steps: number): Promise<Reached> {
    return this.#reach('n8n_undone', 'n8n_history', { path, shown, current, steps });
  }

  /** Files whose creation was undone, the last first: their paths and contents. */
  async removedFiles(): Promise<{ path: string; bytes: Buffer }[]> {
    const rows = await this.#store.db
      .selectFrom('n8n_undone')
      .select(['path', 'removed'])
      .where('after_hash', '=', NO_FILE_HASH)
      .orderBy('id', 'desc')
      .limit(KEPT_PER_FILE)
      .execute();
    return rows.map(({ path, removed }) => ({ path, bytes: Buffer.from(removed) }));
  }

  async #reach(
    from: Table,
    into: Table,
    { path, shown, current, steps }: { path: string; shown: string; current: Buffer; steps: number },
  ): Promise<Reached> {
    const rows = await this.#store.db.selectFrom(from).selectAll().where('path', '=', path).orderBy('id', 'desc').execute();
    let bytes = current;
    let hash = hashOf(current);
    const passed: { id: number; tool: string; opposite: EditRow }[] = [];
    let at = 0;
    while (passed.length < steps) {
      // Edits that came to nothing (a process was killed between the record and the write) lie in between: pass over them.
      const next = rows.findIndex((row, index) => index >= at && row.after_hash === hash);
      const row = rows[next];
      if (!row) throw nothingLeft(from, shown, passed.length, rows.length > at);
      const earlier = Buffer.concat([
        bytes.subarray(0, row.offset_bytes),
        row.removed,
        bytes.subarray(row.offset_bytes + row.inserted_bytes),
      ]);
      hash = row.before_hash;
      if (hashOf(earlier) !== hash) throw new Failure('storage', `The history of ${shown} is damaged`, { details: { path: shown } });
      passed.push({ id: row.id, tool: row.tool, opposite: this.#row(path, row.tool, bytes, earlier) });
      bytes = earlier;
      at = next + 1;
    }
    const store = this.#store;
    return {
      bytes,
      isAbsent: hash === NO_FILE_HASH,
      tools: passed.map(({ tool }) => tool),
      async keep() {
        const ids = await store.transaction(function* (db) {
          const kept: number[] = [];
          for (const { opposite } of passed)
            for (const { id } of yield* all(db.insertInto(into).values(opposite).returning('id'))) kept.push(id);
          if (into === 'n8n_undone') yield* run(db.deleteFrom(into).where('id', '<=', Math.max(...kept) - KEPT_UNDONE));
          return kept;
        });
        return async () => {
          await store.db.deleteFrom(into).where('id', 'in', ids).execute();
        };
      },
      async settle() {
        const oldest = Math.min(...passed.map(({ id }) => id));
        await store.db.deleteFrom(from).where('path', '=', path).where('id', '>=', oldest).execute();
      },
    };
  }

  #row(path: string, tool: string, before: Buffer, after: Buffer): EditRow {
    const { offset, removed, inserted } = difference(before, after);
    return {
      path,
      tool,
      at: this.#clock.now().toISOString(),
      before_hash: hashOf(before),
      after_hash: hashOf(after),
      offset_bytes: offset,
      removed,
      inserted_bytes: inserted,
    };
  }
}

function nothingLeft(from: Table, shown: string, available: number, changedOutside: boolean): Failure {
  const [verb, none] =
    from === 'n8n_history' ? ['undone', 'no earlier edit is recorded'] : ['redone', 'nothing was undone since the last edit'];
  const why = changedOutside
    ? available > 0
      ? 'before that the file was changed by something else'
      : 'the file was changed by something else since the last edit'
    : none;
  return new Failure('conflict', `${shown}: ${available === 0 ? `nothing can be ${verb}` : `only ${available} can be ${verb}`}: ${why}`, {
    details: { path: shown, available },
    ...(available > 0 && { fix: { instruction: `Use steps: ${available}`, example: { steps: available } } }),
  });
}

/** The one stretch of bytes in which two texts differ. */
function difference(before: Buffer, after: Buffer): { offset: number; removed: Buffer; inserted: number } {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return { offset: head, removed: before.subarray(head, before.length - tail), inserted: after.length - tail - head };
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Forgets what was recorded of a write that did not happen. */
export async function writtenOrForgotten(write: () => Promise<boolean>, forget: () => Promise<void>): Promise<boolean> {
  let written = false;
  try {
    written = await write();
    return written;
  } finally {
    if (!written) await forget();
  }
}
