import type { HttpClient, HttpReply, HttpRequest } from './client.ts';

type Fetch = typeof globalThis.fetch;
type Limits = Pick<HttpRequest, 'timeoutMs' | 'maxBytes'>;

/** The client as the `fetch` that libraries let one hand in: whole answers, with the client's retries. */
export function bufferedFetch(client: HttpClient, limits: Limits = {}): Fetch {
  return async (input, init) => {
    const { status, headers, text } = await client.request({ ...requestOf(input, init), ...limits });
    return new Response(bodyless(status) ? null : text, { status, headers: headersOf(headers) });
  };
}

/** The same for answers that are read while they come in; each is asked for once. */
export function streamedFetch(client: HttpClient): Fetch {
  return async (input, init) => {
    const { status, headers, body } = await client.open(requestOf(input, init));
    return new Response(bodyless(status) ? null : ReadableStream.from(body), { status, headers: headersOf(headers) });
  };
}

/** Libraries send text or bytes to an address; nothing else is needed of fetch. */
function requestOf(input: Parameters<Fetch>[0], init: RequestInit = {}): HttpRequest {
  if (input instanceof Request) throw new Error('this fetch takes addresses, not requests');
  const { method = 'GET', headers, body, signal } = init;
  if (body !== undefined && body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new Error('this fetch sends text or bytes only');
  }
  return {
    method: method as HttpRequest['method'],
    url: String(input),
    headers: Object.fromEntries(new Headers(headers)),
    ...(body !== undefined && body !== null && { body }),
    ...(signal && { signal }),
  };
}

function headersOf(received: HttpReply['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) for (const one of [value ?? []].flat()) headers.append(name, one);
  return headers;
}

function bodyless(status: number): boolean {
  return status === 204 || status === 304;
}
