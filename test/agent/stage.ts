import type { Agent, TurnResult } from '@millrace/agent';
import type { Clock, Tool, User } from '@millrace/kernel';
import { OWNER, openMillrace, type TestMillrace, type TestMillraceOptions } from '../harness/millrace.ts';
import type { StandIn } from '../harness/openai-stand-in.ts';
import { product } from '../harness/package.ts';

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
  storage: TestMillrace['storage'];
  /** Says something as a user, in one conversation each until a new one is begun. */
  say(text: string, as?: User): Promise<TurnResult>;
  forget(): void;
  call(tool: string, parameters: object, as?: User): Promise<Record<string, unknown>>;
  add(...todos: (string | Record<string, unknown>)[]): Promise<StageTodo[]>;
  addFor(as: User, ...todos: (string | Record<string, unknown>)[]): Promise<StageTodo[]>;
  /** All todos of a user, the archived ones too, the oldest first. */
  todos(as?: User): Promise<StageTodo[]>;
  /** Puts something around what a tool does, until the stage is closed. */
  around(tool: string, replace: (run: Tool['run']) => Tool['run']): void;
  close(): Promise<void>;
}

export interface StageOptions extends TestMillraceOptions {
  /** The endpoint of the language model; without one, the agent goes by its rules. */
  model?: StandIn;
}

export const NOON = new Date('2026-01-07T12:00:00.000Z');

/** Noon, and a millisecond later with each look. */
function tickingClock(): Clock {
  let ticks = 0;
  return { now: () => new Date(NOON.getTime() + ticks++) };
}

/** The agent of the installed package over a whole server of it: nothing is faked but the clock. */
export async function stage({ model, environment, ...options }: StageOptions = {}): Promise<Stage> {
  const { openAgent } = await product();
  const millrace = await openMillrace({
    toolsets: ['todo'],
    clock: tickingClock(),
    environment: { MILLRACE_TIME_ZONE: 'UTC', ...(model && modelAt(model.url)), ...environment },
    ...options,
  });
  const agent = await openAgent(millrace, millrace.configuration, millrace.log);
  const changed: (() => void)[] = [];
  const conversations = new Map<string, string>();
  const direct: Stage['call'] = (tool, parameters, as) => millrace.ask(tool, parameters, as);
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
    storage: millrace.storage,
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
    around(name, replace) {
      const tool = millrace.catalog.find(name)?.tool;
      if (!tool) throw new Error(`no tool is named ${name}`);
      const { run } = tool;
      tool.run = replace(run);
      changed.push(() => {
        tool.run = run;
      });
    },
    async close() {
      for (const restore of changed) restore();
      await agent.close();
      await millrace.close();
    },
  };
}

/** What a person sets to use an endpoint of their own. */
export function modelAt(url: string): Record<string, string> {
  return { MILLRACE_MODEL_PROVIDER: 'openai', MILLRACE_MODEL: 'stand-in', MILLRACE_MODEL_URL: url, OPENAI_API_KEY: 'a-key' };
}
