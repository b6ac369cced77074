import type { IncomingMessage } from 'node:http';
import { type Credentials, Failure, type Identity, type User } from '@millrace/kernel';

export interface GuardOptions {
  identity: Identity;
  /** Host names that requests may name besides the loopback ones. */
  allowedHosts: readonly string[];
  /** Origins of web pages that may call, besides loopback ones. */
  allowedOrigins: readonly string[];
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/** Refuses requests that a web page could have forged: a foreign Host (DNS rebinding) or a foreign Origin. */
export function refuseForeign(request: IncomingMessage, options: GuardOptions): Failure | undefined {
  const host = hostname(`http://${request.headers.host ?? ''}`);
  if (host === undefined || !(LOOPBACK.has(host) || options.allowedHosts.includes(host))) {
    return new Failure('forbidden', `This server does not answer for the host "${(request.headers.host ?? '').slice(0, 100)}"`, {
      fix: { instruction: 'Add the host to allowedHosts (--allowed-hosts, MILLRACE_ALLOWED_HOSTS)' },
    });
  }
  const { origin } = request.headers;
  if (origin === undefined) return undefined;
  const from = hostname(origin);
  if (from !== undefined && (LOOPBACK.has(from) || options.allowedOrigins.includes(origin))) return undefined;
  return new Failure('forbidden', `Pages of ${origin.slice(0, 100)} may not call this server`, {
    fix: { instruction: 'Add the origin to allowedOrigins (--allowed-origins, MILLRACE_ALLOWED_ORIGINS)' },
  });
}

function hostname(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname || undefined : undefined;
}

export function credentialsOf(request: IncomingMessage): Credentials {
  const token = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  return token === undefined ? { kind: 'none' } : { kind: 'bearer', token };
}

/** The user of a request, or the failure that says why there is none. */
export async function userOf(credentials: Credentials, identity: Identity): Promise<User | Failure> {
  try {
    return await identity.identify(credentials);
  } catch (error) {
    if (error instanceof Failure && error.code === 'unauthenticated') return error;
    throw error;
  }
}

export type Body = { kind: 'json'; value: unknown } | { kind: 'empty' } | { kind: 'broken' } | { kind: 'too-large' };

/** Reads a JSON body up to a size; a larger one is not read to its end. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes) return { kind: 'too-large' };
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) return { kind: 'too-large' };
    chunks.push(chunk);
  }
  if (size === 0) return { kind: 'empty' };
  try {
    return { kind: 'json', value: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    return { kind: 'broken' };
  }
}
