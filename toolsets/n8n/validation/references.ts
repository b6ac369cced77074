import { nearest } from '@millrace/kernel';
import { type Findings, quoted } from './findings.ts';
import type { Shape } from './shape.ts';

/** `$('Name')`, `$node["Name"]` and `$items("Name")`, with the name in any kind of quotes and no expression in it. */
const REFERENCE = /\$(?:node\s*\[|items\s*\(|\()\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\$]|\\.)*)`)\s*[\])]/g;

/** Parameters that hold scripts, which speak of nodes the same way. */
const SCRIPT = /\.(jsCode|functionCode)$/;

/** Expressions that speak of a node which does not exist: they fail when they are evaluated. */
export function checkReferences(shape: Shape, findings: Findings): void {
  for (const { node, path } of shape.nodes) {
    if (node.disabled === true) continue;
    for (const [text, at] of expressions(node.parameters, `${path}.parameters`)) {
      for (const match of text.matchAll(REFERENCE)) {
        const name = unescaped(match[1] ?? match[2] ?? match[3] ?? '');
        if (name === '' || shape.byName.has(name)) continue;
        const [close] = nearest(name, shape.byName.keys(), 1);
        findings.warn({
          code: 'unknown_reference',
          node: node.name,
          path: at,
          message: `An expression speaks of ${quoted(name)}, which does not exist`,
          fix: close ? `Write ${quoted(close)}` : 'Name a node that exists',
        });
      }
    }
  }
}

function* expressions(value: unknown, path: string, depth = 0): Generator<[string, string]> {
  if (typeof value === 'string') {
    if ((value.startsWith('=') || SCRIPT.test(path)) && value.includes('$')) yield [value, path];
  } else if (depth > 40 || value === null || typeof value !== 'object') return;
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* expressions(item, `${path}[${index}]`, depth + 1);
  else for (const [key, item] of Object.entries(value)) yield* expressions(item, `${path}.${key}`, depth + 1);
}

function unescaped(name: string): string {
  return name.replaceAll(/\\(.)/g, '$1');
}
