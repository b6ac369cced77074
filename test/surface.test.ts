import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { JsonSchema } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openMillrace, type TestMillrace } from './harness/millrace.ts';
import { verifies } from './requirements.ts';

let millrace: TestMillrace;

beforeAll(async () => {
  millrace = await openMillrace();
});
afterAll(() => millrace.close());

const COMBINATORS = ['anyOf', 'oneOf', 'allOf', 'if', 'not'];

test('every toolset can tell the doctor what works, and how to fix what does not', async () => {
  for (const { name, checks } of millrace.catalog.toolsets) {
    const found = (await checks?.()) ?? [];
    expect(found.length, name).toBeGreaterThan(0);
    expect(
      found.filter(({ state, fix }) => state !== 'ok' && !fix),
      name,
    ).toEqual([]);
    expect(
      found.filter(({ state }) => state === 'broken'),
      name,
    ).toEqual([]);
  }
});

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
      const refused = tool.input.safeParse({ no_such_argument: 1 }).error?.issues.map(({ code }: { code: string }) => code);
      expect(refused, tool.name).toContain('unrecognized_keys');
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
