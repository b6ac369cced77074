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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
