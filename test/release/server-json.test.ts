import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { PACKAGE, ROOT } from '../harness/package.ts';
import schema from './server.schema.json' with { type: 'json' };

interface Variable {
  name: string;
  isSecret?: boolean;
}

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const server = read(join(ROOT, 'server.json')) as {
  name: string;
  version: string;
  packages: [{ identifier: string; version: string; environmentVariables: Variable[] }];
};
const npmPackage = server.packages[0];

describe('server.json', () => {
  const ajv = new Ajv2020({ allErrors: true });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);

  test('satisfies the schema of the registry', () => {
    expect(validate(server) || validate.errors).toBe(true);
  });

  test.each([
    ['a description of more than 100 characters', { description: 'x'.repeat(101) }],
    ['a name with two slashes', { name: 'io.github/millrace/millrace' }],
    ['a version range', { version: '^0.1.0' }],
    ['an unknown key', { website: 'https://example.com' }],
  ])('is checked: %s is refused', (_what, change) => {
    expect(validate({ ...server, ...change })).toBe(false);
  });

  test('names the package that is published, and is named in it', () => {
    const published = read(join(PACKAGE, 'package.json'));
    expect(published).toMatchObject({ name: npmPackage.identifier, version: server.version, mcpName: server.name });
    expect(npmPackage.version).toBe(server.version);
  });

  test('marks every key, password and token as a secret, and nothing else', () => {
    const secrets = npmPackage.environmentVariables.filter(({ isSecret }) => isSecret).map(({ name }) => name);
    const suspected = npmPackage.environmentVariables
      .map(({ name }) => name)
      .filter((name) => /(_KEY|_KEY_ID|PASSWORD|TOKEN|_TOKEN_BEDROCK)$|^DATABASE_URL$/.test(name));
    expect(secrets).toEqual(suspected);
    expect(secrets).toEqual(expect.arrayContaining(['FLOWISE_API_KEY', 'N8N_API_KEY', 'DATABASE_URL', 'MILLRACE_TOKEN', 'OPENAI_API_KEY']));
  });
});
