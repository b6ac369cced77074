import type { IncomingMessage } from 'node:http';

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
