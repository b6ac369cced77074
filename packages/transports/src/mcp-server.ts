import type { AskedAnswer, Catalog, Credentials, Entry, Origin, Progress, Question, Reply } from '@millrace/kernel';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  inputRequired,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type ServerNotifier,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import { readResource, resourceTemplates, suggest, toolPages } from './resources.ts';

export interface ServerIdentity {
  name: string;
  title: string;
  version: string;
  instructions: string;
}

export interface McpServerOptions {
  catalog: Catalog;
  about: ServerIdentity;
  requestStates: RequestStates;
  /** Called with every server made, so that a test can add what the product does not have. */
  extend?: (server: CatalogServer, notifier?: ServerNotifier) => void;
}

/** A person may take this long to answer while an old client's call stays open. */
const ANSWER_TIMEOUT_MS = 10 * 60_000;
const LIST_CACHE_MS = 60_000;
const FIRST_ANY_ROOT = '2026-07-28';

/** One MCP server for one connection, session or request: thin, since the catalog does the work. */
export class CatalogServer extends McpServer {
  readonly #options: McpServerOptions;
  readonly #credentials: Credentials;

  constructor(options: McpServerOptions, credentials: Credentials, notifier?: ServerNotifier) {
    const { name, title, version, instructions } = options.about;
    super({ name, title, version }, { ...SERVER_OPTIONS, instructions });
    this.#options = options;
    this.#credentials = credentials;
    const { server } = this;
    server.setRequestHandler('tools/list', () => ({ tools: this.listed() }));
    server.setRequestHandler('tools/call', (request, context) => this.call(request.params.name, request.params.arguments, context));
    server.setRequestHandler('resources/list', () => ({ resources: toolPages(options.catalog) }));
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates }));
    server.setRequestHandler('resources/read', (request) => readResource(options.catalog, request.params.uri));
    server.setRequestHandler('completion/complete', (request) => suggest(options.catalog, request.params));
    options.extend?.(this, notifier);
  }

  /** The SDK checks headers against a tool's schema through this. */
  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return this.#options.catalog.find(name)?.inputSchema ?? super.toolInputSchemaJson(name);
  }

  listed() {
    return advertised(this.#options.catalog, this.#takesAnyRoot() ? 'bare' : 'object');
  }

  async call(name: string, parameters: unknown, context: ServerContext) {
    const { catalog } = this.#options;
    const entry = catalog.find(name);
    const reply = await catalog.call(name, parameters, await this.#origin(name, context));
    if (!entry) throw new ProtocolError(ProtocolErrorCode.InvalidParams, reply.failure?.message ?? `Unknown tool ${name}`);
    if (reply.question && this.#canAsk(context)) return this.#ask(reply.question, name);
    return this.server.projectCallToolResult(toolResult(reply, entry), entry.outputSchema);
  }

  /** From 2026-07-28 on an output schema may have any root. */
  #takesAnyRoot(): boolean {
    return (this.server.getNegotiatedProtocolVersion() ?? '') >= FIRST_ANY_ROOT;
  }

  async #origin(tool: string, context: ServerContext): Promise<Origin> {
    const { signal, requestState, inputResponses, _meta: meta } = context.mcpReq;
    const state = requestState<string>();
    const token = meta?.progressToken;
    return {
      credentials: this.#credentials,
      canAsk: this.#canAsk(context),
      signal,
      ...(token !== undefined && { progress: progressTo(context, token) }),
      ...(state !== undefined && { pendingId: await this.#options.requestStates.open(state, tool, this.#credentials) }),
      ...(inputResponses && { answers: answersOf(inputResponses) }),
    };
  }

  #canAsk(context: ServerContext): boolean {
    const envelope = context.mcpReq.envelope as Record<string, unknown> | undefined;
    const declared = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? this.server.getClientCapabilities()) as ClientCapabilities | undefined;
    const elicitation = declared?.elicitation;
    return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  }

  async #ask({ question, pendingId }: { question: Question; pendingId: string }, tool: string) {
    return inputRequired({
      inputRequests: { [question.id]: inputRequired.elicit({ message: question.text, requestedSchema: question.schema as never }) },
      requestState: await this.#options.requestStates.seal(pendingId, tool, this.#credentials),
    });
  }
}

