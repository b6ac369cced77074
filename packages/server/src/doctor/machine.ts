import { accessSync, constants, type StatsFs, statfsSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { type Check, Failure, isSystemError } from '@millrace/kernel';
import { requireAccess } from '@millrace/models';
import { makeFolder } from '@millrace/storage';
import { chosenModel } from '../config/models.ts';
import type { Configuration } from '../configuration.ts';
import { isMillrace, runningServers } from '../running-servers.ts';

/** With less, the next large document or the next write-ahead log may not fit. */
const LEAST_FREE_MB = 100;

export function nodeCheck(): Check {
  return { name: 'Node', state: 'ok', detail: `${process.versions.node} at ${process.execPath}` };
}

type Room = Pick<StatsFs, 'blocks' | 'bavail' | 'bsize'>;

export function folderCheck(name: string, path: string, variable: string, roomOf: (path: string) => Room = statfsSync): Check {
  try {
    makeFolder(path, { mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK);
    if (!statSync(path).isDirectory())
      return { name, state: 'broken', detail: `${path} is not a folder`, fix: { instruction: `Set ${variable} to a folder you own` } };
    const { blocks, bavail, bsize } = roomOf(path);
    const free = Math.floor((bavail * bsize) / 2 ** 20);
    if (blocks === 0 || free >= LEAST_FREE_MB) return { name, state: 'ok', detail: path };
    const fix = { instruction: `Free some space, or set ${variable} to a folder on another disk` };
    return { name, state: 'broken', detail: `${path}: the disk is almost full (${free} MB left)`, fix };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const fix = { instruction: `Make it writable, or set ${variable} to a folder you own` };
    return { name, state: 'broken', detail: `${path} cannot be written to`, fix };
  }
}

/** Whether a server of this home is running, and if not, whether the port of `serve` is free. */
export async function serverCheck({ core: { host, port }, home }: Configuration): Promise<Check> {
  const name = 'server';
  const running = await runningServers(home);
  if (running.length > 0) return { name, state: 'ok', detail: `running at ${running.join(', ')}` };
  const at = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (port === 0 || (await freePort(host, port)) !== undefined) {
    return {
      name,
      state: 'optional',
      detail: 'not running (assistants on this machine do not need one)',
      fix: { instruction: 'Start it', command: 'serve' },
    };
  }
  if (await isMillrace(at)) return { name, state: 'ok', detail: `running at ${at}, with another home` };
  return {
    name,
    state: 'optional',
    detail: `not running, and another program uses port ${port}`,
    fix: {
      instruction: 'Start it on another port',
      command: `serve --port ${(await freePort(host, port + 1)) ?? (await freePort(host, 0)) ?? 0}`,
    },
  };
}

/** The port, if nobody uses it; for 0, any that nobody uses. */
function freePort(host: string, port: number): Promise<number | undefined> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(undefined));
    probe.listen(port, host, () => {
      const { port: found } = probe.address() as AddressInfo;
      probe.close(() => resolve(found));
    });
  });
}

/** Whether a language model is configured completely. It is not called: that may cost money. */
export function modelCheck(configuration: Configuration): Check {
  const name = 'language model';
  let choice: ReturnType<typeof chosenModel>;
  try {
    choice = chosenModel(configuration);
  } catch (error) {
    return failed(name, error);
  }
  if (!choice) {
    return {
      name,
      state: 'optional',
      detail: 'none: the chat manages todos by built-in rules, and assistants bring their own model',
      fix: { instruction: 'Set MILLRACE_MODEL_PROVIDER and the key of the provider in the .env of the workspace' },
    };
  }
  const detail = [choice.provider, choice.model, choice.baseUrl].filter(Boolean).join(', ');
  try {
    requireAccess(choice, configuration.environment);
    return { name, state: 'ok', detail: `${detail} (set up; not called)` };
  } catch (error) {
    return failed(name, error);
  }
}

export function failed(name: string, error: unknown): Check {
  const detail = error instanceof Error ? error.message : String(error);
  return { name, state: 'broken', detail, ...(error instanceof Failure && error.fix && { fix: error.fix }) };
}
