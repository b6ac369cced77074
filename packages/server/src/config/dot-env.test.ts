import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { writeDotEnv } from './dot-env.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'millrace-env-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('variables are set, other lines are kept, and only the owner can read them', () => {
  const place = folder();
  writeFileSync(join(place, '.env'), '# mine\nOTHER=1\nexport FLOWISE_API_KEY=old\n', { mode: 0o644 });
  const path = writeDotEnv(place, { FLOWISE_API_KEY: 'new', FLOWISE_API_URL: 'http://localhost:3000' });
  expect(readFileSync(path, 'utf8')).toBe('# mine\nOTHER=1\nFLOWISE_API_KEY=new\nFLOWISE_API_URL=http://localhost:3000\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('whatever a key looks like, Node reads it back', () => {
  const place = join(folder(), 'new');
  for (const value of ['plain', 'with space', "it's", 'a "quote"', '#hash', '$money', 'tail=', ' spaced ']) {
    const path = writeDotEnv(place, { KEY: value });
    expect(parseEnv(readFileSync(path, 'utf8')), value).toEqual({ KEY: value });
  }
});
