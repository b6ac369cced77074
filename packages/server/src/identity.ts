import { createHash, timingSafeEqual } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Credentials, Failure, type Identity, isSystemError, type User } from '@millrace/kernel';
import { newToken } from '@millrace/storage';

export const OWNER: User = { id: 'owner', name: 'owner', level: 'advanced', owner: true };

export interface UserDirectory {
  byToken(token: string): Promise<User | undefined>;
}

/** Turns a JWT into a user, or undefined when it is not one that this server accepts. */
export type JwtVerifier = (token: string) => Promise<User | undefined>;

export interface IdentityOptions {
  ownerToken: string | undefined;
  users: UserDirectory;
  /** The user of the local process (stdio): the owner, or whoever its token names. */
  local: { kind: 'owner' } | { kind: 'token'; token: string | undefined };
  verifyJwt: JwtVerifier | undefined;
}

export function createIdentity(options: IdentityOptions): Identity {
  const owner = options.ownerToken === undefined ? undefined : hashOf(options.ownerToken);
  const byToken = async (token: string): Promise<User> => {
    if (owner !== undefined && timingSafeEqual(hashOf(token), owner)) return OWNER;
    const user = (await options.users.byToken(token)) ?? (looksLikeJwt(token) ? await options.verifyJwt?.(token) : undefined);
    if (user) return user;
    throw new Failure('unauthenticated', 'The token is not valid', {
      fix: { instruction: 'Ask the owner for a token', command: 'user add <name>' },
    });
  };
  return {
    identify(credentials: Credentials) {
      switch (credentials.kind) {
        case 'identified':
          return credentials.user;
        case 'bearer':
          return byToken(credentials.token);
        case 'local':
          if (options.local.kind === 'owner') return OWNER;
          if (options.local.token !== undefined) return byToken(options.local.token);
          throw new Failure('unauthenticated', 'On Postgres the local server needs to know who you are', {
            fix: { instruction: 'Set MILLRACE_TOKEN to your token' },
          });
        case 'none':
          throw new Failure('unauthenticated', 'A token is needed', { fix: { instruction: 'Send Authorization: Bearer <token>' } });
      }
    },
  };
}

function looksLikeJwt(token: string): boolean {
  return token.split('.').length === 3;
}

/** Equal length for every token, so that comparisons take constant time. */
function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The owner's token: the configured one, or the one in the home, created on first use and readable only by its owner. */
export function ownerToken(configured: string | undefined, home: string): string {
  if (configured !== undefined) return configured;
  const path = join(home, 'token');
  try {
    writeFileSync(path, `${newToken()}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (error.code !== 'EEXIST') throw unwritable(home, error);
  }
  chmodSync(path, 0o600);
  return readFileSync(path, 'utf8').trim();
}

/** The stored token, if there is one. */
export function keptToken(configured: string | undefined, home: string): string | undefined {
  if (configured !== undefined) return configured;
  const path = join(home, 'token');
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

function unwritable(home: string, error: unknown): Failure {
  return new Failure('storage', `${home} cannot be written to`, {
    fix: { instruction: 'Make it writable, or set MILLRACE_HOME to a folder you own' },
    cause: error,
  });
}
