import { spawn, spawnSync } from 'node:child_process';

/** Python brings what Node lacks: a terminal that a test can type on. */
export const pseudoTerminals = process.platform !== 'win32' && spawnSync('python3', ['-c', 'import pty']).status === 0;

const PROGRAM = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
import select
while True:
    ready, _, _ = select.select([terminal, 0], [], [])
    if terminal in ready:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        os.write(1, data)
    if 0 in ready:
        typed = os.read(0, 65536)
        if typed:
            os.write(terminal, typed)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 255)
`;

/** Runs Node on a terminal of its own: after each text that appears, the next is typed. */
export async function inPseudoTerminal(
  args: readonly string[],
  env: Record<string, string>,
  cwd: string,
  script: readonly (readonly [awaited: string, typed: string])[],
): Promise<{ shown: string; code: number | null }> {
  const child = spawn('python3', ['-c', PROGRAM, process.execPath, ...args], { env: { ...env, TERM: 'xterm' }, cwd });
  let shown = '';
  let read = 0;
  let step = 0;
  const proceed = () => {
    for (; step < script.length; step++) {
      const [awaited, typed] = script[step] as [string, string];
      const found = shown.indexOf(awaited, read);
      if (found === -1) return;
      read = found + awaited.length;
      child.stdin.write(typed);
    }
  };
  child.stdout.on('data', (chunk) => {
    shown += chunk;
    proceed();
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (step < script.length) throw new Error(`never appeared: ${script[step]?.[0]}\n${shown}`);
  return { shown, code };
}
