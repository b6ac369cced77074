import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, type AgentOptions, agentMigrations, rulesModel, type TurnResult } from '@millrace/agent';
import type { AuditLog, Clock, Toolset, User } from '@millrace/kernel';
import { openStorage, type Storage } from '@millrace/storage';
import { todoMigrations, todoToolset } from '@millrace/todo';
import { OWNER, testCatalog } from '../harness/catalog.ts';

export interface StageTodo {
  id: string;
  title: string;
  status: 'open' | 'completed' | 'archived';
  priority: 'low' | 'medium' | 'high';
  description?: string;
  due_at?: string;
  tags?: string[];
}

export interface Stage {
  agent: Agent;
  storage: Storage;
  home: string;
  /** Says something as a user, in one conversation each until a new one is begun. */
  say(text: string, as?: User): Promise<TurnResult>;
  forget(): void;
  call(tool: string, parameters: object, as?: User): Promise<Record<string, unknown>>;
  add(...todos: (string | Record<string, unknown>)[]): Promise<StageTodo[]>;
  addFor(as: User, ...todos: (string | Record<string, unknown>)[]): Promise<StageTodo[]>;
  /** All todos of a user, the archived ones too, the oldest first. */
  todos(as?: User): Promise<StageTodo[]>;
  close(): Promise<void>;
}

export interface StageOptions extends Partial<AgentOptions> {
  home?: string;
  extraToolsets?: Toolset[];
  /** Changes the todo toolset before it is used. */
  around?: (toolset: Toolset) => Toolset;
  auditLog?: (audit: AuditLog) => AuditLog;
}

export const NOON = new Date('2026-01-07T12:00:00.000Z');

/** Noon, and a millisecond later with each look. */
function tickingClock(): Clock {
  let ticks = 0;
  return { now: () => new Date(NOON.getTime() + ticks++) };
}

/** The agent over the whole pipeline and a real store: nothing is faked but the clock. */
export async function stage(given: StageOptions = {}): Promise<Stage> {
  const {
    home: kept,
    extraToolsets = [],
    around = (toolset) => toolset,
    auditLog = (audit) => audit,
    clock = tickingClock(),
    ...options
  } = given;
  const home = kept ?? join(mkdtempSync(join(tmpdir(), 'millrace-agent-')), 'home');
  const storage = await openStorage({ home, clock, migrations: [...todoMigrations, ...agentMigrations] });
  const { catalog } = testCatalog([around(todoToolset({ store: storage.store, clock, timeZone: 'UTC' }) as Toolset), ...extraToolsets], {
    ports: { clock, auditLog: auditLog(storage.audit), identity: { identify: (who) => (who.kind === 'identified' ? who.user : OWNER) } },
  });
  const timeZone = 'UTC';
  const agent = new Agent({
    store: storage.store,
    catalog,
    audit: storage.audit,
    chatModel: async () => rulesModel({ timeZone, now: clock.now }),
    clock,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    instructions: '',
    timeZone,
    waitMs: 1,
    ...options,
  });
  const conversations = new Map<string, string>();
  const direct: Stage['call'] = async (tool, parameters, as = OWNER) => {
    const reply = await catalog.call(tool, parameters, { credentials: { kind: 'identified', user: as } });
    return reply.structured as Record<string, unknown>;
  };
  const todosOf = async (as: User): Promise<StageTodo[]> => {
    const read = async (filter: object) =>
      (await direct('read_todos', { sort: 'oldest', limit: 1000, ...filter }, as)).todos as StageTodo[];
    return [...(await read({})), ...(await read({ status: 'archived' }))].sort((a, b) => (a.id < b.id ? -1 : 1));
  };
  const addFor: Stage['addFor'] = async (as, ...todos) => {
    const given = todos.map((todo) => (typeof todo === 'string' ? { title: todo } : todo) as { title: string; status?: string });
    const contents = given.map(({ status: _status, ...content }) => content);
    const added = (await direct('create_todos', { todos: contents }, as)).todos as StageTodo[];
    for (const [index, { status }] of given.entries()) if (status) await direct('update_todo', { id: added[index]?.id, status }, as);
    return added;
  };
  return {
    agent,
    storage,
    home,
    async say(text, as = OWNER) {
      const result = await agent.turn({ user: as, message: text, conversation: conversations.get(as.id) });
      conversations.set(as.id, result.conversation);
      return result;
    },
    forget: () => conversations.clear(),
    call: direct,
    add: (...todos) => addFor(OWNER, ...todos),
    addFor,
    todos: (as = OWNER) => todosOf(as),
    async close() {
      await agent.close();
      await storage.close();
      if (kept === undefined) rmSync(join(home, '..'), { recursive: true, force: true });
    },
  };
}
