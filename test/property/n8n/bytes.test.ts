import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openN8n } from '../../harness/n8n.ts';
import { verifies } from '../../requirements.ts';

const json = fc.jsonValue({ maxDepth: 3, noUnicodeString: false });
const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', '10', '2', 'nodes ', 'é'));
const workflow = fc.record({
  first: fc.dictionary(key, json, { maxKeys: 4 }),
  nodes: fc.array(
    fc.record({
      name: fc.string(),
      type: fc.constantFrom('a.b', 'c.d'),
      parameters: fc.dictionary(key, json, { maxKeys: 4 }),
      strange: json,
    }),
    { maxLength: 4 },
  ),
  connections: fc.constant({}),
  last: json,
});

/** One value spelled in many ways that all say the same. */
const spelling = fc.record({
  space: fc.constantFrom(undefined, 1, 2, 3, '\t', '    '),
  crlf: fc.boolean(),
  mark: fc.boolean(),
  end: fc.constantFrom('', '\n', '\n\n', '\r\n', '  '),
  numbers: fc.boolean(),
  escapes: fc.boolean(),
});

function spelled(
  value: unknown,
  how: { space: string | number | undefined; crlf: boolean; mark: boolean; end: string; numbers: boolean; escapes: boolean },
): string {
  let text = JSON.stringify(value, null, how.space);
  if (how.numbers) text = text.replace(/([:[,]\s*)(-?\d+)(?=[,\]}\s])/g, '$1$2.0');
  if (how.escapes) text = text.replaceAll('é', '\\u00e9').replaceAll('/', '\\/');
  if (how.crlf) text = text.replaceAll('\n', '\r\n');
  return (how.mark ? '\uFEFF' : '') + text + how.end;
}

verifies(
  'n8n-save-load-round-trip',
  'what is loaded and saved again is the same, byte by byte',
  async () => {
    const n8n = await openN8n();
    await fc.assert(
      fc.asyncProperty(workflow, spelling, async (value, how) => {
        const text = spelled(value, how);
        n8n.write('trip.json', text);
        const { workflowId, workflowData } = await n8n.done('workflow_load', { workflowIdOrPath: 'trip.json' });
        // As it comes back from a client: through JSON once more.
        const returned = JSON.parse(JSON.stringify({ workflowId, workflowData, filePath: 'trip.json' }));
        await n8n.done('workflow_save', returned);
        expect(n8n.read('trip.json')).toBe(text);
        await n8n.done('workflow_save', { ...returned, filePath: 'copy.json' });
        expect(Object.keys(n8n.json('copy.json'))).toEqual(Object.keys(workflowData ?? {}));
        expect(n8n.json('copy.json')).toEqual(workflowData);
        rmSync(join(n8n.root, 'copy.json'));
      }),
      { numRuns: 150 },
    );
  },
  120_000,
);

test('an edit touches nothing but its own lines', async () => {
  const n8n = await openN8n();
  const nodes = Array.from({ length: 5 }, (_, index) => ({
    id: `n${index}`,
    name: `N${index}`,
    type: 'n8n-nodes-base.set',
    typeVersion: 3.4,
    position: [index * 200, 0],
    parameters: { mode: 'x' },
  }));
  await fc.assert(
    fc.asyncProperty(spelling, fc.nat({ max: 4 }), async (how, index) => {
      const text = spelled({ name: 'x', nodes, connections: {}, zebra: { b: 1, a: 2 } }, how);
      n8n.write('edit.json', text);
      await n8n.done('node_update', { workflowId: 'edit.json', nodeId: `n${index}`, disabled: true });
      const after = n8n.read('edit.json');
      const added = after.length - text.length;
      const at = [...after].findIndex((character, place) => character !== text[place]);
      expect(after.slice(0, at) + after.slice(at + added)).toBe(text);
      await n8n.done('workflow_undo', { workflowId: 'edit.json' });
      expect(n8n.read('edit.json')).toBe(text);
    }),
    { numRuns: 60 },
  );
}, 60_000);

const SECRET = JSON.stringify({ name: 'secret', nodes: [], connections: {}, id: 'secret' });

function everything(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile())
      found[relative(folder, join(entry.parentPath, entry.name))] = readFileSync(join(entry.parentPath, entry.name), 'utf8');
  }
  return found;
}

verifies(
  'n8n-paths-confined',
  'no path leads out of the roots, however it is written',
  async () => {
    const n8n = await openN8n();
    const outside = join(n8n.workspace, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'secret.json'), SECRET);
    mkdirSync(join(n8n.root, 'sub'));
    symlinkSync(outside, join(n8n.root, 'door'));
    symlinkSync(join(outside, 'secret.json'), join(n8n.root, 'linked.json'));
    symlinkSync('../..', join(n8n.root, 'sub', 'up'));
    symlinkSync(join(outside, 'new.json'), join(n8n.root, 'dangling.json'));
    const before = everything(outside);
    const part = fc.constantFrom(
      '..',
      '.',
      'sub',
      'door',
      'up',
      'outside',
      'workflows',
      'secret.json',
      'linked.json',
      'dangling.json',
      'new.json',
      '',
      '%2e%2e',
      '..\\',
      'a\0b',
    );
    const path = fc
      .tuple(
        fc.constantFrom('', '/', `${n8n.root}/`, `${outside}/`, '../', 'file://', '~/'),
        fc.array(part, { minLength: 1, maxLength: 5 }),
      )
      .map(([start, parts]) => start + parts.join('/'));
    await fc.assert(
      fc.asyncProperty(path, async (written) => {
        const loaded = await n8n.call('workflow_load', { workflowIdOrPath: written });
        expect(loaded.text).not.toContain('"secret"');
        const listed = await n8n.call('workflow_list', { directoryPath: written || '.' });
        expect(listed.text).not.toContain('"id":"secret"');
        await n8n.call('node_add', { workflowId: written, nodeType: 'n8n-nodes-base.set' });
        await n8n.call('workflow_save', { workflowId: 'x', workflowData: { name: 'x', nodes: [], connections: {} }, filePath: written });
        await n8n.call('workflow_save', {
          workflowId: 'x',
          workflowData: { name: 'x', nodes: [], connections: {} },
          filePath: `${written}.json`,
        });
        expect(everything(outside)).toEqual(before);
        expect(readdirSync(n8n.workspace).toSorted()).toEqual(['outside', 'workflows']);
      }),
      { numRuns: 150 },
    );
    expect(readdirSync(dirname(n8n.workspace))).not.toContain('new.json');
  },
  120_000,
);
