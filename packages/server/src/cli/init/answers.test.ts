import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { type Assistant, assistants } from '../../connect/assistants.ts';
import { answersOf, type Situation } from './answers.ts';

const known = assistants({ HOME: '/nowhere' }).map((assistant): Assistant => ({ ...assistant, installed: assistant.name === 'cursor' }));
const situation: Situation = {
  docs: undefined,
  environment: {},
  offered: [{ name: 'n8n', notice: '' }],
  assistants: known,
  workingDirectory: tmpdir(),
};
const answers = (values: Record<string, string | boolean>) => answersOf({ positionals: [], values }, situation);
const names = (chosen: Assistant[]) => chosen.map(({ name }) => name);

describe('answers by flags', () => {
  test('leave everything else as is, and connect every assistant found', () => {
    const { connect, ...rest } = answers({ yes: true });
    expect(rest).toEqual({ docs: undefined, secrets: {}, engines: [], index: true });
    expect(names(connect)).toEqual(['cursor']);
  });

  test('are taken as they are', () => {
    const given = answers({
      docs: '.',
      'flowise-url': 'http://localhost:3000',
      'flowise-key': 'secret',
      'n8n-url': 'https://n8n.example',
      engine: true,
      index: false,
      connect: 'claude, vscode',
    });
    expect(given).toMatchObject({
      docs: tmpdir(),
      secrets: { FLOWISE_API_URL: 'http://localhost:3000', FLOWISE_API_KEY: 'secret', N8N_API_URL: 'https://n8n.example' },
      engines: ['n8n'],
      index: false,
    });
    expect(names(given.connect)).toEqual(['claude', 'vscode']);
    expect(names(answers({ connect: 'none' }).connect)).toEqual([]);
  });

  test('that are invalid are refused', () => {
    expect(() => answers({ docs: 'not-there' })).toThrow('is not a folder');
    expect(() => answers({ 'flowise-url': 'localhost:3000' })).toThrow('--flowise-url must begin with http:// or https://');
    expect(() => answers({ connect: 'claud' })).toThrow('"claud" is not an assistant that Millrace knows');
  });
});
