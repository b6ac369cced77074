import { z } from 'zod';
import { type Chatflow, type ChatflowFields, chatflowOf, chatflowsOf } from './chatflow.ts';
import { type Connection, type OpenReply, type Request, segment } from './connection.ts';
import { type Operation, unreadable } from './refusals.ts';

const VIEW = ['chatflows:view', 'agentflows:view'];
const CREATE = ['chatflows:create', 'agentflows:create'];
const UPDATE = ['chatflows:update', 'agentflows:update'];
const DELETE = ['chatflows:delete', 'agentflows:delete'];

const text = z.string().catch('');
const credential = z.object({ id: text, name: text, credentialName: text });
const issue = z.object({ id: text, issues: z.array(text).catch([]) });
const chatMessage = z.object({ id: text, role: text, content: text });
const execution = z.object({ id: text, state: text, executionData: text });
const anything = z.looseObject({}).catch({});

export type Credential = z.output<typeof credential>;
/** What Flowise's own check says about a node. */
export type FlowiseIssue = z.output<typeof issue>;
export type ChatMessage = z.output<typeof chatMessage>;
/** A saved run of an agentflow; its executionData is JSON of the nodes that ran. */
export type Execution = z.output<typeof execution>;

/** The kinds of files that a flow looks at. */
export interface AcceptedUploads {
  images: boolean;
  documents: boolean;
  speech: boolean;
}

export interface ChatModelChoice {
  name: string;
  credential?: string;
  inputs: Record<string, unknown>;
}

type Send = Pick<Request, 'signal'> & { timeoutMs?: number };
type Content = Partial<Pick<Request, 'method' | 'query' | 'body'>>;

/** Flowise's API, a method a route. Replies are checked for what is read of them and nothing else. */
export class Flowise {
  readonly #connection: Connection;
  readonly #timeoutMs: number;
  /** Reads of chatflows that are under way: runs that begin together share one. */
  readonly #reads = new Map<string, Promise<Chatflow>>();

  constructor(connection: Connection, options: { timeoutMs: number }) {
    this.#connection = connection;
    this.#timeoutMs = options.timeoutMs;
  }

  get hasKey(): boolean {
    return this.#connection.hasKey;
  }

