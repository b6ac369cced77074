export { HttpClient, type HttpReply, type HttpRequest, type OpenHttpReply, type Retry, waitOf } from './client.ts';
export type { EgressRules } from './egress.ts';
export { bufferedFetch, streamedFetch } from './fetch.ts';
export { notServed } from './not-served.ts';
export { headerSecret } from './secret.ts';
export { TransportError, transportErrorOf } from './transport-error.ts';
