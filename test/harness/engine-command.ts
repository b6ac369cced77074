import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { LAUNCHER } from './package.ts';

/** A command of millrace as a process of its own, and what it has said so far. */
export class EngineCommand {
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;
  printed = '';
  said = '';

  constructor(environment: Record<string, string>, ...words: string[]) {
    this.child = spawn(process.execPath, [LAUNCHER, ...words], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    this.exit = once(this.child, 'close').then(([code]) => code as number | null);
    this.child.stdout?.on('data', (chunk) => (this.printed += chunk));
    this.child.stderr?.on('data', (chunk) => (this.said += chunk));
  }

  /** What it printed, once the lines for .env are there or it has ended. */
  async lines(): Promise<string> {
    let ended = false;
    void this.exit.then(() => (ended = true));
    while (!ended && !/FLOWISE_API_KEY=.+\n/.test(this.printed)) await new Promise((resolve) => setTimeout(resolve, 20));
    return this.printed;
  }
}
