import { copyFileSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, isSystemError } from '@millrace/kernel';
import { type Client, type Launch, launchIn } from './clients.ts';
import { type Format, Unreadable } from './format.ts';
import { json } from './json.ts';
import { toml } from './toml.ts';
import { yaml } from './yaml.ts';

const formats: Record<Client['format'], Format> = { json, toml, yaml };

/** Our entry in a client's configuration. */
export type Connection = { state: 'absent' } | { state: 'connected'; launch: Launch | undefined } | { state: 'unreadable'; reason: string };

export interface Change {
  changed: boolean;
  backup: string | undefined;
}

export function snippet(client: Client, launch: Launch): string {
  return formats[client.format].snippet(client, client.entry(launch));
}

/** The configuration file of one client, and our entry in it. */
export class ConfigurationFile {
  readonly client: Client;
  readonly path: string;
  readonly #format: Format;

  constructor(client: Client, path: string) {
    this.client = client;
    this.path = path;
    this.#format = formats[client.format];
  }

  connection(): Connection {
    try {
      const text = this.#read();
      const entry = text === undefined ? undefined : this.#format.entryIn(text, this.client);
      return entry ? { state: 'connected', launch: launchIn(entry) } : { state: 'absent' };
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      return { state: 'unreadable', reason };
    }
  }

  connect(launch: Launch): Change {
    return this.#change(launch, (text) => this.#format.withEntry(text, this.client, this.client.entry(launch)));
  }

  disconnect(): Change {
    if (!existsSync(this.path)) return { changed: false, backup: undefined };
    return this.#change(undefined, (text) => this.#format.withoutEntry(text, this.client));
  }

  #change(launch: Launch | undefined, edit: (text: string) => string): Change {
    try {
      const before = this.#read();
      const after = edit(before ?? '');
      return after === before ? { changed: false, backup: undefined } : { changed: true, backup: this.#write(before, after) };
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      throw new Failure('invalid_input', `${this.path} was not changed: ${reason}`, {
        fix: {
          instruction: launch
            ? `${remedyFor(error)} and try again, or paste this into it:\n${snippet(this.client, launch)}`
            : `${remedyFor(error)} and try again, or remove the entry "millrace" by hand`,
        },
        cause: error,
      });
    }
  }

  #read(): string | undefined {
    return existsSync(this.path) ? readFileSync(this.path, 'utf8') : undefined;
  }

  /** Written atomically, with its old permissions. Returns the path of the backup. */
  #write(before: string | undefined, after: string): string | undefined {
    mkdirSync(dirname(this.path), { recursive: true });
    // A link, as dotfile managers create them, stays a link.
    const path = before === undefined ? this.path : realpathSync(this.path);
    const mode = before === undefined ? 0o600 : statSync(path).mode & 0o777;
    const backup = before === undefined ? undefined : `${path}.${new Date().toISOString().replace(/[:.]/g, '-')}.bak`;
    const temporary = `${path}.${process.pid}.tmp`;
    try {
      if (backup !== undefined) copyFileSync(path, backup);
      writeFileSync(temporary, after, { mode });
      renameSync(temporary, path);
    } catch (error) {
      for (const begun of [temporary, backup]) if (begun !== undefined) rmSync(begun, { force: true });
      throw error;
    }
    return backup;
  }
}

/** Why the file cannot be edited; undefined for any other error. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof Unreadable) return error.message;
  if (isDiskFull(error)) return 'the disk is full';
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'this user may not read and write it';
  if (code === 'EISDIR' || code === 'ENOTDIR') return 'it is not a file';
  return undefined;
}

function remedyFor(error: unknown): string {
  return isDiskFull(error) ? 'Free some space' : 'Correct the file';
}

function isDiskFull(error: unknown): boolean {
  return isSystemError(error) && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}
