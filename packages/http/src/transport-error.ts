/** What can go wrong between us and a server before it has answered in full. */
export type TransportProblem =
  | 'unreachable' // there is no connection, so nothing was sent
  | 'broken' // the connection ended before the answer did
  | 'timeout' // no full answer in time
  | 'too_large'; // the answer exceeds the size limit

export class TransportError extends Error {
  readonly problem: TransportProblem;
  readonly code: string;
  /** In words that fit after "the server cannot be reached: ". */
  readonly reason: string;

  constructor(problem: TransportProblem, code: string, reason: string, cause?: unknown) {
    super(`${reason} (${code})`, { cause });
    this.name = 'TransportError';
    this.problem = problem;
    this.code = code;
    this.reason = reason;
  }
}

const UNTRUSTED = 'its certificate is not trusted';
const SILENT = 'the host does not answer';
const NOT_HTTP = 'what answers there does not speak HTTP';
const NOT_TLS = 'what answers there does not speak TLS';
const BROKE_OFF = 'the connection broke';

/** Every code that means trouble on the way. Whatever is not listed is a bug of ours and stays what it is. */
const PROBLEMS: Readonly<Record<string, readonly [TransportProblem, string]>> = {
  ECONNREFUSED: ['unreachable', 'nothing listens there'],
  ENOTFOUND: ['unreachable', 'there is no host of that name'],
  EAI_AGAIN: ['unreachable', 'the host name cannot be looked up right now'],
  EHOSTUNREACH: ['unreachable', 'the host cannot be reached'],
  EHOSTDOWN: ['unreachable', 'the host cannot be reached'],
  ENETUNREACH: ['unreachable', 'the network cannot be reached'],
  ENETDOWN: ['unreachable', 'the network cannot be reached'],
  ETIMEDOUT: ['unreachable', SILENT],
  UND_ERR_CONNECT_TIMEOUT: ['unreachable', SILENT],
  EADDRNOTAVAIL: ['unreachable', 'the address cannot be used'],
  EACCES: ['unreachable', 'the connection is not permitted'],
  EPERM: ['unreachable', 'the connection is not permitted'],
  EPROTO: ['unreachable', NOT_TLS],
  CERT_HAS_EXPIRED: ['unreachable', UNTRUSTED],
  CERT_NOT_YET_VALID: ['unreachable', UNTRUSTED],
  CERT_REJECTED: ['unreachable', UNTRUSTED],
  CERT_REVOKED: ['unreachable', UNTRUSTED],
  CERT_SIGNATURE_FAILURE: ['unreachable', UNTRUSTED],
  CERT_UNTRUSTED: ['unreachable', UNTRUSTED],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['unreachable', UNTRUSTED],
  ERR_TLS_CERT_ALTNAME_INVALID: ['unreachable', UNTRUSTED],
  HOSTNAME_MISMATCH: ['unreachable', UNTRUSTED],
  INVALID_CA: ['unreachable', UNTRUSTED],
  SELF_SIGNED_CERT_IN_CHAIN: ['unreachable', UNTRUSTED],
  UNABLE_TO_GET_ISSUER_CERT: ['unreachable', UNTRUSTED],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['unreachable', UNTRUSTED],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['unreachable', UNTRUSTED],
  ECONNRESET: ['broken', BROKE_OFF],
  ECONNABORTED: ['broken', BROKE_OFF],
  EPIPE: ['broken', BROKE_OFF],
  UND_ERR_SOCKET: ['broken', BROKE_OFF],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['broken', BROKE_OFF],
  UND_ERR_DESTROYED: ['broken', BROKE_OFF],
  UND_ERR_CLOSED: ['broken', BROKE_OFF],
  UND_ERR_HEADERS_TIMEOUT: ['timeout', SILENT],
  UND_ERR_BODY_TIMEOUT: ['timeout', SILENT],
  // Some errors of undici's parser have no code, only a name.
  HTTPParserError: ['unreachable', NOT_HTTP],
  UND_ERR_HEADERS_OVERFLOW: ['too_large', 'its headers are too large'],
};

/** Codes whose families are too large to list: llhttp's and OpenSSL's. */
const FAMILIES: readonly (readonly [string, TransportProblem, string])[] = [
  ['HPE_', 'unreachable', NOT_HTTP],
  ['ERR_SSL_', 'unreachable', NOT_TLS],
];

/** The trouble on the way that an error stands for; undefined when it is none, and so a bug. */
export function transportErrorOf(error: unknown): TransportError | undefined {
  if (error instanceof TransportError) return error;
  if (error === null || typeof error !== 'object') return undefined;
  const { name, code = name, errors, cause } = error as { name?: unknown; code?: unknown; errors?: unknown; cause?: unknown };
  const known = typeof code === 'string' ? problemOf(code) : undefined;
  if (known) return new TransportError(known[0], String(code), known[1], error);
  // A connection that was tried at several addresses fails with a bundle: its first error speaks for all.
  return transportErrorOf(Array.isArray(errors) ? errors[0] : cause);
}

function problemOf(code: string): readonly [TransportProblem, string] | undefined {
  if (Object.hasOwn(PROBLEMS, code)) return PROBLEMS[code];
  const family = FAMILIES.find(([prefix]) => code.startsWith(prefix));
  return family && [family[1], family[2]];
}
