import { randomUUID } from 'node:crypto';
import type { Call, Origin } from './call.ts';
import { argumentsHash, Dialogue, QuestionRaised } from './dialogue.ts';
import { type AdvertisedSchemas, Entry, finders, namedIn, toolContext } from './entry.ts';
import { Failure, systemFailure, withCommandOf } from './failure.ts';
import { Jobs } from './jobs.ts';
import { nearest } from './nearest.ts';
import { type Invocation, identified, type Outcome, pipeline } from './pipeline.ts';
import type { AuditLog, Clock, Closed, Identity, JobJournal, Limiter, Log, PendingCalls, Progress, Question, User } from './ports.ts';
import { authorize, identify, limit } from './steps/admission.ts';
import { audit } from './steps/audit.ts';
import { deadline } from './steps/deadline.ts';
import { validate } from './steps/validate.ts';
import { presented, type Tool } from './tool.ts';
import type { Context, Resource, Toolset } from './toolset.ts';
import type { Reply } from './wire.ts';

export interface CatalogPorts {
  clock: Clock;
  log: Log;
  auditLog: AuditLog;
  identity: Identity;
  limiter: Limiter;
  pendingCalls: PendingCalls;
  jobs: JobJournal;
  /** The reply when no toolset's wire can answer. */
  unknownTool(failure: Failure): Reply;
  /** What people type to start this program. */
  program?: string;
  /** By the name of the tool. */
  advertised?: ReadonlyMap<string, AdvertisedSchemas>;
}

/** Which of the toolsets' tools this server offers. Exclusions win over inclusions, read-only over both. */
export interface Selection {
  tools?: readonly string[] | undefined;
  excludeTools?: readonly string[];
  readOnly?: boolean;
  publishedOnly?: boolean;
}

/** On a first start, indexing may still be running: do not wait long to choose tools. */
const FINDING_MS = 3_000;
const NO_PROGRESS: Progress = () => {};
const NEVER_ABORTED = new AbortController().signal;
/** How long a closing server waits for running calls before it stops them. */
const CLOSING_MS = 800;

/** All tools of all enabled toolsets, and the one way to call them. */
export class Catalog {
  readonly toolsets: readonly Toolset[];
  /** What people type to start this program. */
  readonly program: string;
  readonly #entries = new Map<string, Entry>();
  readonly #ports: CatalogPorts;
  readonly #jobs: Jobs;
  readonly #stop = new AbortController();
  #inFlight = new Map<Promise<Reply>, string>();
  #closed: Promise<Closed> | undefined;

