import { Agent, type Dispatcher } from 'undici';

const MOST_CONNECTIONS = 128;
/** Node servers close idle connections after 5 seconds; ours are given up before that, so that no request meets a closing one. */
const IDLE_MS = 3_000;

/** In a module of its own, loaded with the first request, since most starts never make one. A dynamic import of undici itself, which is CommonJS, has no names in a bundle. */
export function openAgent(connectTimeoutMs: number): Dispatcher {
  return new Agent({
    connections: MOST_CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    // The request's own clock ends it: these two would cut long answers short.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectTimeoutMs },
  });
}