const SERVER_OPTIONS: ServerOptions = {
  capabilities: { tools: {}, resources: {}, completions: {} },
  cacheHints: {
    'tools/list': { ttlMs: LIST_CACHE_MS, cacheScope: 'private' },
    'resources/list': { ttlMs: LIST_CACHE_MS, cacheScope: 'private' },
    'resources/templates/list': { ttlMs: LIST_CACHE_MS, cacheScope: 'private' },
    'resources/read': { ttlMs: 0, cacheScope: 'private' },
  },
  inputRequired: { maxRounds: 50, roundTimeoutMs: ANSWER_TIMEOUT_MS },
  // Answers are checked by the tool's own schema, so the SDK's validator, which is costly to make, has nothing to do.
  jsonSchemaValidator: { getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }) },
};

interface AdvertisedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  outputSchema: { type: 'object'; [key: string]: unknown };
  annotations: Omit<Entry['tool']['annotations'], 'title'>;
}

type Era = 'object' | 'bare';

const lists: Record<Era, WeakMap<Catalog, AdvertisedTool[]>> = { object: new WeakMap(), bare: new WeakMap() };

/** The tools as they are listed: made once for a catalog, which never changes. */
function advertised(catalog: Catalog, root: Era): AdvertisedTool[] {
  let list = lists[root].get(catalog);
  if (!list) {
    list = catalog.entries().map((entry) => {
      const { title, ...hints } = entry.tool.annotations;
      return {
        name: entry.tool.name,
        title,
        description: entry.tool.description,
        inputSchema: entry.inputSchema as AdvertisedTool['inputSchema'],
        outputSchema: (root === 'bare' ? entry.bareOutputSchema : entry.outputSchema) as AdvertisedTool['outputSchema'],
        annotations: hints,
      };
    });
    lists[root].set(catalog, list);
  }
  return list;
}

function toolResult(reply: Reply, entry: Entry): CallToolResult {
  const content = reply.content ?? [{ type: 'text', text: reply.text }];
  return {
    content: content as CallToolResult['content'],
    ...(entry.outputSchema && { structuredContent: reply.structured as Record<string, unknown> }),
    ...(reply.isError && { isError: true }),
  };
}

function progressTo(context: ServerContext, progressToken: string | number): Progress {
  let last = -1;
  return (done, total, message) => {
    if (done <= last) return;
    last = done;
    const params = { progressToken, progress: done, ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
    context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

function answersOf(responses: Record<string, unknown>): Record<string, AskedAnswer> {
  const answers: Record<string, AskedAnswer> = {};
  for (const [id, response] of Object.entries(responses)) {
    const { action, content } = (response ?? {}) as { action?: string; content?: Record<string, unknown> };
    answers[id] = action === 'accept' ? { action, value: content ?? {} } : { action: action === 'decline' ? 'decline' : 'cancel' };
  }
  return answers;
}

interface SealedState {
  pending: string;
  tool: string;
  user: string;
}

export interface RequestStates {
  seal(pendingId: string, tool: string, credentials: Credentials): Promise<string>;
  /** The pending id, or a protocol error when the state is forged, expired, or another user's or tool's. */
  open(state: string, tool: string, credentials: Credentials): Promise<string>;
}

/** What travels through the client between two rounds: only a signed id, bound to the user and the tool. */
export function requestStates(key: () => Promise<Uint8Array>, ttlSeconds: number): RequestStates {
  let codec: Promise<ReturnType<typeof createRequestStateCodec<SealedState>>> | undefined;
  const ready = () => {
    codec ??= key().then((bytes) => createRequestStateCodec<SealedState>({ key: bytes, ttlSeconds }));
    return codec;
  };
  return {
    async seal(pending, tool, credentials) {
      return (await ready()).mint({ pending, tool, user: userOf(credentials) });
    },
    async open(state, tool, credentials) {
      const sealed = await (await ready()).verify(state, {} as never).catch(() => undefined);
      if (sealed?.tool !== tool || sealed.user !== userOf(credentials)) {
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', { reason: 'invalid_request_state' });
      }
      return sealed.pending;
    },
  };
}

function userOf(credentials: Credentials): string {
  return credentials.kind === 'identified' ? credentials.user.id : credentials.kind;
}