  constructor(toolsets: readonly Toolset[], selection: Selection, ports: CatalogPorts) {
    this.toolsets = toolsets;
    this.program = ports.program ?? 'millrace';
    this.#ports = ports;
    this.#jobs = new Jobs({ journal: ports.jobs, clock: ports.clock, log: ports.log });
    const admission = [
      audit(ports.auditLog, ports.clock, ports.log),
      identify(ports.identity),
      authorize({ readOnly: selection.readOnly ?? false }),
    ];
    const handling = [limit(ports.limiter), validate, deadline(this.#stop.signal)];
    for (const toolset of toolsets) {
      const steps = [...admission, ...(toolset.guards ?? []), ...handling, ...(toolset.steps ?? [])];
      const run = pipeline(steps, (invocation) => this.#core(invocation));
      for (const tool of toolset.tools) {
        if (this.#entries.has(tool.name)) throw new Error(`two tools are named ${tool.name}`);
        if (isSelected(tool, selection)) this.#entries.set(tool.name, new Entry(tool, toolset, run, ports.advertised?.get(tool.name)));
      }
    }
  }

  /** In a fixed order: by toolset as configured, then as the toolset lists them. */
  entries(): Entry[] {
    return [...this.#entries.values()];
  }

  find(name: string): Entry | undefined {
    return this.#entries.get(name);
  }

  resources(): Resource[] {
    return this.toolsets.flatMap((toolset) => toolset.resources ?? []);
  }

  /** What a request can find: every tool, and what the toolsets publish beyond them. */
  async contexts(): Promise<Context[]> {
    const published = await Promise.all(this.toolsets.map((toolset) => this.#publishedBy(toolset)));
    return [...this.entries().map(toolContext), ...published.flat()];
  }

  /** A toolset whose server is unreachable must not hide the contexts of the others. */
  async #publishedBy(toolset: Toolset): Promise<Context[]> {
    try {
      return (await toolset.contexts?.()) ?? [];
    } catch (error) {
      const level = error instanceof Failure ? 'warn' : 'error';
      this.#ports.log[level]({ err: error, toolset: toolset.name }, "could not list a toolset's contexts");
      return [];
    }
  }

  /** The tools that a request may need; all tools if no toolset can tell in time. */
  async toolsFor(request: string, signal: AbortSignal): Promise<Entry[]> {
    const entries = this.entries();
    const found = await this.#foundTools(request, signal);
    if (!found) return entries;
    const wanted = new Set([...found, ...namedIn(request, entries).map(({ tool }) => tool.name)]);
    const toolsets = new Set(entries.filter(({ tool }) => wanted.has(tool.name)).map(({ toolset }) => toolset));
    for (const { tool } of finders(entries.filter(({ toolset }) => toolsets.has(toolset)))) wanted.add(tool.name);
    return entries.filter(({ tool }) => wanted.has(tool.name));
  }

  async #foundTools(request: string, signal: AbortSignal): Promise<string[] | undefined> {
    const late = AbortSignal.timeout(FINDING_MS);
    try {
      return await this.toolsets.find(({ findTools }) => findTools)?.findTools?.(request, AbortSignal.any([signal, late]));
    } catch (error) {
      signal.throwIfAborted();
      if (!late.aborted) this.#ports.log.warn({ err: error }, 'could not choose the tools for a request');
      return undefined;
    }
  }

  call(name: string, parameters: unknown, origin: Origin): Promise<Reply> {
    const reply = this.#call(name, parameters, origin);
    this.#inFlight.set(reply, name);
    const done = () => this.#inFlight.delete(reply);
    reply.then(done, done);
    return reply;
  }

  async #call(name: string, parameters: unknown, origin: Origin): Promise<Reply> {
    const entry = this.#entries.get(name);
    if (!entry) return this.#unknownTool(name, parameters, origin);
    const { tool, toolset } = entry;
    const started = performance.now();
    const invocation: Invocation = {
      id: randomUUID(),
      tool,
      toolset,
      inputSchema: () => entry.inputSchema,
      parameters,
      origin,
      startedAt: this.#ports.clock.now(),
      signal: origin.signal ?? NEVER_ABORTED,
      user: undefined,
      input: undefined,
    };
    const wireCall = () => ({ id: invocation.id, parameters, durationMs: performance.now() - started });
    try {
      const outcome = await entry.run(invocation);
      if (outcome.kind === 'result') {
        return toolset.wire.success(tool, presented(tool, outcome.value, { input: invocation.input, services: toolset.services }), {
          ...wireCall(),
          notes: outcome.notes,
        });
      }
      const { question, pendingId } = outcome;
      return { ...toolset.wire.failure(tool, answerNeeded(question), wireCall()), isError: false, question: { question, pendingId } };
    } catch (error) {
      return toolset.wire.failure(tool, this.#failure(error, invocation), wireCall());
    }
  }

  /** The innermost layer: the handler, with its questions and its journal. */
  async #core(invocation: Invocation): Promise<Outcome> {
    const { tool } = invocation;
    if (!tool.asks) return { kind: 'result', value: await this.#handle(invocation, undefined) };
    const { origin } = invocation;
    const { answer: _answer, ...given } = (invocation.parameters ?? {}) as Record<string, unknown>;
    const dialogue = await Dialogue.open({
      pendingCalls: this.#ports.pendingCalls,
      key: {
        userId: identified(invocation).id,
        tool: tool.name,
        argumentsHash: argumentsHash(given),
        ...(origin.pendingId !== undefined && { id: origin.pendingId }),
      },
      answers: origin.answers ?? {},
    });
    try {
      if (dialogue.finished) return { kind: 'result', value: dialogue.finished.value };
      const value = await this.#handle(invocation, dialogue);
      await dialogue.complete(value);
      return { kind: 'result', value };
    } catch (error) {
      if (error instanceof QuestionRaised) return { kind: 'question', question: error.question, pendingId: error.pendingId };
      throw error;
    } finally {
      await dialogue.release();
    }
  }

  async #handle(invocation: Invocation, dialogue: Dialogue | undefined): Promise<unknown> {
    const { tool, input } = invocation;
    const user = identified(invocation);
    const progress = invocation.origin.progress ?? NO_PROGRESS;
    if (!tool.job) return tool.run(input, this.#callOf(invocation, dialogue, invocation.signal, progress));
    const outcome = await this.#jobs.run({
      tool: tool.name,
      key: tool.job.key(input),
      userId: user.id,
      signal: invocation.signal,
      progress,
      work: async (signal, report) => tool.run(input, this.#callOf(invocation, dialogue, signal, report)),
    });
    return outcome.finished ? outcome.value : tool.job.pending(outcome.job);
  }

  #callOf(invocation: Invocation, dialogue: Dialogue | undefined, signal: AbortSignal, progress: Progress): Call<unknown> {
    const user = identified(invocation);
    const { tool, origin } = invocation;
    const undeclared = () => {
      throw new Error(`${tool.name} uses ask() or once() without declaring asks: true`);
    };
    return {
      id: invocation.id,
      services: invocation.toolset.services,
      user,
      signal,
      progress,
      log: this.#ports.log,
      canAsk: dialogue !== undefined && (origin.canAsk ?? false),
      ask: dialogue ? (text, schema) => dialogue.ask(text, schema) : undeclared,
      once: dialogue ? (key, effect) => dialogue.once(key, effect) : undeclared,
      callTool: (name, parameters, options) =>
        this.call(name, parameters, {
          credentials: origin.credentials,
          onBehalfOf: user,
          parentId: invocation.id,
          signal: options?.signal ?? signal,
          ...messageOf(options?.messageId ?? origin.messageId),
        }),
    };
  }

  /** Expected errors are Failures; only the log gets their cause. Anything else is a bug, logged under the call's id. */
  #failure(error: unknown, { id, tool }: Invocation): Failure {
    const { log } = this.#ports;
    const known = systemFailure(error) ?? error;
    if (known instanceof Failure && known.code !== 'internal') {
      if (known.cause !== undefined) log.warn({ err: known, id, tool: tool.name, code: known.code }, 'a call failed');
      return withCommandOf(this.program, known);
    }
    log.error({ err: error, id, tool: tool.name, code: 'internal' }, 'a call failed unexpectedly');
    return new Failure('internal', 'Internal error', {
      details: { id },
      fix: { instruction: `If it happens again, look for ${id} in the log of the server` },
      cause: error,
    });
  }

  async #unknownTool(name: string, parameters: unknown, origin: Origin): Promise<Reply> {
    const close = nearest(name, this.#entries.keys());
    const failure = new Failure('unknown_tool', `There is no tool named "${name.slice(0, 100)}"`, {
      details: { nearest: close },
      fix: { instruction: close.length > 0 ? `Did you mean ${close.join(' or ')}?` : 'List the tools to see what there is' },
    });
    const at = this.#ports.clock.now();
    const user = origin.onBehalfOf ?? (await this.#identified(origin));
    await this.#ports.auditLog.record({
      id: randomUUID(),
      userId: user?.id ?? null,
      messageId: origin.messageId ?? null,
      parentId: origin.parentId ?? null,
      tool: name.slice(0, 100),
      parameters,
      result: { error: failure.message },
      status: 'failure',
      errorCode: failure.code,
      durationMs: 0,
      at,
    });
    return this.#ports.unknownTool(failure);
  }

  async #identified({ credentials }: Origin): Promise<User | undefined> {
    try {
      return await this.#ports.identity.identify(credentials);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return undefined;
    }
  }

