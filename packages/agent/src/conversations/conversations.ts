import { randomUUID } from 'node:crypto';
import { type Clock, clip, Failure } from '@millrace/kernel';
import { all, first, type Hold, holdEnd, isHeld, run, type Statement, type Store } from '@millrace/storage';
import type { Kysely } from 'kysely';
import type { AgentTables, CallStatus, MessageStatus } from './migrations.ts';

export interface Conversation {
  id: string;
  title: string;
  createdAt: string;
  updatedAt: string;
}

/** What a model said in one step, as parts that are sent back to it. */
export interface Step {
  content: unknown[];
}

export interface StoredCall {
  id: string;
  position: number;
  step: number;
  callId: string;
  tool: string;
  parameters: unknown;
  status: CallStatus;
  output: unknown;
  startedAt: string | null;
}

export interface StoredMessage {
  id: string;
  position: number;
  role: 'user' | 'assistant';
  status: MessageStatus;
  text: string;
  steps: Step[];
  calls: StoredCall[];
  createdAt: string;
}

export interface ConversationPage {
  conversations: Conversation[];
  /** Pass it on as `after` for the next page. */
  next?: string;
}

/** Where a turn begins: a new one, or one that was not finished. */
export interface TurnBegin {
  conversation: Conversation;
  question: StoredMessage;
  answer: StoredMessage;
  resumed: boolean;
  /** All messages before this turn, oldest first. */
  history: StoredMessage[];
}

export interface TurnRequest {
  userId: string;
  conversationId: string | undefined;
  /** Undefined to try the last turn again. */
  text: string | undefined;
  /** Whether this text asks to continue an unfinished turn. */
  continues(text: string, unfinished: { text: string; status: MessageStatus }): boolean;
  holder: string;
}

const TITLE_CHARACTERS = 80;
const HISTORY_MESSAGES = 60;

type Db = Kysely<AgentTables>;
type Rows<Result> = Generator<Statement, Result, unknown[]>;

/** The conversations of every user. Each statement names the user, or a conversation found for that user. */
export class Conversations {
  readonly #store: Store<AgentTables>;
  readonly #clock: Clock;

