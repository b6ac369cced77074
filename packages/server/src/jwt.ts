import { bufferedFetch, HttpClient, transportErrorOf } from '@millrace/http';
import { Failure, type User } from '@millrace/kernel';
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose';
import type { JwtVerifier } from './identity.ts';

export interface JwtOptions {
  issuer: string;
  audience: string;
  keys: string | undefined;
  /** The user of a subject, created on first use. */
  userOf(subject: string, name: string): Promise<User>;
}

/** The jose errors for a token that cannot be trusted; all its other errors are about the issuer's keys. */
const UNTRUSTED = [
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSMultipleMatchingKeys,
  errors.JWKSNoMatchingKey,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JWTClaimValidationFailed,
  errors.JWTExpired,
  errors.JWTInvalid,
];

const RETRY = { pausesMs: [200], longestWaitMs: 1_000 };
const MOST_BYTES = 1024 * 1024;

/** Accepts the tokens of one issuer, checked against its published keys. */
export function jwtVerifier(options: JwtOptions): JwtVerifier {
  const address = options.keys ?? `${options.issuer.replace(/\/$/, '')}/.well-known/jwks.json`;
  const fetch = bufferedFetch(new HttpClient({ retry: RETRY }), { maxBytes: MOST_BYTES });
  const keys = createRemoteJWKSet(new URL(address), { [customFetch]: fetch });
  const { issuer, audience } = options;
  return async (token) => {
    const verified = await jwtVerify(token, keys, { issuer, audience }).catch(unlessUntrusted);
    if (!verified?.payload.sub || !verified.payload.exp) return undefined;
    const { sub, name } = verified.payload;
    return options.userOf(`jwt:${sub}`, typeof name === 'string' ? name : sub);
  };
}

function unlessUntrusted(error: unknown): undefined {
  if (UNTRUSTED.some((known) => error instanceof known)) return undefined;
  if (!(error instanceof errors.JOSEError) && !transportErrorOf(error)) throw error;
  throw new Failure('unavailable', 'The token cannot be checked: the keys of its issuer cannot be read right now', {
    details: { variable: 'MILLRACE_JWT_KEYS' },
    fix: { instruction: 'Try again later; if it keeps failing, check MILLRACE_JWT_ISSUER and MILLRACE_JWT_KEYS' },
    cause: error,
  });
}
