import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Agent, ToolCallSummary, TurnEvent, TurnResult } from '@millrace/agent';
import { Failure, type User } from '@millrace/kernel';
import { conversationalReply } from './agent-reply.ts';

export interface ChatStreams {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream & { isTTY?: boolean };
}

export interface ChatOptions extends ChatStreams {
  agent: Agent;
  user: User;
  conversation: string | undefined;
  /** Ends the conversation. */
  signal: AbortSignal;
  /** Shown at the start: which model answers. */
  model: string;
}

const PROMPT = '› ';
const REMEMBERED_LINES = 200;
const SHOWN_MESSAGES = 6;
const HELP = `Just type, for example:
  add buy milk · what's due today? · mark the first one as done · undo
  /new             a new conversation
  /conversations   earlier ones
  /open <number>   continue one of them
  /calls           the tool calls of the last answer, in full
  /retry           try the last message again
  /quit            quit (or Ctrl-D)
Ctrl-C stops an answer or clears the line.`;

/** Text from others must not move the cursor or colour the screen. */
export function harmless(text: string): string {
  return text
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/\p{Cc}/gu, (character) => (character === '\n' || character === '\t' ? character : ''));
}

/** A conversation in the terminal. */
export class ChatTerminal {
  readonly #options: ChatOptions;
  readonly #lines: Interface;
  readonly #interactive: boolean;
  readonly #waiting: { line: string; unseen: boolean }[] = [];
  #conversation: string | undefined;
  #running: AbortController | undefined;
  #lastCalls: ToolCallSummary[] = [];
  #listed: string[] = [];
  #column = 0;
  #leaving = false;
  #aboutToLeave = false;
  /** Consecutive calls of the same tool are shown as one line. */
  #folded: { label: string; count: number } | undefined;
  #failed = false;

