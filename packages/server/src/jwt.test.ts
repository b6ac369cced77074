import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure, type User } from '@millrace/kernel';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../test/requirements.ts';
import { createIdentity } from './identity.ts';
import { jwtVerifier } from './jwt.ts';

let issuer: Server;
let url: string;
let keys: Awaited<ReturnType<typeof generateKeyPair>>;

beforeAll(async () => {
  keys = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256' };
  issuer = createServer((_request, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] })),
  );
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
});
afterAll(() => issuer.close());

function token(
  change: { issuer?: string; audience?: string; expires?: string | undefined; key?: typeof keys.privateKey } = {},
): Promise<string> {
  const jwt = new SignJWT({ name: 'Ann' })
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .setSubject('ann')
    .setIssuer(change.issuer ?? url)
    .setAudience(change.audience ?? 'millrace');
  if (!('expires' in change)) jwt.setExpirationTime('5m');
  else if (change.expires !== undefined) jwt.setExpirationTime(change.expires);
  return jwt.sign(change.key ?? keys.privateKey);
}

const userOf = async (id: string, name: string): Promise<User> => ({ id, name, level: 'beginner', owner: false });

function identity() {
  return createIdentity({
    ownerToken: 'the-token-of-the-owner',
    users: { byToken: async () => undefined },
    local: { kind: 'owner' },
    verifyJwt: jwtVerifier({ issuer: url, audience: 'millrace', keys: undefined, userOf }),
  });
}

const bearer = (text: string) => Promise.resolve(identity().identify({ kind: 'bearer', token: text }));

verifies('kernel-identity', 'a JWT of the configured issuer is its subject, never the owner', async () => {
  expect(await bearer(await token())).toEqual({ id: 'jwt:ann', name: 'Ann', level: 'beginner', owner: false });
});

verifies('kernel-identity', 'a JWT that is expired, endless, forged, or of another issuer or audience names nobody', async () => {
  const foreign = await generateKeyPair('RS256');
  const refused = [
    { expires: '-1m' },
    { expires: undefined },
    { key: foreign.privateKey },
    { issuer: 'https://other.example' },
    { audience: 'other' },
  ];
  for (const change of refused) await expect(bearer(await token(change))).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(bearer('a.b.c')).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('regression: keys that cannot be read, a full disk and a bug were "The token is not valid"', async () => {
  const verifier = (change: object) => jwtVerifier({ issuer: url, audience: 'millrace', keys: undefined, userOf, ...change });
  const jwt = await token();
  await expect(verifier({ keys: 'http://127.0.0.1:9/keys' })(jwt)).rejects.toMatchObject({
    code: 'unavailable',
    message: 'The token cannot be checked: the keys of its issuer cannot be read right now',
  });
  const page = createServer((_request, response) => response.writeHead(404).end('not here'));
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void page.close());
  const keys = `http://127.0.0.1:${(page.address() as AddressInfo).port}/`;
  await expect(verifier({ keys })(jwt)).rejects.toMatchObject({ code: 'unavailable' });
  const full = new Failure('storage', 'The disk is full');
  await expect(verifier({ userOf: () => Promise.reject(full) })(jwt)).rejects.toBe(full);
  const bug = new TypeError('a bug');
  await expect(verifier({ userOf: () => Promise.reject(bug) })(jwt)).rejects.toBe(bug);
});