  async list(send: Send, page?: { page: number; limit: number }): Promise<Chatflow[]> {
    const operation = read('list the chatflows', VIEW);
    return chatflowsOf(await this.#json(operation, '/chatflows', send, page && { query: page }), operation);
  }

  async get(id: string, send: Send): Promise<Chatflow> {
    const operation = read('read the chatflow', VIEW, id);
    return chatflowOf(await this.#json(operation, `/chatflows/${segment(id)}`, send), operation);
  }

  /** The chatflow, in one read for all who ask at the same time. */
  getShared(id: string): Promise<Chatflow> {
    const joined = this.#reads.get(id);
    if (joined) return joined;
    const begun = this.get(id, { signal: NEVER });
    this.#reads.set(id, begun);
    const done = () => {
      if (this.#reads.get(id) === begun) this.#reads.delete(id);
    };
    begun.then(done, done);
    return begun;
  }

  async create(fields: ChatflowFields, send: Send): Promise<Chatflow> {
    const operation = change('create the chatflow', CREATE);
    return chatflowOf(await this.#json(operation, '/chatflows', send, { method: 'POST', body: fields }), operation);
  }

  async update(id: string, fields: ChatflowFields, send: Send): Promise<Chatflow> {
    const operation = change('change the chatflow', UPDATE, id);
    const reply = await this.#changed(operation, `/chatflows/${segment(id)}`, send, { method: 'PUT', body: fields });
    return chatflowOf(reply, operation);
  }

  async delete(id: string, send: Send): Promise<void> {
    const operation = change('delete the chatflow', DELETE, id);
    const reply = await this.#changed(operation, `/chatflows/${segment(id)}`, send, { method: 'DELETE' });
    if (reply === null || typeof reply !== 'object') throw unreadable(operation);
  }

  /** What Flowise itself finds wrong with a saved flow. */
  async validation(id: string, send: Send): Promise<FlowiseIssue[]> {
    return this.#rows(issue, read('check the chatflow', VIEW, id), `/validation/${segment(id)}`, send);
  }

  async isStreamable(id: string, send: Send): Promise<boolean> {
    const reply = await this.#json(read('read the chatflow', VIEW, id), `/chatflows-streaming/${segment(id)}`, send);
    return anything.parse(reply)['isStreaming'] === true;
  }

  async acceptedUploads(id: string, send: Send): Promise<AcceptedUploads> {
    const operation = read('say which files the chatflow takes', [], id);
    const reply = anything.parse(await this.#json(operation, `/chatflows-uploads/${segment(id)}`, send));
    return {
      images: reply['isImageUploadAllowed'] === true,
      documents: reply['isRAGFileUploadAllowed'] === true,
      speech: reply['isSpeechToTextEnabled'] === true,
    };
  }

  async nodes(send: Send): Promise<unknown[]> {
    return this.#rows(z.unknown(), read('read the node definitions'), '/nodes', send);
  }

  async credentials(send: Send): Promise<Credential[]> {
    return this.#rows(credential, read('list the credentials', ['credentials:view']), '/credentials', send);
  }

  /** Starts a run. The reply is JSON or, when streaming was asked for, a stream of events. */
  async predict(operation: Operation, id: string, body: object, send: Required<Send>): Promise<OpenReply> {
    return this.#connection.open({ ...send, operation, method: 'POST', path: `/prediction/${segment(id)}`, body });
  }

  /** Asks Flowise to stop a run; it answers the same when there is none. */
  async abort(id: string, chatId: string, send: Send): Promise<void> {
    await this.#json(change('stop the run', [], id), `/chatmessage/abort/${segment(id)}/${segment(chatId)}`, send, { method: 'PUT' });
  }

  async messages(id: string, chatId: string, send: Send): Promise<ChatMessage[]> {
    return this.#rows(chatMessage, read('read the chat', [], id), `/chatmessage/${segment(id)}`, send, { query: { chatId } });
  }

  /** The latest saved run of an agentflow in a session. */
  async execution(id: string, sessionId: string, send: Send): Promise<Execution | undefined> {
    const query = { agentflowId: id, sessionId, page: 1, limit: 1 };
    const reply = await this.#json(read('read the run', ['executions:view']), '/executions', send, { query });
    return z.object({ data: z.array(execution) }).safeParse(reply).data?.data[0];
  }

  /** Whatever the generator answered: its failures have status 200 too. */
  async generate(question: string, selectedChatModel: ChatModelChoice, send: Required<Send>): Promise<unknown> {
    const content: Content = { method: 'POST', body: { question, selectedChatModel } };
    return this.#json(change('generate an agentflow'), '/agentflowv2-generator/generate', send, content);
  }

  async version(send: Send): Promise<string> {
    const operation = read('say its version');
    const { version } = anything.parse(await this.#json(operation, '/version', send));
    if (typeof version !== 'string') throw unreadable(operation);
    return version;
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #rows<Row>(row: z.ZodType<Row>, operation: Operation, path: string, send: Send, content?: Content): Promise<Row[]> {
    const rows = z.array(row).safeParse(await this.#json(operation, path, send, content));
    if (!rows.success) throw unreadable(operation);
    return rows.data;
  }

  /** After a change, nobody joins a read that began before it. */
  #changed(operation: Operation, path: string, send: Send, content: Content): Promise<unknown> {
    return this.#json(operation, path, send, content).finally(() => this.#reads.clear());
  }

  #json(operation: Operation, path: string, { signal, timeoutMs = this.#timeoutMs }: Send, content?: Content): Promise<unknown> {
    return this.#connection.json({ method: 'GET', ...content, operation, path, signal, timeoutMs });
  }
}

/** One caller cannot cancel what several wait for. */
const NEVER = new AbortController().signal;

function read(does: string, permissions: readonly string[] = [], chatflowId?: string): Operation {
  return { does, permissions, kind: 'read', ...(chatflowId !== undefined && { chatflowId }) };
}

function change(does: string, permissions: readonly string[] = [], chatflowId?: string): Operation {
  return { ...read(does, permissions, chatflowId), kind: 'change' };
}
