import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** What each part may import of the others. Everything points inward; toolsets know nothing of each other. */
const PERMITTED: Record<string, string[]> = {
  'packages/kernel': [],
  'packages/native': [],
  'packages/http': ['@millrace/kernel'],
  'packages/storage': ['@millrace/kernel'],
  'packages/models': ['@millrace/kernel', '@millrace/http'],
  'packages/transports': ['@millrace/kernel'],
  'packages/agent': ['@millrace/kernel', '@millrace/http', '@millrace/storage', '@millrace/models'],
  'packages/server': ['@millrace/'],
  'packages/toolset': ['@millrace/kernel', '@millrace/http', '@millrace/storage', '@millrace/models'],
};

/** Every toolset may use the same packages, and none of the other toolsets. */
const OF_TOOLSETS = ['kernel', 'http', 'storage', 'models', 'toolset'].map((name) => `@millrace/${name}`);
for (const folder of globSync('toolsets/*', { cwd: ROOT })) PERMITTED[folder] = OF_TOOLSETS;
/**
 * The rooms of a part, and what each may import of the others; `.` stands for the files beside the rooms, which may import all of
 * them. A folder in a room belongs to it, unless that room has a table of its own.
 */
const ROOMS: Record<string, Record<string, string[]>> = {
  'packages/kernel/src': { steps: ['.'] },
  'packages/agent/src': { conversations: [], rules: ['.'], loop: ['.', 'conversations', 'rules'] },
  'packages/models/src': { local: ['.'], remote: ['.'] },
  'packages/server/src': {
    config: ['.'],
    connect: ['.', 'config'],
    doctor: ['.', 'config', 'connect'],
    cli: ['.', 'config', 'connect', 'doctor'],
  },
  'packages/transports/src': { http: ['.'] },
  'toolsets/todo': { calendar: [], store: ['.'], tools: ['.', 'calendar', 'store'] },
  'toolsets/flowise': {
    client: [],
    engine: [],
    nodes: ['client'],
    store: ['.', 'client'],
    flow: ['client', 'nodes'],
    prediction: ['client', 'flow'],
    generation: ['client', 'flow', 'nodes', 'prediction'],
    tools: ['.', 'client', 'flow', 'generation', 'prediction'],
  },
  'toolsets/flowmind': {
    language: [],
    conditions: ['language'],
    flow: ['language'],
    contexts: ['.', 'flow', 'language'],
    composition: ['.', 'contexts', 'flow', 'language'],
    discovery: ['.', 'contexts', 'flow'],
    help: ['.', 'discovery'],
    teaching: ['.', 'contexts', 'discovery', 'flow', 'help'],
    execution: ['.', 'conditions', 'contexts', 'flow', 'language', 'teaching'],
    tools: ['.', 'composition', 'conditions', 'contexts', 'discovery', 'execution', 'flow', 'help'],
    commands: ['.', 'contexts', 'execution'],
  },
  'toolsets/flowmind/flow': { nodes: ['.'] },
  'toolsets/flowmind/discovery': { index: [], fit: ['index'], answer: ['index', 'fit'] },
  'toolsets/flowrag': {
    document: [],
    names: [],
    extraction: ['.', 'document'],
    store: ['.', 'document', 'names'],
    provenance: ['.', 'extraction', 'store'],
    graph: ['.', 'store'],
    retrieval: ['.', 'names', 'store'],
    ingest: ['.', 'document', 'extraction', 'names', 'provenance', 'store'],
    eval: ['names', 'retrieval', 'store'],
    tools: ['.', 'graph', 'ingest', 'retrieval', 'store'],
    commands: ['.', 'eval', 'tools'],
  },
  'toolsets/n8n': {
    document: [],
    catalogue: ['document'],
    engine: ['document', 'catalogue'],
    remote: ['document', 'catalogue', 'engine'],
    tools: ['.', 'document', 'catalogue', 'engine', 'remote'],
    commands: ['.', 'document', 'engine'],
  },
  'toolsets/n8n/document': { text: [], workflow: ['text'], files: ['text', 'workflow'] },
  'toolsets/n8n/catalogue': { types: [], pack: ['types'], validation: ['types', 'pack'] },
  'toolsets/n8n/engine': { confinement: [], child: ['.', 'confinement'], code: ['.', 'confinement'] },
};

