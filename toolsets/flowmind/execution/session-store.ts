import type { Clock, User } from '@millrace/kernel';
import { first, run, type Store } from '@millrace/storage';
import type { Event, SessionState } from '../flow/state.ts';
import type { FlowmindTables } from '../migrations.ts';

export const STATUSES = ['awaiting_step', 'awaiting_answer', 'awaiting_approval', 'paused', 'completed', 'failed', 'cancelled'] as const;
export type Status = (typeof STATUSES)[number];

export interface Session {
  id: string;
  user: User;
  uri: string;
  name: string;
  mode: string;
  status: Status | 'running';
  reason: string | null;
  /** 0 while it was never written. */
  version: number;
  state: SessionState;
  lease: { holder: string; until: string } | undefined;
  createdAt: string;
  updatedAt: string;
}

export type SessionSummary = Pick<Session, 'id' | 'uri' | 'name' | 'mode' | 'status' | 'reason' | 'createdAt' | 'updatedAt'> & {
  userId: string;
  stepsDone: number;
};

/** What is written together with a transition. */
export interface Transition {
  events: readonly Event[];
  writes: readonly { key: string; value: unknown; expiresAt: string | null }[];
  definitions: readonly PinnedDefinition[];
}

export type PinnedDefinition = FlowmindTables['flowmind_definitions'];

export interface TraceLine {
  seq: number;
  at: string;
  kind: string;
  node: string;
  data: Record<string, unknown>;
}

/** Another process has made a transition of the same session. */
export class SessionMoved extends Error {
  constructor(id: string) {
    super(`session ${id} moved on meanwhile`);
    this.name = 'SessionMoved';
  }
}

const ENDED: readonly Status[] = ['completed', 'failed', 'cancelled'];
const MAX_EVENT = 16_000;

/** Sessions as rows: one transaction a transition, and a version so that it can only be made once. */
export class SessionStore {
  readonly #store: Store<FlowmindTables>;
  readonly #clock: Clock;