  private constructor(options: ChatOptions, history: string[]) {
    this.#options = options;
    this.#conversation = options.conversation;
    this.#interactive = Boolean(options.input.isTTY && options.output.isTTY);
    this.#lines = createInterface({
      input: options.input,
      output: this.#interactive ? this.#quietWhileAnswering() : undefined,
      prompt: PROMPT,
      history,
      historySize: REMEMBERED_LINES,
      removeHistoryDuplicates: true,
      terminal: this.#interactive,
    } as Parameters<typeof createInterface>[0]);
  }

  /** Runs until the person quits; returns the exit code. */
  static async run(options: ChatOptions): Promise<number> {
    const history = await options.agent.lastSaid(options.user, REMEMBERED_LINES);
    const terminal = new ChatTerminal(
      options,
      history.map((line) => line.replaceAll(/\s+/g, ' ')),
    );
    return terminal.#run();
  }

  async #run(): Promise<number> {
    const ended = Promise.withResolvers<void>();
    const wake = { next: Promise.withResolvers<void>() };
    this.#lines.on('line', (line) => {
      this.#aboutToLeave = false;
      // Text typed during an answer was not shown at the time.
      this.#waiting.push({ line, unseen: this.#running !== undefined });
      wake.next.resolve();
    });
    this.#lines.on('SIGINT', () => this.#interrupt());
    this.#options.signal.addEventListener('abort', () => this.#end(), { once: true });
    this.#lines.on('close', () => {
      this.#leaving = true;
      wake.next.resolve();
      ended.resolve();
    });
    await this.#greet();
    while (true) {
      const next = this.#waiting.shift();
      if (next) {
        if (next.unseen && this.#interactive && next.line.trim() !== '') this.#line(`${PROMPT}${harmless(next.line)}`);
        await this.#take(next.line);
      } else if (this.#leaving) break;
      else {
        if (this.#interactive) this.#lines.prompt(true);
        wake.next = Promise.withResolvers<void>();
        await wake.next.promise;
      }
    }
    if (this.#interactive) this.#options.output.write('\n');
    return this.#failed && (!this.#interactive || this.#options.signal.aborted) ? 1 : 0;
  }

  async #greet(): Promise<void> {
    if (this.#interactive) this.#line(`Millrace chat (${this.#options.model}). /help lists the commands.`);
    if (this.#conversation !== undefined) await this.#show(this.#conversation);
  }

  /** Shows the line being typed, unless an answer is being written. */
  #quietWhileAnswering(): NodeJS.WritableStream {
    const { output } = this.#options;
    const quiet = new Writable({
      write: (chunk, _encoding, done) => {
        if (this.#running === undefined) output.write(chunk);
        done();
      },
    });
    return Object.defineProperties(Object.assign(quiet, { isTTY: true }), {
      columns: { get: () => (output as { columns?: number }).columns ?? 80 },
      rows: { get: () => (output as { rows?: number }).rows ?? 24 },
    });
  }

  /** The process is asked to stop: cancels the running answer and everything waiting. */
  #end(): void {
    this.#failed ||= this.#running !== undefined || this.#waiting.length > 0;
    this.#waiting.length = 0;
    this.#running?.abort();
    this.#lines.close();
  }

  /** Ctrl-C stops the answer; without one it clears the line, and twice on an empty line it quits. */
  #interrupt(): void {
    if (this.#running) this.#running.abort();
    else if (this.#lines.line === '') {
      if (this.#aboutToLeave) {
        this.#lines.close();
        return;
      }
      this.#aboutToLeave = true;
      this.#options.output.write('\n(Press Ctrl-C again to quit, or type /quit)\n');
      this.#lines.prompt();
    } else {
      this.#lines.write(null, { ctrl: true, name: 'e' });
      this.#lines.write(null, { ctrl: true, name: 'u' });
    }
  }

  async #take(line: string): Promise<void> {
    const text = line.trim();
    if (text === '') return;
    try {
      if (/^(?:exit|quit)$/i.test(text)) this.#lines.close();
      else if (text.startsWith('/')) await this.#command(text);
      else await this.#turn(text);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#failed = true;
      this.#line(`${error.message}.${error.fix ? ` ${error.fix.instruction}.` : ''}`);
    }
  }

  async #command(text: string): Promise<void> {
    const [name, argument] = text.split(/\s+/);
    switch (name) {
      case '/help':
        return this.#line(HELP);
      case '/quit':
      case '/exit':
        return this.#lines.close();
      case '/new':
        this.#conversation = undefined;
        return this.#line('A new conversation.');
      case '/retry':
        return this.#turn(undefined);
      case '/calls':
        return this.#unfold();
      case '/conversations':
        return this.#list();
      case '/open':
        return this.#open(argument ?? '');
      default:
        return this.#line(`Unknown command: ${harmless(text.slice(0, 40))}. /help lists the commands.`);
    }
  }

  async #list(): Promise<void> {
    const { conversations } = await this.#options.agent.conversations(this.#options.user, { limit: 20 });
    this.#listed = conversations.map(({ id }) => id);
    if (conversations.length === 0) return this.#line('There are no earlier conversations.');
    for (const [index, { title, updatedAt }] of conversations.entries()) {
      this.#line(`${String(index + 1).padStart(3)}. ${harmless(title)}  (${updatedAt.slice(0, 16).replace('T', ' ')})`);
    }
  }

  async #open(which: string): Promise<void> {
    await this.#show(this.#listed[Number(which) - 1] ?? which);
  }

  async #show(id: string): Promise<void> {
    const { messages } = await this.#options.agent.conversation(this.#options.user, id);
    this.#conversation = id;
    for (const { role, text } of messages.slice(-SHOWN_MESSAGES)) this.#line(role === 'user' ? `› ${harmless(text)}` : harmless(text));
  }

  #unfold(): void {
    if (this.#lastCalls.length === 0) this.#line('The last answer called no tools.');
    for (const { tool, parameters, status } of this.#lastCalls) this.#line(`${tool} ${harmless(JSON.stringify(parameters))}: ${status}`);
  }

  async #turn(message: string | undefined): Promise<void> {
    const { agent, user } = this.#options;
    this.#running = new AbortController();
    try {
      const { signal } = this.#running;
      const result = await agent.turn({ user, message, conversation: this.#conversation, signal }, (event) => this.#hear(event));
      this.#finish(result);
    } finally {
      this.#running = undefined;
    }
  }

  #hear(event: TurnEvent): void {
    switch (event.type) {
      case 'started':
        this.#conversation = event.conversation;
        break;
      case 'text':
        this.#showCalls();
        this.#write(harmless(event.delta));
        break;
      case 'text_dropped':
        this.#line(' (again)');
        break;
      case 'result':
        this.#fold(`${event.tool} ${event.status === 'success' ? '✓' : event.status}`);
        break;
    }
  }

  #fold(label: string): void {
    if (this.#folded && this.#folded.label !== label) this.#showCalls();
    this.#folded = { label, count: (this.#folded?.count ?? 0) + 1 };
  }

  #showCalls(): void {
    if (!this.#folded) return;
    const { label, count } = this.#folded;
    this.#folded = undefined;
    if (this.#column > 0) this.#write('\n');
    this.#line(this.#dim(`  · ${label}${count > 1 ? ` ×${count}` : ''}`));
  }

  #finish(result: TurnResult): void {
    const { status, toolCalls } = result;
    this.#showCalls();
    this.#lastCalls = toolCalls;
    if (status === 'failed') {
      this.#failed = true;
      this.#line(harmless(conversationalReply(result)));
    } else if (this.#column > 0) this.#write('\n');
    if (status === 'cancelled') this.#line('(stopped)');
  }

  #dim(text: string): string {
    return this.#interactive ? `\x1b[2m${text}\x1b[0m` : text;
  }

  #line(text: string): void {
    this.#write(`${this.#column > 0 ? '\n' : ''}${text}\n`);
  }

  #write(text: string): void {
    this.#options.output.write(text);
    const last = text.lastIndexOf('\n');
    this.#column = last < 0 ? this.#column + text.length : text.length - last - 1;
  }
}