/** Third-party packages of the kernel: it stands on next to nothing. */
const KERNEL_PACKAGES = ['zod'];

/** Programs that run as processes of their own: the environment is theirs to set. */
const PROGRAMS = ['toolsets/n8n/engine/child/main.ts', 'toolsets/n8n/engine/code/main.ts'];

/** What npm links in a checkout: each hands over to the launcher of the same name in bin. */
const LINKED = 'packages/server/bin/';

/** Tests by part that are not beside it, since they run on every database or through the whole pipeline. */
const UNIT_TESTS = ['test/kernel/', 'test/storage/'];

/** Knows where the engine of n8n is installed for tests, as the product does. */
const PACK_FINDER = 'test/harness/n8n-pack.ts';

interface SourceFile {
  path: string;
  part: string;
  text: string;
  imports: string[];
}

function sources(): SourceFile[] {
  return Object.keys(PERMITTED).flatMap((part) =>
    globSync(`${part}/**/*.{ts,mjs,js}`, { cwd: ROOT, exclude: (name) => /(^|\/)(node_modules|dist)(\/|$)/.test(name) })
      .filter((path) => !path.endsWith('.test.ts') && !path.includes('/testing/') && !path.startsWith(LINKED))
      .map((path) => {
        const text = readFileSync(join(ROOT, path), 'utf8');
        return { path, part, text, imports: importsOf(text) };
      }),
  );
}

function importsOf(text: string): string[] {
  return [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^'";]*?from\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)import\s+['"]([^'"]+)['"]/g,
    ),
  ].map((match) => (match[1] ?? match[2] ?? match[3]) as string);
}

const files = sources();

/** The room of a file in a folder with rooms: `.` for a file beside them; undefined for one outside. */
function roomOf(path: string, base: string): string | undefined {
  if (!path.startsWith(`${base}/`)) return undefined;
  const inside = path.slice(base.length + 1);
  return inside.includes('/') ? inside.slice(0, inside.indexOf('/')) : '.';
}

/** Rooms that can be reached from a room by its table, other than through the files beside them. */
function reachable(room: string, table: Record<string, string[]>, seen = new Set<string>()): Set<string> {
  for (const next of table[room] ?? []) {
    if (next === '.' || seen.has(next)) continue;
    seen.add(next);
    reachable(next, table, seen);
  }
  return seen;
}

