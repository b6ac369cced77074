import { clip, Failure } from '@millrace/kernel';

/** Where a Flowise API is: the origin that connections go to and the path below which its routes are. */
export interface Address {
  origin: string;
  basePath: string;
}

const LONGEST_ID = 512;

/** Reads FLOWISE_API_URL as people write it: with or without a slash or /api/v1 at its end. */
export function addressOf(url: string | undefined): Address {
  if (!url?.trim()) {
    throw new Failure('unavailable', 'FLOWISE_API_URL is not set, so there is no Flowise to talk to', {
      details: { variable: 'FLOWISE_API_URL' },
      fix: {
        instruction: 'Set FLOWISE_API_URL to the address of Flowise, such as http://localhost:3000, or install one',
        command: 'engine add flowise',
      },
    });
  }
  const parsed = URL.canParse(url.trim()) ? new URL(url.trim()) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw badAddress('is not an http or https address');
  if (parsed.username || parsed.password) throw badAddress('must not contain a user name or password: the key belongs in FLOWISE_API_KEY');
  const path = parsed.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
  return { origin: parsed.origin, basePath: `${path}/api/v1` };
}

function badAddress(what: string): Failure {
  return new Failure('unavailable', `FLOWISE_API_URL ${what}`, {
    details: { variable: 'FLOWISE_API_URL' },
    fix: { instruction: 'Set FLOWISE_API_URL to the address of Flowise, such as http://localhost:3000' },
  });
}

/** An id as one segment of a path. Ids are opaque, but none that would climb or overflow the path can name a chatflow. */
export function segment(id: string): string {
  if (id === '.' || id === '..' || id.length > LONGEST_ID || !id.isWellFormed()) throw noSuchChatflow(id);
  return encodeURIComponent(id);
}

export function noSuchChatflow(id: string, cause?: unknown): Failure {
  const shown = clip(id.toWellFormed(), 100);
  return new Failure('not_found', `No chatflow has the id "${shown}"`, {
    details: { chatflow_id: shown },
    fix: { instruction: 'list_chatflows shows the ids that exist' },
    ...(cause !== undefined && { cause }),
  });
}
