import { type Clock, Failure } from '@millrace/kernel';
import { all, run, type Store } from '@millrace/storage';
import { sql } from 'kysely';
import type { N8nTables } from '../store/tables.ts';
import { hashOf } from './summary.ts';

const KEPT_PER_FILE = 200;
const KEPT_BYTES_PER_FILE = 64 * 1024 * 1024;

/** What stood in a file before each edit, kept outside of the workspace. */
export class History {
  readonly #store: Store<N8nTables>;
  readonly #clock: Clock;

  constructor(store: Store<N8nTables>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Written before the file is: a file that was changed can always be changed back. Answers how to forget it again. */
  async record(path: string, tool: string, before: Buffer, after: Buffer): Promise<() => Promise<void>> {
    const { offset, removed, inserted } = difference(before, after);
    const at = this.#clock.now().toISOString();
    const row = {
      path,
      tool,
      at,
      before_hash: hashOf(before),
      after_hash: hashOf(after),
      offset_bytes: offset,
      removed,
      inserted_bytes: inserted,
    };
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

  /** The file as it was `steps` edits ago, and how to forget those edits. */
  async before(
    path: string,
    shown: string,
    current: Buffer,
    steps: number,
  ): Promise<{ bytes: Buffer; tools: string[]; forget(): Promise<void> }> {
    const rows = await this.#store.db.selectFrom('n8n_history').selectAll().where('path', '=', path).orderBy('id', 'desc').execute();
    let bytes = current;
    let hash = hashOf(current);
    const tools: string[] = [];
    let oldest: number | undefined;
    let at = 0;
    while (tools.length < steps) {
      // Edits that came to nothing (a process was killed between the record and the write) lie in between: pass over them.
      const next = rows.findIndex((row, index) => index >= at && row.after_hash === hash);
      const row = rows[next];
      if (!row) throw nothingLeft(shown, tools.length, rows.length > at);
      bytes = Buffer.concat([bytes.subarray(0, row.offset_bytes), row.removed, bytes.subarray(row.offset_bytes + row.inserted_bytes)]);
      hash = row.before_hash;
      if (hashOf(bytes) !== hash) throw new Failure('storage', `The history of ${shown} is damaged`, { details: { path: shown } });
      tools.push(row.tool);
      oldest = row.id;
      at = next + 1;
    }
    const last = oldest;
    const forget = async () => {
      if (last !== undefined) await this.#store.db.deleteFrom('n8n_history').where('path', '=', path).where('id', '>=', last).execute();
    };
    return { bytes, tools, forget };
  }
}

function nothingLeft(shown: string, available: number, changedOutside: boolean): Failure {
  const why = changedOutside
    ? available > 0
      ? 'before that the file was changed by something else'
      : 'the file was changed by something else since the last edit'
    : 'no earlier edit is recorded';
  return new Failure('conflict', `${shown}: ${available === 0 ? 'nothing can be undone' : `only ${available} can be undone`}: ${why}`, {
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
