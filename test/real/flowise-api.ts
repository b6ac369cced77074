/** A plain client of a real Flowise: what a person with curl would send, to compare with what our tools do. */
export interface PlainReply {
  status: number;
  contentType: string;
  retryAfter: string | null;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever Flowise answers
  json: any;
}

export class PlainApi {
  readonly url: string;
  readonly key: string;

  constructor(url: string, key: string) {
    this.url = url;
    this.key = key;
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<PlainReply> {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { ...(this.key && { authorization: `Bearer ${this.key}` }), 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      retryAfter: response.headers.get('retry-after'),
      text,
      json: parsed(text),
    };
  }

  async credential(): Promise<string> {
    const plainDataObj = { openAIApiKey: 'sk-stand-in' };
    return (await this.send('POST', '/credentials', { name: 'stand-in', credentialName: 'openAIApi', plainDataObj })).json.id;
  }
}

/** A key with these rights alone, made as its owner makes one in a browser. */
export async function makeKey(url: string, account: { email: string; password: string }, permissions: readonly string[]): Promise<string> {
  const post = (path: string, content: object, cookie = '') =>
    fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-from': 'internal', cookie },
      body: JSON.stringify(content),
    });
  const login = await post('/auth/login', account);
  const cookie = login.headers.getSetCookie().map((one) => one.split(';')[0]);
  const keyName = `test-${Date.now()}`;
  const keys = (await (await post('/apikey', { keyName, permissions }, cookie.join('; '))).json()) as { keyName: string; apiKey: string }[];
  const made = keys.find((key) => key.keyName === keyName);
  if (!made) throw new Error('Flowise made no key');
  return made.apiKey;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
