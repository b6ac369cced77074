import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { JsonSchema } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compose, type Millrace } from '../packages/server/src/compose.ts';
import { configure } from '../packages/server/src/configuration.ts';
import { temporaryFolder } from './harness/process.ts';
import { verifies } from './requirements.ts';

const folder = temporaryFolder();
const log = { debug() {}, info() {}, warn() {}, error() {} };
let millrace: Millrace;

beforeAll(async () => {
  const configuration = configure({
    flags: {},
    home: undefined,
    config: undefined,
    environment: { HOME: folder.path },
    workingDirectory: folder.path,
  });
  millrace = await compose({ configuration, log });
});
afterAll(async () => {
  await millrace.close();
  folder[Symbol.dispose]();
});

const COMBINATORS = ['anyOf', 'oneOf', 'allOf', 'if', 'not'];

describe('every tool', () => {
  test('is named after its file, in snake case', () => {
    const files = globSync('toolsets/*/tools/*.ts', { cwd: join(import.meta.dirname, '..') })
      .map((path) => basename(path, '.ts'))
      .filter((name) => !name.endsWith('.test'));
    const names = millrace.catalog.entries().map(({ tool }) => tool.name);
    expect(names.filter((name) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name))).toEqual([]);
    expect(names.map((name) => name.replaceAll('_', '-')).sort()).toEqual(files.sort());
  });

  test('says what it does and hints what it changes', () => {
    for (const { tool } of millrace.catalog.entries()) {
      expect(tool.description.length, tool.name).toBeGreaterThan(20);
      expect(tool.annotations.title, tool.name).toBeTruthy();
      if (tool.annotations.readOnlyHint) expect(tool.access, tool.name).toBe('read');
      if (tool.annotations.readOnlyHint) expect(tool.annotations.destructiveHint, tool.name).toBe(false);
    }
  });

  verifies('kernel-no-root-combinators', 'advertises an object without combinators at its root, and refuses unknown arguments', () => {
    for (const { tool, inputSchema } of millrace.catalog.entries()) {
      expect(inputSchema.type, tool.name).toBe('object');
      expect(inputSchema.additionalProperties, tool.name).toBe(false);
      expect(
        COMBINATORS.filter((keyword) => keyword in inputSchema),
        tool.name,
      ).toEqual([]);
    }
  });

  test('describes every argument', () => {
    const silent = millrace.catalog.entries().flatMap(({ tool, inputSchema }) =>
      Object.entries((inputSchema.properties ?? {}) as Record<string, JsonSchema>)
        .filter(([, schema]) => !schema.description)
        .map(([name]) => `${tool.name}.${name}`),
    );
    expect(silent).toEqual([]);
  });
});

test('every toolset tells the assistant how to use it', () => {
  for (const toolset of millrace.catalog.toolsets) expect(millrace.instructions).toContain(toolset.instructions);
});
