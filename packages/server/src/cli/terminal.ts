import type { Terminal } from '@millrace/kernel';

export function processTerminal(program: string, signal: AbortSignal): Terminal {
  const { stdout, stderr } = process;
  let statusShown = false;
  const clearStatus = () => {
    if (!statusShown) return;
    stderr.write('\r\x1b[K');
    statusShown = false;
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
    status(text) {
      if (!stderr.isTTY) return;
      stderr.write(`\r\x1b[K${text.slice(0, (stderr.columns ?? 80) - 1)}`);
      statusShown = true;
    },
    interactive: Boolean(process.stdin.isTTY && stderr.isTTY),
    columns: stderr.columns ?? 80,
    signal,
  };
}