  constructor(store: Store<FlowmindTables>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Of this user, when one is named: sessions of others do not exist for them. */
  async find(id: string, userId?: string): Promise<Session | undefined> {
    const row = await this.#store.db.selectFrom('flowmind_sessions').selectAll().where('id', '=', id).executeTakeFirst();
    return row && (userId === undefined || row.user_id === userId) ? sessionOf(row) : undefined;
  }

  /** Writes the session as it is now; throws SessionMoved when its version is no longer the stored one. */
  async commit(session: Session, transition: Transition): Promise<void> {
    const at = this.#clock.now().toISOString();
    const content = contentOf(session, at);
    const version = session.version + 1;
    await this.#store.transaction(function* (db) {
      let seq = 0;
      if (session.version === 0) {
        const { id, user, uri, name, createdAt: created_at } = session;
        yield* run(db.insertInto('flowmind_sessions').values({ id, user_id: user.id, uri, name, created_at, version, ...content }));
      } else {
        const row = yield* first(db.selectFrom('flowmind_sessions').select('version').where('id', '=', session.id));
        if (row?.version !== session.version) throw new SessionMoved(session.id);
        yield* run(
          db
            .updateTable('flowmind_sessions')
            .set({ version, ...content })
            .where('id', '=', session.id),
        );
        const last = yield* first(
          db.selectFrom('flowmind_journal').select('seq').where('session_id', '=', session.id).orderBy('seq', 'desc').limit(1),
        );
        seq = last?.seq ?? 0;
      }
      if (transition.events.length > 0) {
        const rows = transition.events.map((event, index) => ({
          session_id: session.id,
          seq: seq + index + 1,
          at,
          kind: event.kind,
          node: event.node,
          data: JSON.stringify(event.data).slice(0, MAX_EVENT),
        }));
        yield* run(db.insertInto('flowmind_journal').values(rows));
      }
      for (const definition of transition.definitions) {
        yield* run(
          db
            .insertInto('flowmind_definitions')
            .values(definition)
            .onConflict((conflict) => conflict.column('hash').doNothing()),
        );
      }
      for (const { key, value, expiresAt: expires_at } of transition.writes) {
        const saved = { value: JSON.stringify(value ?? null), expires_at };
        yield* run(
          db
            .insertInto('flowmind_saved_state')
            .values({ user_id: session.user.id, key, ...saved })
            .onConflict((conflict) => conflict.columns(['user_id', 'key']).doUpdateSet(saved)),
        );
      }
    });
    session.version = version;
    session.updatedAt = at;
  }

  /** Renews a running session's lease; false when another holder has it. */
  async renew(id: string, holder: string, until: string): Promise<boolean> {
    const result = await this.#store.db
      .updateTable('flowmind_sessions')
      .set({ lease_until: until })
      .where('id', '=', id)
      .where('lease_holder', '=', holder)
      .executeTakeFirst();
    return Number(result.numUpdatedRows) > 0;
  }

  async definition(hash: string): Promise<PinnedDefinition | undefined> {
    return this.#store.db.selectFrom('flowmind_definitions').selectAll().where('hash', '=', hash).executeTakeFirst();
  }

  async savedState(userId: string, key: string): Promise<unknown> {
    const row = await this.#store.db
      .selectFrom('flowmind_saved_state')
      .selectAll()
      .where('user_id', '=', userId)
      .where('key', '=', key)
      .executeTakeFirst();
    if (!row || (row.expires_at !== null && row.expires_at <= this.#clock.now().toISOString())) return undefined;
    return JSON.parse(row.value);
  }

  /** Newest first; of everybody when no user is named. */
  async list(options: { userId?: string; status?: string; limit: number }): Promise<SessionSummary[]> {
    let query = this.#store.db
      .selectFrom('flowmind_sessions')
      .select(['id', 'user_id', 'uri', 'name', 'mode', 'status', 'reason', 'steps_done', 'created_at', 'updated_at']);
    if (options.userId !== undefined) query = query.where('user_id', '=', options.userId);
    if (options.status !== undefined) query = query.where('status', '=', options.status);
    const rows = await query.orderBy('updated_at', 'desc').orderBy('id').limit(options.limit).execute();
    return rows.map(({ user_id: userId, steps_done: stepsDone, created_at: createdAt, updated_at: updatedAt, ...row }) => ({
      ...row,
      status: row.status as Session['status'],
      userId,
      stepsDone,
      createdAt,
      updatedAt,
    }));
  }

  /** Sessions marked as running, possibly by a process that has died. */
  async running(): Promise<Session[]> {
    const rows = await this.#store.db.selectFrom('flowmind_sessions').selectAll().where('status', '=', 'running').execute();
    return rows.map(sessionOf);
  }

  /** Deletes sessions that ended before then, with their journals. Open ones wait for their users as long as it takes. */
  async purge(before: Date): Promise<void> {
    const { db } = this.#store;
    const old = db.selectFrom('flowmind_sessions').select('id').where('updated_at', '<', before.toISOString()).where('status', 'in', ENDED);
    await db.deleteFrom('flowmind_journal').where('session_id', 'in', old).execute();
    await db.deleteFrom('flowmind_sessions').where('id', 'in', old).execute();
    await db.deleteFrom('flowmind_saved_state').where('expires_at', '<', this.#clock.now().toISOString()).execute();
  }

  async trace(id: string): Promise<TraceLine[]> {
    const rows = await this.#store.db.selectFrom('flowmind_journal').selectAll().where('session_id', '=', id).orderBy('seq').execute();
    return rows.map(({ seq, at, kind, node, data }) => ({ seq, at, kind, node, data: readData(data) }));
  }
}

function readData(data: string): Record<string, unknown> {
  try {
    return JSON.parse(data);
  } catch {
    return { truncated: true, head: data.slice(0, 500) };
  }
}

function contentOf(session: Session, at: string) {
  return {
    user: JSON.stringify(session.user),
    mode: session.mode,
    status: session.status,
    reason: session.reason,
    state: JSON.stringify(session.state),
    steps_done: session.state.stepsDone,
    lease_holder: session.lease?.holder ?? null,
    lease_until: session.lease?.until ?? null,
    updated_at: at,
  };
}

function sessionOf(row: FlowmindTables['flowmind_sessions']): Session {
  return {
    id: row.id,
    user: JSON.parse(row.user),
    uri: row.uri,
    name: row.name,
    mode: row.mode,
    status: row.status as Session['status'],
    reason: row.reason,
    version: row.version,
    state: JSON.parse(row.state),
    lease: row.lease_holder === null || row.lease_until === null ? undefined : { holder: row.lease_holder, until: row.lease_until },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
