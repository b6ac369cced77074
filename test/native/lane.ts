import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { LAUNCHER } from '../harness/package.ts';
import { cleanEnvironment, StdioProcess } from '../harness/process.ts';

const DOCUMENTS = 60;
const PARAGRAPHS = 8;
/** Long enough to end it while the model is loaded, while it runs, and in between. */
const MOMENT_MS = 600;
const START_MS = 30_000;

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
  /** From the request to end until the process was gone. */
  ms: number;
}

/** A home and documents of its own, on which one program runs at a time. */
export class Lane {
  readonly #folder: string;
  readonly #environment: Record<string, string>;
  readonly #docs: string;
  readonly #data: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#docs = join(folder, 'docs');
    this.#data = join(folder, 'data');
    mkdirSync(this.#docs);
    const places = { MILLRACE_FLOWRAG_DOCS: this.#docs, MILLRACE_FLOWRAG_DATA: this.#data };
    this.#environment = cleanEnvironment(folder, { ...places, MILLRACE_TOOLSETS: 'flowmind,flowrag', MILLRACE_RATE_LIMITS: 'false' });
  }

  /** New words in every paragraph: vectors that are already known would not be computed again. */
  writeDocuments(round: number): void {
    for (let number = 0; number < DOCUMENTS; number++) {
      const paragraph = (index: number) =>
        `## Part ${index}\nIn round ${round}, order ${number}-${index} goes from the checkout service to the billing service. `.repeat(6);
      writeFileSync(
        join(this.#docs, `orders-${number}.md`),
        `# Orders ${number}\n\n${Array.from({ length: PARAGRAPHS }, (_, index) => paragraph(index)).join('\n\n')}\n`,
      );
    }
  }

  server(): Running {
    return new Running(new StdioProcess([LAUNCHER], this.#environment, this.#folder));
  }

  flowrag(...words: string[]): Running {
    const program = join(dirname(LAUNCHER), 'flowrag.js');
    return new Running(new StdioProcess([program, ...words, '--docs', this.#docs, '--data', this.#data], this.#environment, this.#folder));
  }

  /** The ids of all processes that were started for this lane, by their environment. */
  processes(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && readIfThere(`/proc/${name}/environ`).includes(`HOME=${this.#folder}`))
      .map(Number);
  }

  damage(): string[] {
    const files = [join(this.#folder, 'home'), this.#data].flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.db'))
        .map((name) => join(folder, name)),
    );
    return files.flatMap((path) => {
      const database = new Database(path);
      const verdict = database.pragma('integrity_check', { simple: true });
      database.close();
      return verdict === 'ok' ? [] : [`${path}: ${verdict}`];
    });
  }
}

/** A program at work, with what is needed to end it and to look at its end. */
export class Running {
  readonly program: StdioProcess;
  readonly #exit: Promise<Omit<Ended, 'ms' | 'stderr'>>;

  constructor(program: StdioProcess) {
    this.program = program;
    this.#exit = new Promise((resolve) => program.child.once('close', (code, signal) => resolve({ code, signal })));
  }

  get pid(): number {
    return this.program.child.pid as number;
  }

  /** The processes in which its model runs. */
  sessions(): number[] {
    return readIfThere(`/proc/${this.pid}/task/${this.pid}/children`).split(' ').filter(Boolean).map(Number);
  }

  killSessions(): void {
    for (const pid of this.sessions()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        if ((error as { code?: string }).code !== 'ESRCH') throw error;
      }
    }
  }

  /** Waits until the model is being started, and then for a random while. */
  async atWork(): Promise<void> {
    const until = performance.now() + START_MS;
    while (this.sessions().length === 0) {
      if (performance.now() > until) throw new Error(`the model was not started: ${this.program.stderr}`);
      await sleep(10);
    }
    await sleep(Math.random() * MOMENT_MS);
  }

  async endedBy(request: () => void): Promise<Ended> {
    const asked = performance.now();
    request();
    const exit = await this.#exit;
    return { ...exit, stderr: this.program.stderr, ms: performance.now() - asked };
  }

  signalled(signal: NodeJS.Signals): Promise<Ended> {
    return this.endedBy(() => this.program.child.kill(signal));
  }

  closed(): Promise<Ended> {
    return this.endedBy(() => this.program.child.stdin.end());
  }
}

/** A process may end while it is looked at. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