describe('the map', () => {
  test('covers real files', () => expect(files.length).toBeGreaterThan(50));

  test('imports point inward', () => {
    const wrong = files.flatMap(({ path, part, imports }) =>
      imports
        .filter(
          (name) =>
            // The server is the package that is published, under the product's own name.
            (name.startsWith('@millrace/') || /^millrace(\/|$)/.test(name)) &&
            !PERMITTED[part]?.some((allowed) => name === allowed || name.startsWith(allowed.endsWith('/') ? allowed : `${allowed}/`)),
        )
        .map((name) => `${path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  test('the server names a toolset in its list, and in the program that is one toolset; nowhere else', () => {
    const names = globSync('toolsets/*', { cwd: ROOT }).map((folder) => folder.slice('toolsets/'.length));
    const named = new RegExp(`@millrace/(${names.join('|')})\\b|['"](${names.join('|')})['"]`);
    const allowed = ['packages/server/src/toolsets.ts', 'packages/server/src/flowrag-line.ts'];
    // In the agent's rules, "todo" is a word of the language.
    const wrong = files.filter(
      ({ path, part, text }) => part.startsWith('packages/') && part !== 'packages/agent' && !allowed.includes(path) && named.test(text),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test('relative imports stay inside their part', () => {
    const wrong = files.flatMap(({ path, part, imports }) =>
      imports
        .filter((name) => name.startsWith('.') && !join(path, '..', name).startsWith(`${part}/`))
        .map((name) => `${path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  test('knows every part', () => {
    const parts = globSync('{packages,toolsets}/*', { cwd: ROOT }).filter((path) => existsSync(join(ROOT, path, 'package.json')));
    expect(parts.filter((part) => !PERMITTED[part])).toEqual([]);
    const divided = new Set(
      files
        .filter(({ path, part }) =>
          path
            .slice(part.length + 1)
            .replace(/^src\//, '')
            .includes('/'),
        )
        .map(({ part }) => part),
    );
    const mapped = (part: string) => Object.keys(ROOMS).some((base) => base === part || base === `${part}/src`);
    expect([...divided].filter((part) => !mapped(part))).toEqual([]);
  });

  describe.each(Object.entries(ROOMS))('the rooms of %s', (base, table) => {
    const inside = files.flatMap((file) => {
      const room = roomOf(file.path, base);
      return room === undefined ? [] : [{ ...file, room }];
    });

    test('are all in the table', () => {
      expect([...new Set(inside.map(({ room }) => room))].filter((room) => room !== '.').sort()).toEqual(Object.keys(table).sort());
    });

    test('import one way', () => {
      expect(Object.keys(table).filter((room) => reachable(room, table).has(room))).toEqual([]);
      const wrong = inside.flatMap(({ path, room, imports }) =>
        imports
          .filter((name) => name.startsWith('.'))
          .filter((name) => {
            const target = roomOf(join(path, '..', name), base);
            return room !== '.' && target !== undefined && target !== room && !table[room]?.includes(target);
          })
          .map((name) => `${path} imports ${name}`),
      );
      expect(wrong).toEqual([]);
    });
  });

  test('the kernel stands on zod alone', () => {
    const foreign = files
      .filter(({ part }) => part === 'packages/kernel')
      .flatMap(({ imports }) => imports.filter((name) => !name.startsWith('.') && !name.startsWith('node:')));
    expect([...new Set(foreign)]).toEqual(KERNEL_PACKAGES);
  });

  test('only the server reads the environment', () => {
    const outside = files
      .filter(({ path, part, text }) => part !== 'packages/server' && !PROGRAMS.includes(path) && /\bprocess\.env\b/.test(text))
      .map(({ path }) => path);
    expect(outside).toEqual([]);
  });

  test('nobody writes to stdout: it belongs to the protocol', () => {
    const writers = files
      .filter(
        ({ path, text }) =>
          path !== 'packages/server/src/cli/terminal.ts' && /process\.stdout\.write|console\.(log|info|debug)\(/.test(text),
      )
      .map(({ path }) => path);
    expect(writers).toEqual([]);
  });

  test('no text assumes how the program was started', () => {
    const named = /\bmillrace (init|serve|chat|user|audit|connect|engine|doctor|context|session|n8n|flowrag)\b/;
    const wrong = files.flatMap(({ path, text }) =>
      text
        .split('\n')
        .filter((line) => named.test(line) && !/^\s*(\/\/|\/?\*)/.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(wrong).toEqual([]);
  });

  test('there is no place for odds and ends', () => {
    expect(files.map(({ path }) => path).filter((path) => /(^|\/)(utils?|helpers?|common|misc)(\/|\.ts$)/.test(path))).toEqual([]);
  });
});

/** What a file loads: without imports of types, which are gone when it runs. */
function loadedBy(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8').replaceAll(/^(import|export) type\b[^;]*;/gm, '');
  return importsOf(text).map((name) => (name.startsWith('.') ? join(path, '..', name) : name));
}

/** Parts of the product; what a part has for its tests, such as a stand-in for a server, is none of it. */
function isProduct(name: string): boolean {
  return /^(@millrace\/|(packages|toolsets)\/.*\.[mc]?[jt]s$)/.test(name) && !name.includes('/testing/');
}

/** How a test gets at sources of the product, if it does, through whatever it loads. */
function waysToSources(path: string, seen = new Set([PACK_FINDER])): string[] {
  return loadedBy(path).flatMap((name) => {
    if (isProduct(name)) return [`${path} loads ${name}`];
    if (!/^(test|packages|toolsets)\/.*\.ts$/.test(name) || seen.has(name)) return [];
    seen.add(name);
    return waysToSources(name, seen);
  });
}

test('what ships is what is tested: outside of unit tests, no test loads the sources', () => {
  const suites = globSync('test/**/*.ts', { cwd: ROOT }).filter(
    (path) => !path.startsWith('test/harness/') && !UNIT_TESTS.some((folder) => path.startsWith(folder)),
  );
  expect(suites.length).toBeGreaterThan(50);
  expect([...new Set(suites.flatMap((path) => waysToSources(path)))]).toEqual([]);
});
