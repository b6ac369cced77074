import { globSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

/** One attack: a script of a Code node, or an expression. */
export interface Attack {
  name: string;
  kind: 'script' | 'expression';
  text: string;
}

type Texts = Map<string, string>;

/** A new way out of JavaScript's sandbox, a new aim of those who are out, or a new expression is one file. */
function texts(folder: string): Texts {
  const paths = globSync(join(import.meta.dirname, folder, '*')).sort();
  return new Map(paths.map((path) => [basename(path, extname(path)), readFileSync(path, 'utf8').trim()]));
}

export const ways = texts('ways');
export const aims = texts('aims');
export const expressions = texts('expressions');

/** The script finds everything that it needs to know in the item that it gets. */
export function script(way: string, aim: string): string {
  return `const target = $input.first().json;
let host;
try {
  host = await (async function () { ${way} }).call(this);
} catch {}
const module = (name) => host.getBuiltinModule?.(name) ?? host.mainModule?.require(name);
try {
  return [{ json: { found: String(await (async () => { ${aim} })()) } }];
} catch (error) {
  return [{ json: { refused: String(error?.message ?? error) } }];
}`;
}

/** Every way with the first aims and every aim with the first ways; with a depth beyond their number, each with each. */
export function attacks(depth: number): Attack[] {
  const scripts = [...ways].flatMap(([way, out], wayAt) =>
    [...aims].flatMap(([aim, goal], aimAt): Attack[] =>
      wayAt < depth || aimAt < depth ? [{ name: `${aim} by ${way}`, kind: 'script', text: script(out, goal) }] : [],
    ),
  );
  return [...scripts, ...[...expressions].map(([name, text]): Attack => ({ name: `expression ${name}`, kind: 'expression', text }))];
}
