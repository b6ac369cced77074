import { HttpClient } from '@millrace/http';
import { Failure, jsonIn } from '@millrace/kernel';

export interface Account {
  email: string;
  password: string;
}

const FLOW_RIGHTS = ['view', 'create', 'update', 'delete', 'duplicate', 'config', 'domains', 'export', 'import'];
const PERMISSIONS = [
  ...['chatflows', 'agentflows'].flatMap((kind) => FLOW_RIGHTS.map((right) => `${kind}:${right}`)),
  ...`assistants:view assistants:create assistants:delete credentials:view credentials:create tools:view variables:view
  templates:marketplace executions:view documentStores:view`.split(/\s+/),
];

const http = new HttpClient();

/** Makes the first account of a new Flowise; one that has an account already refuses, which is as good. */
export async function firstAccount(url: string, { email, password }: Account): Promise<void> {
  await post(url, '/account/register', { user: { name: 'Owner', email, type: 'pro', credential: password } });
}

/** An API key with the rights that our tools use. */
export async function makeKey(url: string, account: Account, permissions: readonly string[] = PERMISSIONS): Promise<string> {
  const login = await post(url, '/auth/login', account);
  if (login.status !== 200) throw refused('its account was not accepted');
  const keyName = `millrace-${Date.now()}`;
  const { reply } = await post(url, '/apikey', { keyName, permissions }, login.cookie);
  const made = Array.isArray(reply) ? reply.find((key: { keyName?: unknown }) => key.keyName === keyName) : undefined;
  const apiKey = (made as { apiKey?: unknown } | undefined)?.apiKey;
  if (typeof apiKey !== 'string') throw refused('it made no API key');
  return apiKey;
}

async function post(url: string, path: string, content: object, cookie = ''): Promise<{ status: number; reply: unknown; cookie: string }> {
  const { status, text, cookies } = await http.request({
    method: 'POST',
    url: `${url}/api/v1${path}`,
    headers: { 'content-type': 'application/json', 'x-request-from': 'internal', ...(cookie && { cookie }) },
    body: JSON.stringify(content),
  });
  return { status, reply: jsonIn(text), cookie: cookies };
}

function refused(why: string): Failure {
  return new Failure('unavailable', `The new Flowise could not be set up: ${why}`);
}
