import { segment } from './address.ts';
import { type Chatflow, type ChatflowFields, chatflowOf, chatflowsOf } from './chatflow.ts';
import type { Connection, OpenReply, Request } from './connection.ts';
import { type Operation, unreadable } from './refusals.ts';
import { SharedReads } from './shared-reads.ts';

const VIEW = ['chatflows:view', 'agentflows:view'];
const CREATE = ['chatflows:create', 'agentflows:create'];
const UPDATE = ['chatflows:update', 'agentflows:update'];
const DELETE = ['chatflows:delete', 'agentflows:delete'];

export interface Credential {
  id: string;
  name: string;
  credentialName: string;
}

/** One thing that Flowise's own check says about a node. */
export interface FlowiseIssue {
  id: string;
  label: string;
  issues: string[];
}

export interface ChatMessage {
  id: string;
  role: string;
  content: string;
  createdDate: string | undefined;
}

/** A saved run of an agentflow. */
export interface Execution {
  id: string;
  state: string;
  /** JSON of the nodes that ran. */
  executionData: string;
}

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

/** Flowise's API, a method a route. Replies are checked for what is read of them and nothing else. */
export class Flowise {
  readonly #connection: Connection;
  readonly #timeoutMs: number;
  readonly #reads = new SharedReads();

  constructor(connection: Connection, options: { timeoutMs: number }) {
    this.#connection = connection;
    this.#timeoutMs = options.timeoutMs;
  }

  get hasKey(): boolean {
    return this.#connection.hasKey;
  }

