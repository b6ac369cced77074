import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { PACKAGE } from '../harness/package.ts';

/** Files that are programs: importing one starts it. Each has a test that starts it. */
const PROGRAMS = [
  'millrace.js',
  'flowrag.js',
  'flowrag-mcp.js',
  'chunks/embedding-session.js',
  'chunks/n8n/child/main.js',
  'chunks/n8n/code/main.js',
];

const files = globSync('**/*.js', { cwd: PACKAGE, exclude: (name) => name === 'bin' || name === 'node_modules' }).map(normalize);
const modules = files.filter((file) => !PROGRAMS.includes(file));

interface DynamicImport {
  from: string;
  to: string;
  /** What the importing code takes out of the module. */
  members: string[];
}

const IMPORT = /import\("(\.[^"]+)"\)/g;

/** Every `import("…")` of a bundled file, and the names that are read from what it gives. */
function dynamicImports(from: string, code: string): DynamicImport[] {
  return [...code.matchAll(IMPORT)].map((found) => {
    const [text, target = ''] = found;
    const before = code.slice(Math.max(0, found.index - 400), found.index);
    const after = code.slice(found.index + text.length, found.index + text.length + 400);
    return { from, to: normalize(join(dirname(from), target)), members: membersRead(before, after, code) };
  });
}

function membersRead(before: string, after: string, code: string): string[] {
  const taken = /(?:let|const|var)?\{([^{}]*)\}=await $/.exec(before) ?? /^\)?\.then\(\(?\{([^{}]*)\}\)?=>/.exec(`)${after}`);
  const awaited = /^\)\.(\w+)/.exec(after);
  const named = /(\w+)=await $/.exec(before) ?? /^\.then\(\(?(\w+)\)?=>/.exec(after);
  return [
    ...(taken?.[1]?.split(',').map((entry) => entry.split(/[:=]/)[0]?.trim() ?? '') ?? []),
    ...(awaited && /\(await $/.test(before) ? [awaited[1] as string] : []),
    ...(named ? [...code.matchAll(new RegExp(`\\b${named[1]}\\.(\\w+)`, 'g'))].map((found) => found[1] as string) : []),
  ].filter(Boolean);
}

/** Imports the files in one process of their own and answers the names that each exports. */
function exportsOf(paths: readonly string[]): Record<string, string[] | string> {
  const urls = paths.map((path) => [path, pathToFileURL(join(PACKAGE, path)).href]);
  const script = `
    const names = {};
    for (const [path, url] of ${JSON.stringify(urls)}) {
      try { names[path] = Object.keys(await import(url)); } catch (error) { names[path] = String(error.stack); }
    }
    process.stdout.write(JSON.stringify(names), () => process.exit());`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', maxBuffer: 1e8 }));
}

describe('the bundle', () => {
  const imports = files.flatMap((file) => dynamicImports(file, readFileSync(join(PACKAGE, file), 'utf8')));
  const exported = exportsOf(modules);

  test('every chunk can be imported', () => {
    expect(modules.length).toBeGreaterThan(50);
    expect(Object.entries(exported).filter(([, names]) => typeof names === 'string')).toEqual([]);
  });

  test('every dynamic import finds its chunk, and in it what the code reads', () => {
    expect(imports.length).toBeGreaterThan(50);
    expect(imports.filter(({ members }) => members.length > 0).length).toBeGreaterThan(imports.length / 2);
    const broken = imports.flatMap(({ from, to, members }) => {
      const names = exported[to] ?? [];
      return members.filter((member) => member !== 'then' && !names.includes(member)).map((member) => `${from} reads ${member} of ${to}`);
    });
    expect(broken).toEqual([]);
  });

  test('a named export that a bundled CommonJS package does not have is found', () => {
    const [found] = dynamicImports('a.js', 'async function pool(){let undici=await import("./b.js");return new undici.Pool}');
    expect(found).toEqual({ from: 'a.js', to: 'b.js', members: ['Pool'] });
    const [destructured] = dynamicImports('a.js', 'let{Pool:P,Agent}=await import("./b.js")');
    expect(destructured?.members).toEqual(['Pool', 'Agent']);
    const [chained] = dynamicImports('a.js', 'x=()=>import("./b.js").then(({Pool})=>new Pool)');
    expect(chained?.members).toEqual(['Pool']);
    const [direct] = dynamicImports('a.js', 'x=(await import("./b.js")).Pool');
    expect(direct?.members).toEqual(['Pool']);
  });
});
