import { HttpClient, type HttpReply, TransportError } from '@millrace/http';
import { Failure } from '@millrace/kernel';

/** Where an n8n instance is and the key to its public API. */
export interface InstanceAddress {
  url: string;
  apiKey: string;
}

export interface InstanceRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** Somebody who may sign in to an instance. */
export interface Login {
  email: string;
  password: string;
}

const RETRY = { pausesMs: [300, 600], longestWaitMs: 5_000 };

/** One n8n instance over HTTP: its answers as they come, and trouble on the way in our own words. */
export class Instance {
  readonly #written: string;
  readonly #http = new HttpClient({ retry: RETRY });

  constructor(written: string) {
    this.#written = written;
  }

  /** Read on use: a wrong address fails the calls that need the instance, and nothing else. */
  get url(): string {
    return instanceUrl(this.#written);
  }

  async send({ method, path, headers, body, timeoutMs, signal }: InstanceRequest): Promise<HttpReply> {
    try {
      return await this.#http.request({
        method,
        url: this.url + path,
        headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        timeoutMs,
        signal,
      });
    } catch (error) {
      throw error instanceof TransportError ? this.#failure(error, method, timeoutMs) : error;
    }
  }

  /** Signs in as the editor does; the answer's cookies are the session. */
  signIn({ email, password }: Login, limits: Pick<InstanceRequest, 'timeoutMs' | 'signal'>): Promise<HttpReply> {
    const body = { emailOrLdapLoginId: email, email, password };
    return this.send({ method: 'POST', path: '/rest/login', headers: { 'browser-id': 'millrace' }, body, ...limits });
  }

  /** Who answers, in the words of a failure. */
  get server(): { sentence: string; name: string; details: Record<string, unknown> } {
    return { sentence: `The n8n instance at ${this.url}`, name: 'n8n', details: { url: this.url } };
  }

  #failure(error: TransportError, method: InstanceRequest['method'], timeoutMs: number | undefined): Failure {
    const details = { url: this.url };
    if (error.problem === 'broken') {
      const unsure = method === 'GET' ? '' : '. It may or may not have been done: look before trying again';
      return new Failure('unavailable', `The connection to the n8n instance at ${this.url} broke before it had answered${unsure}`, {
        details: { ...details, reason: error.code, transient: true },
        fix: { instruction: method === 'GET' ? 'Try again' : 'Look whether the change was made, then try again' },
        cause: error,
      });
    }
    if (error.problem === 'timeout' && timeoutMs !== undefined) {
      return new Failure('timeout', `The n8n instance at ${this.url} did not answer within ${timeoutMs / 1000} seconds`, {
        details,
        cause: error,
      });
    }
    if (error.problem === 'too_large') {
      return new Failure('upstream', `The n8n instance at ${this.url} did not answer with something of a sensible size`, {
        details,
        cause: error,
      });
    }
    return new Failure('unavailable', `The n8n instance at ${this.url} cannot be reached: ${error.reason}`, {
      details: { ...details, reason: error.code },
      fix: { instruction: 'Check that n8n is running and that N8N_API_URL is its address' },
      cause: error,
    });
  }
}

/** For `.catch` while cleaning up: what the instance refuses, or has no time for, is left as it is; a bug passes through. */
export function ignoreFailures(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof Failure || signal.aborted)) throw error;
  };
}

/** The instance's own address, whether or not the API's path was written with it. */
export function instanceUrl(written: string): string {
  let url: URL;
  try {
    url = new URL(written.trim());
  } catch (error) {
    throw badAddress(written, error);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw badAddress(written, undefined);
  const path = url.pathname.replace(/\/+$/, '').replace(/\/api(\/v\d+)?$/, '');
  return url.origin + path;
}

function badAddress(written: string, cause: unknown): Failure {
  return new Failure('unavailable', `N8N_API_URL is not an address: ${JSON.stringify(written.slice(0, 200))}`, {
    fix: { instruction: 'Set it to where n8n is, such as http://localhost:5678' },
    cause,
  });
}

export function notConfigured(): Failure {
  return new Failure('unavailable', 'No n8n instance is configured: set N8N_API_URL and N8N_API_KEY', {
    details: { variables: ['N8N_API_URL', 'N8N_API_KEY'] },
    fix: { instruction: "Set N8N_API_URL to the instance's address and N8N_API_KEY to a key made in its settings under n8n API" },
  });
}
