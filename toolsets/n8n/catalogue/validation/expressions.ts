import { isRecord, nearest } from '@millrace/kernel';
import type { OpenedPack } from '../types/opened-pack.ts';
import { type Findings, quoted } from './findings.ts';
import type { PlacedNode, Shape } from './shape.ts';

/** `$('Name')`, `$node["Name"]` and `$items("Name")`, with the name in any kind of quotes and no expression in it. */
const REFERENCE = /\$(?:node\s*\[|items\s*\(|\()\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\$]|\\.)*)`)\s*[\])]/g;

/** Parameters that hold scripts, which speak of nodes the same way. */
const SCRIPT = /^(jsCode|functionCode)$/;

/** What fails when n8n comes to evaluate it: expressions that cannot be read, or that speak of a node which does not exist. */
export function checkExpressions(pack: OpenedPack, shape: Shape, findings: Findings): void {
  const suggestions = { left: MOST_SUGGESTIONS };
  for (const placed of shape.nodes) {
    if (placed.node.disabled === true) continue;
    const check = { pack, shape, findings, placed, suggestions };
    visit(placed.node.parameters, 'parameters', `${placed.path}.parameters`, 0, check);
  }
}

interface Check {
  pack: OpenedPack;
  shape: Shape;
  findings: Findings;
  placed: PlacedNode;
  /** To find what was meant takes time: not more often than anybody reads. */
  suggestions: { left: number };
}

const MOST_SUGGESTIONS = 30;
const DEEPEST = 40;

function visit(value: unknown, key: string, path: string, depth: number, check: Check): void {
  if (typeof value === 'string') {
    const expression = value.startsWith('=');
    if ((expression || SCRIPT.test(key)) && value.includes('$')) checkReferences(value, path, check);
    if (expression && value.includes('{{')) checkSyntax(value.slice(1), path, check);
    return;
  }
  if (depth > DEEPEST) return;
  if (Array.isArray(value)) for (let at = 0; at < value.length; at++) visit(value[at], key, `${path}[${at}]`, depth + 1, check);
  else if (isRecord(value)) for (const name of Object.keys(value)) visit(value[name], name, `${path}.${name}`, depth + 1, check);
}

function checkReferences(text: string, path: string, check: Check): void {
  const { shape, findings, placed } = check;
  for (const match of text.matchAll(REFERENCE)) {
    const name = unescaped(match[1] ?? match[2] ?? match[3] ?? '');
    if (name === '' || name.includes('${') || shape.byName.has(name)) continue;
    const [close] = check.suggestions.left-- > 0 ? nearest(name, shape.byName.keys(), 1) : [];
    const message = `An expression speaks of ${quoted(name)}, which does not exist: n8n fails when it evaluates it`;
    findings.at(placed.node.name, path).warn('unknown_reference', message, close ? `Write ${quoted(close)}` : 'Name a node that exists');
  }
}

function checkSyntax(text: string, path: string, { pack, findings, placed }: Check): void {
  const fault = pack.rules.expressionFault?.(text);
  if (fault === undefined) return;
  const message = `n8n cannot read this expression, and fails when it evaluates it: ${quoted(fault)}`;
  const fix = 'Fix what stands between {{ and }}: quotes, brackets and operators';
  findings.at(placed.node.name, path).warn('invalid_expression', message, fix);
}

function unescaped(name: string): string {
  return name.includes('\\') ? name.replaceAll(/\\(.)/g, '$1') : name;
}
