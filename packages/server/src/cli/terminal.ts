import type { Progress, Terminal } from '@millrace/kernel';

/** In a log file a status cannot be overwritten: long work writes a line this often. */
const LINE_EVERY_MS = 10_000;

export function processTerminal(program: string, signal: AbortSignal): Terminal {
  const { stdout, stderr } = process;
  let statusShown = false;
  const clearStatus = () => {
    if (!statusShown) return;
    stderr.write('\r\x1b[K');
    statusShown = false;
  };
  let nextLine = Date.now() + LINE_EVERY_MS;
  const status = (text: string) => {
    if (!stderr.isTTY) {
      if (text === '' || Date.now() < nextLine) return;
      nextLine = Date.now() + LINE_EVERY_MS;
      stderr.write(`${text}\n`);
      return;
    }
    stderr.write(`\r\x1b[K${text.slice(0, (stderr.columns ?? 80) - 1)}`);
    statusShown = true;
  };
  return {
    program,
    out(text) {
      clearStatus();
      stdout.write(`${text}\n`);
    },
    say(text) {
      clearStatus();
      stderr.write(`${text}\n`);
    },
    status,
    progress:
      (name): Progress =>
      (done, total, message) =>
        status(`${name}: ${message ?? ''}${total ? ` ${bar(done / total)} ${Math.round((done / total) * 100)} %` : ''}`),
    interactive: Boolean(process.stdin.isTTY && stderr.isTTY),
    columns: stderr.columns ?? Number.POSITIVE_INFINITY,
    signal,
  };
}

function bar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * 20);
  return `[${'#'.repeat(full)}${' '.repeat(20 - full)}]`;
}
