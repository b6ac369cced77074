import type { User } from '@millrace/kernel';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import type { JwtVerifier } from './identity.ts';

export interface JwtOptions {
  issuer: string;
  audience: string | undefined;
  keys: string | undefined;
  /** The user of a subject, made on first sight. */
  userOf(subject: string, name: string): Promise<User>;
}

/** Accepts the tokens of one issuer, checked against its published keys. */
export function jwtVerifier(options: JwtOptions): JwtVerifier {
  const address = options.keys ?? `${options.issuer.replace(/\/$/, '')}/.well-known/jwks.json`;
  const keys = createRemoteJWKSet(new URL(address));
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: options.issuer,
        ...(options.audience !== undefined && { audience: options.audience }),
      });
      if (!payload.sub || !payload.exp) return undefined;
      return await options.userOf(`jwt:${payload.sub}`, typeof payload.name === 'string' ? payload.name : payload.sub);
    } catch {
      return undefined;
    }
  };
}