  /** Gives running calls a moment to finish, then stops them, all jobs and all toolsets. */
  close(): Promise<Closed> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<Closed> {
    const patience = setTimeout(() => this.#stop.abort(), CLOSING_MS);
    const brokenOff: string[] = [];
    const ends = [...this.#inFlight].map(async ([reply, tool]) => {
      if ((await reply).failure?.code === 'cancelled') brokenOff.push(tool);
    });
    await Promise.allSettled(ends);
    clearTimeout(patience);
    this.#stop.abort();
    if (brokenOff.length > 0) this.#ports.log.warn({ tools: brokenOff }, 'stopped running calls: the server is shutting down');
    const jobs = await this.#jobs.close();
    await Promise.all(this.toolsets.map((toolset) => this.#closeToolset(toolset)));
    return { brokenOff: brokenOff.length > 0 || jobs.brokenOff };
  }

  /** One that fails to close must not keep the others open. */
  async #closeToolset(toolset: Toolset): Promise<void> {
    try {
      await toolset.close?.();
    } catch (error) {
      this.#ports.log.error({ err: error, toolset: toolset.name }, 'could not close a toolset');
    }
  }
}

function messageOf(messageId: string | undefined): Pick<Origin, 'messageId'> {
  return messageId === undefined ? {} : { messageId };
}

function isSelected(tool: Tool, selection: Selection): boolean {
  if (selection.readOnly && tool.access === 'write') return false;
  if (selection.excludeTools?.includes(tool.name)) return false;
  if (selection.publishedOnly && tool.extra) return false;
  return !selection.tools || selection.tools.includes(tool.name);
}

function answerNeeded(question: Question): Failure {
  return new Failure('answer_needed', `An answer is needed first: ${question.text}`, {
    details: { question_id: question.id, question: question.text, schema: question.schema },
    fix: {
      instruction: 'Ask the person, then call the tool again with the same arguments and answer {question_id, value}',
      example: { answer: { question_id: question.id, value: {} } },
    },
  });
}