  constructor(store: Store<AgentTables>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async list(userId: string, { limit, after }: { limit: number; after?: string | undefined }): Promise<ConversationPage> {
    let query = this.#store.db.selectFrom('conversations').selectAll().where('user_id', '=', userId);
    const cursor = cursorOf(after);
    if (cursor) {
      query = query.where((is) =>
        is.or([is('updated_at', '<', cursor.updatedAt), is.and([is('updated_at', '=', cursor.updatedAt), is('id', '<', cursor.id)])]),
      );
    }
    const rows = await query
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute();
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return { conversations: page.map(conversationOf), ...(rows.length > limit && last && { next: `${last.updated_at}_${last.id}` }) };
  }

  async get(userId: string, id: string): Promise<{ conversation: Conversation; messages: StoredMessage[] } | undefined> {
    const row = await this.#store.db
      .selectFrom('conversations')
      .selectAll()
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    if (!row) return undefined;
    const messages = await this.#store.db
      .selectFrom('messages')
      .selectAll()
      .where('conversation_id', '=', id)
      .orderBy('position')
      .execute();
    const calls = await this.#store.db
      .selectFrom('message_calls')
      .innerJoin('messages', 'messages.id', 'message_calls.message_id')
      .selectAll('message_calls')
      .where('messages.conversation_id', '=', id)
      .orderBy('message_calls.position')
      .execute();
    return { conversation: conversationOf(row), messages: withCalls(messages, calls) };
  }

  /** The user's last messages in all conversations, for a terminal's arrow keys. */
  async lastSaid(userId: string, limit: number): Promise<string[]> {
    const rows = await this.#store.db
      .selectFrom('messages')
      .innerJoin('conversations', 'conversations.id', 'messages.conversation_id')
      .select('messages.text')
      .where('conversations.user_id', '=', userId)
      .where('messages.role', '=', 'user')
      .orderBy('messages.created_at', 'desc')
      .limit(limit)
      .execute();
    return rows.map((row) => row.text);
  }

  /** The last message, if its process ended before the answer was complete; not one that is still being answered. */
  async brokenOff(userId: string, id: string): Promise<{ text: string } | undefined> {
    const [answer, question] = await this.#store.db
      .selectFrom('messages')
      .innerJoin('conversations', 'conversations.id', 'messages.conversation_id')
      .select(['messages.text', 'messages.status', 'conversations.turn_holder', 'conversations.turn_until'])
      .where('conversations.id', '=', id)
      .where('conversations.user_id', '=', userId)
      .orderBy('messages.position', 'desc')
      .limit(2)
      .execute();
    if (!answer || !question || (answer.status !== 'interrupted' && answer.status !== 'running')) return undefined;
    return isHeld(turnOf(answer), this.#clock) ? undefined : { text: question.text };
  }

  /** Claims the conversation for one turn; refuses while another turn is running in it. */
  begin(request: TurnRequest): Promise<TurnBegin> {
    return this.#store.transaction((db) => beginTurn(db, request, this.#clock));
  }
}

function* beginTurn(db: Db, request: TurnRequest, clock: Clock): Rows<TurnBegin> {
  const { userId, conversationId, text, holder } = request;
  const now = clock.now().toISOString();
  const lease = { turn_holder: holder, turn_until: holdEnd(clock) };
  if (conversationId === undefined) {
    if (text === undefined) throw nothingToRetry();
    const row = { id: randomUUID(), user_id: userId, title: titleOf(text), ...lease, created_at: now, updated_at: now };
    yield* run(db.insertInto('conversations').values(row));
    return yield* addTurn(db, row, text, [], now);
  }
  const row = yield* first(db.selectFrom('conversations').selectAll().where('id', '=', conversationId).where('user_id', '=', userId));
  if (!row) throw noSuchConversation(conversationId);
  if (isHeld(turnOf(row), clock)) throw busy();
  yield* run(
    db
      .updateTable('conversations')
      .set({ ...lease, updated_at: now })
      .where('id', '=', row.id),
  );
  const history = yield* lastMessages(db, row.id);
  const answer = history.at(-1);
  if (answer?.status === 'running') {
    answer.status = 'interrupted';
    yield* run(db.updateTable('messages').set({ status: 'interrupted', updated_at: now }).where('id', '=', answer.id));
  }
  const question = history.at(-2);
  const unfinished = answer && question && answer.status !== 'done' ? { text: question.text, status: answer.status } : undefined;
  if (answer && question && unfinished && (text === undefined || request.continues(text, unfinished))) {
    yield* run(db.updateTable('messages').set({ status: 'running', text: '', updated_at: now }).where('id', '=', answer.id));
    const begun = { ...answer, status: 'running' as const, text: '' };
    return { conversation: conversationOf(row), question, answer: begun, resumed: true, history: history.slice(0, -2) };
  }
  if (text === undefined) throw nothingToRetry();
  return yield* addTurn(db, row, text, history, now);
}

function turnOf({ turn_holder: holder, turn_until: until }: Pick<AgentTables['conversations'], 'turn_holder' | 'turn_until'>): Hold {
  return { holder, until };
}

function* addTurn(db: Db, row: AgentTables['conversations'], text: string, history: StoredMessage[], now: string): Rows<TurnBegin> {
  const position = (history.at(-1)?.position ?? -1) + 1;
  const asked = { ...newMessage(row.id, position, 'user', now), text, status: 'done' as const };
  const answer = newMessage(row.id, position + 1, 'assistant', now);
  yield* run(db.insertInto('messages').values([asked, answer]));
  return { conversation: conversationOf(row), question: messageOf(asked, []), answer: messageOf(answer, []), resumed: false, history };
}

function newMessage(conversationId: string, position: number, role: 'user' | 'assistant', now: string): AgentTables['messages'] {
  return {
    id: randomUUID(),
    conversation_id: conversationId,
    position,
    role,
    status: 'running',
    text: '',
    steps: '[]',
    created_at: now,
    updated_at: now,
  };
}

function* lastMessages(db: Db, conversationId: string): Rows<StoredMessage[]> {
  const rows = yield* all(
    db.selectFrom('messages').selectAll().where('conversation_id', '=', conversationId).orderBy('position', 'desc').limit(HISTORY_MESSAGES),
  );
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const calls = yield* all(db.selectFrom('message_calls').selectAll().where('message_id', 'in', ids).orderBy('position'));
  return withCalls(rows.reverse(), calls);
}

function withCalls(messages: AgentTables['messages'][], calls: AgentTables['message_calls'][]): StoredMessage[] {
  const byMessage = Map.groupBy(calls, (call) => call.message_id);
  return messages.map((message) => messageOf(message, byMessage.get(message.id) ?? []));
}

function messageOf(row: AgentTables['messages'], calls: AgentTables['message_calls'][]): StoredMessage {
  return {
    id: row.id,
    position: row.position,
    role: row.role,
    status: row.status,
    text: row.text,
    steps: JSON.parse(row.steps),
    calls: calls.map(callOf),
    createdAt: row.created_at,
  };
}

function callOf(row: AgentTables['message_calls']): StoredCall {
  return {
    id: row.id,
    position: row.position,
    step: row.step,
    callId: row.call_id,
    tool: row.tool,
    parameters: JSON.parse(row.parameters),
    status: row.status,
    output: row.output === null ? undefined : JSON.parse(row.output),
    startedAt: row.started_at,
  };
}

function conversationOf(row: AgentTables['conversations']): Conversation {
  return { id: row.id, title: row.title, createdAt: row.created_at, updatedAt: row.updated_at };
}

function titleOf(text: string): string {
  return clip(text.trim().replaceAll(/\s+/g, ' '), TITLE_CHARACTERS);
}

function cursorOf(after: string | undefined): { updatedAt: string; id: string } | undefined {
  const [updatedAt, id] = after?.split('_') ?? [];
  return updatedAt && id ? { updatedAt, id } : undefined;
}

export function noSuchConversation(id: string): Failure {
  return new Failure('not_found', `There is no conversation ${id.slice(0, 100)}`, {
    fix: { instruction: 'Omit the conversation to start a new one' },
  });
}

function busy(): Failure {
  return new Failure('conflict', 'I am still answering in this conversation', {
    fix: { instruction: 'Wait for that answer, or start another conversation' },
  });
}

function nothingToRetry(): Failure {
  return new Failure('invalid_input', 'There is nothing to try again: the last answer is complete', {
    fix: { instruction: 'Say what you want done' },
  });
}