  async list(send: Send, page?: { page: number; limit: number }): Promise<Chatflow[]> {
    const operation = { does: 'list the chatflows', permissions: VIEW, kind: 'read' } satisfies Operation;
    const reply = await this.#json({
      ...this.#within(send),
      operation,
      method: 'GET',
      path: '/chatflows',
      ...(page && { query: { ...page } }),
    });
    return chatflowsOf(reply, operation);
  }

  async get(id: string, send: Send): Promise<Chatflow> {
    const operation = { does: 'read the chatflow', permissions: VIEW, kind: 'read', chatflowId: id } satisfies Operation;
    return chatflowOf(await this.#json({ ...this.#within(send), operation, method: 'GET', path: `/chatflows/${segment(id)}` }), operation);
  }

  /** The chatflow, in one read for all who ask at the same time. */
  async getShared(id: string): Promise<Chatflow> {
    return this.#reads.get(id, () => this.get(id, { signal: NEVER }));
  }

  async create(fields: ChatflowFields, send: Send): Promise<Chatflow> {
    const operation = { does: 'create the chatflow', permissions: CREATE, kind: 'change' } satisfies Operation;
    return chatflowOf(await this.#json({ ...this.#within(send), operation, method: 'POST', path: '/chatflows', body: fields }), operation);
  }

  async update(id: string, fields: ChatflowFields, send: Send): Promise<Chatflow> {
    const operation = { does: 'change the chatflow', permissions: UPDATE, kind: 'change', chatflowId: id } satisfies Operation;
    const path = `/chatflows/${segment(id)}`;
    try {
      return chatflowOf(await this.#json({ ...this.#within(send), operation, method: 'PUT', path, body: fields }), operation);
    } finally {
      this.#reads.forget();
    }
  }

  async delete(id: string, send: Send): Promise<void> {
    const operation = { does: 'delete the chatflow', permissions: DELETE, kind: 'change', chatflowId: id } satisfies Operation;
    try {
      const reply = await this.#json({ ...this.#within(send), operation, method: 'DELETE', path: `/chatflows/${segment(id)}` });
      if (reply === null || typeof reply !== 'object') throw unreadable(operation);
    } finally {
      this.#reads.forget();
    }
  }

  /** What Flowise itself finds wrong with a saved flow. */
  async validation(id: string, send: Send): Promise<FlowiseIssue[]> {
    const operation = { does: 'check the chatflow', permissions: VIEW, kind: 'read', chatflowId: id } satisfies Operation;
    const reply = await this.#json({ ...this.#within(send), operation, method: 'GET', path: `/validation/${segment(id)}` });
    if (!Array.isArray(reply)) throw unreadable(operation);
    return reply.map((row: Record<string, unknown>) => ({
      id: textOf(row?.['id']),
      label: textOf(row?.['label']),
      issues: Array.isArray(row?.['issues']) ? row['issues'].map(textOf) : [],
    }));
  }

  async isStreamable(id: string, send: Send): Promise<boolean> {
    const operation = { does: 'read the chatflow', permissions: VIEW, kind: 'read', chatflowId: id } satisfies Operation;
    const path = `/chatflows-streaming/${segment(id)}`;
    const reply = await this.#json({ ...this.#within(send), operation, method: 'GET', path });
    return (reply as { isStreaming?: unknown } | null)?.isStreaming === true;
  }

  async acceptedUploads(id: string, send: Send): Promise<AcceptedUploads> {
    const operation = { does: 'say which files the chatflow takes', permissions: [], kind: 'read', chatflowId: id } satisfies Operation;
    const path = `/chatflows-uploads/${segment(id)}`;
    const reply = (await this.#json({ ...this.#within(send), operation, method: 'GET', path })) as Record<string, unknown> | null;
    return {
      images: reply?.['isImageUploadAllowed'] === true,
      documents: reply?.['isRAGFileUploadAllowed'] === true,
      speech: reply?.['isSpeechToTextEnabled'] === true,
    };
  }

  async nodes(send: Send): Promise<unknown[]> {
    const operation = { does: 'read the node definitions', permissions: [], kind: 'read' } satisfies Operation;
    const reply = await this.#json({ ...this.#within(send), operation, method: 'GET', path: '/nodes' });
    if (!Array.isArray(reply)) throw unreadable(operation);
    return reply;
  }

  async credentials(send: Send): Promise<Credential[]> {
    const operation = { does: 'list the credentials', permissions: ['credentials:view'], kind: 'read' } satisfies Operation;
    const reply = await this.#json({ ...this.#within(send), operation, method: 'GET', path: '/credentials' });
    if (!Array.isArray(reply)) throw unreadable(operation);
    return reply.map((row: Record<string, unknown>) => ({
      id: textOf(row?.['id']),
      name: textOf(row?.['name']),
      credentialName: textOf(row?.['credentialName']),
    }));
  }

  /** Starts a run. The reply is JSON or, when streaming was asked for, a stream of events. */
  async predict(operation: Operation, id: string, body: object, send: Required<Send>): Promise<OpenReply> {
    return this.#connection.open({ ...send, operation, method: 'POST', path: `/prediction/${segment(id)}`, body });
  }

  /** Asks Flowise to stop a run; it answers the same when there is none. */
  async abort(id: string, chatId: string, send: Send): Promise<void> {
    const operation = { does: 'stop the run', permissions: [], kind: 'change', chatflowId: id } satisfies Operation;
    await this.#json({ ...this.#within(send), operation, method: 'PUT', path: `/chatmessage/abort/${segment(id)}/${segment(chatId)}` });
  }

  async messages(id: string, chatId: string, send: Send): Promise<ChatMessage[]> {
    const operation = { does: 'read the chat', permissions: [], kind: 'read', chatflowId: id } satisfies Operation;
    const path = `/chatmessage/${segment(id)}`;
    const reply = await this.#json({ ...this.#within(send), operation, method: 'GET', path, query: { chatId } });
    if (!Array.isArray(reply)) throw unreadable(operation);
    return reply.map((row: Record<string, unknown>) => ({
      id: textOf(row?.['id']),
      role: textOf(row?.['role']),
      content: textOf(row?.['content']),
      createdDate: typeof row?.['createdDate'] === 'string' ? row['createdDate'] : undefined,
    }));
  }

  /** The latest saved run of an agentflow in a session. */
  async execution(id: string, sessionId: string, send: Send): Promise<Execution | undefined> {
    const operation = { does: 'read the run', permissions: ['executions:view'], kind: 'read' } satisfies Operation;
    const query = { agentflowId: id, sessionId, page: 1, limit: 1 };
    const reply = await this.#json({ ...this.#within(send), operation, method: 'GET', path: '/executions', query });
    const row = (reply as { data?: Record<string, unknown>[] } | null)?.data?.[0];
    return row && { id: textOf(row['id']), state: textOf(row['state']), executionData: textOf(row['executionData']) };
  }

  /** Whatever the generator answered: also its failures come with status 200. */
  async generate(question: string, selectedChatModel: ChatModelChoice, send: Required<Send>): Promise<unknown> {
    const operation = { does: 'generate an agentflow', permissions: [], kind: 'change' } satisfies Operation;
    const body = { question, selectedChatModel };
    return this.#json({ ...send, operation, method: 'POST', path: '/agentflowv2-generator/generate', body });
  }

  async version(send: Send): Promise<string> {
    const operation = { does: 'say its version', permissions: [], kind: 'read' } satisfies Operation;
    const reply = await this.#json({ ...this.#within(send), operation, method: 'GET', path: '/version' });
    const version = (reply as { version?: unknown } | null)?.version;
    if (typeof version !== 'string') throw unreadable(operation);
    return version;
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  #json(request: Request): Promise<unknown> {
    return this.#connection.json(request);
  }

  #within({ signal, timeoutMs }: Send): Pick<Request, 'signal' | 'timeoutMs'> {
    return { signal, timeoutMs: timeoutMs ?? this.#timeoutMs };
  }
}

/** What several calls wait for is not ended by one of them. */
const NEVER = new AbortController().signal;

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
