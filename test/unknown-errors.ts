import { parseSync } from 'oxc-parser';

/** A node of the syntax tree. */
export interface SyntaxNode {
  type: string;
  start: number;
  [key: string]: unknown;
}

/** Calls that fail in one way only, for what they are given, so that nothing needs to be told apart. */
const FAIL_IN_ONE_WAY = ['JSON.parse', 'URL', 'RegExp', 'decodeURIComponent', 'parseArgs'];
const NEVER_FAIL = ['trim', 'replace', 'slice', 'toString'];

/**
 * Where a `catch` makes a Failure out of an error that it has not recognised: such a catch reports bugs as trouble of the world
 * around us. Recognised means: behind a test that says what the error is, or after unknown ones were thrown on.
 */
export function unknownErrors(path: string, source: string, makers: ReadonlySet<string>): string[] {
  if (!source.includes('catch')) return [];
  const { program } = parseSync(path, source);
  const found: string[] = [];
  walk(program as unknown as SyntaxNode, [], (node, ancestors) => {
    const handler = handlerOf(node);
    if (!handler) return;
    const tried = node.type === 'CatchClause' ? (ancestors.at(-1)?.['block'] as SyntaxNode) : calleeObject(node);
    if (tried && failsInOneWay(tried, source)) return;
    for (const made of failuresIn(handler.body, makers)) {
      if (!isRecognised(made, handler)) found.push(`${path}:${source.slice(0, made.node.start).split('\n').length}`);
    }
  });
  return [...new Set(found)];
}

/** Names of functions that return a Failure: calling one is making one. */
export function failureMakers(path: string, source: string): string[] {
  if (!source.includes(': Failure {')) return [];
  const { program } = parseSync(path, source);
  const names: string[] = [];
  walk(program as unknown as SyntaxNode, [], (node) => {
    const method = node.type === 'MethodDefinition';
    const made = method ? (node['value'] as SyntaxNode) : node;
    const name = ((method ? node['key'] : node['id']) as { name?: string } | null)?.name;
    const type = (made['returnType'] as { typeAnnotation?: { typeName?: { name?: string } } } | null)?.typeAnnotation?.typeName?.name;
    if (name && type === 'Failure') names.push(name);
  });
  return names;
}

interface Handler {
  body: SyntaxNode;
  /** Names that hold the error or something read from it. */
  names: Set<string>;
}

function handlerOf(node: SyntaxNode): Handler | undefined {
  if (node.type === 'CatchClause') return handler(node['body'] as SyntaxNode, node['param'] as SyntaxNode | null);
  const callee = node['callee'] as SyntaxNode | undefined;
  const property = (callee?.['property'] as { name?: string } | undefined)?.name;
  if (node.type !== 'CallExpression' || (property !== 'catch' && property !== 'then')) return undefined;
  const made = (node['arguments'] as SyntaxNode[])[property === 'catch' ? 0 : 1];
  if (made?.type !== 'ArrowFunctionExpression' && made?.type !== 'FunctionExpression') return undefined;
  return handler(made['body'] as SyntaxNode, (made['params'] as SyntaxNode[])[0]);
}

function handler(body: SyntaxNode, parameter: SyntaxNode | null | undefined): Handler {
  const names = new Set(parameter ? namesIn(parameter) : []);
  walk(body, [], (node) => {
    if (node.type !== 'VariableDeclarator' || !node['init']) return;
    if (mentions(node['init'] as SyntaxNode, names)) for (const name of namesIn(node['id'] as SyntaxNode)) names.add(name);
  });
  return { body, names };
}

function calleeObject(node: SyntaxNode): SyntaxNode | undefined {
  return (node['callee'] as SyntaxNode | undefined)?.['object'] as SyntaxNode | undefined;
}

function failsInOneWay(tried: SyntaxNode, source: string): boolean {
  const calls: string[] = [];
  walk(tried, [], (node) => {
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return;
    const { start, end } = node['callee'] as unknown as { start: number; end: number };
    calls.push(source.slice(start, end));
  });
  return calls.length > 0 && calls.every((call) => FAIL_IN_ONE_WAY.includes(call) || NEVER_FAIL.some((one) => call.endsWith(`.${one}`)));
}

interface Made {
  node: SyntaxNode;
  /** From the handler's body inward. */
  ancestors: SyntaxNode[];
}

function failuresIn(body: SyntaxNode, makers: ReadonlySet<string>): Made[] {
  const made: Made[] = [];
  walk(body, [], (node, ancestors) => {
    if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return;
    const callee = node['callee'] as { name?: string; property?: { name?: string } };
    const name = callee.name ?? callee.property?.name ?? '';
    if ((node.type === 'NewExpression' && name === 'Failure') || (node.type === 'CallExpression' && makers.has(name))) {
      made.push({ node, ancestors: [...ancestors] });
    }
  });
  return made;
}

function isRecognised({ node, ancestors }: Made, { names }: Handler): boolean {
  const path = [...ancestors, node];
  return path.some((ancestor, index) => {
    const child = path[index + 1];
    if (!child) return false;
    if (ancestor.type === 'IfStatement' || ancestor.type === 'ConditionalExpression') {
      const says = recognises(ancestor['test'] as SyntaxNode, names);
      return (says === 'known' && child === ancestor['consequent']) || (says === 'unknown' && child === ancestor['alternate']);
    }
    if (ancestor.type === 'LogicalExpression' && child === ancestor['right']) {
      return ancestor['operator'] === '&&' && recognises(ancestor['left'] as SyntaxNode, names) === 'known';
    }
    if (ancestor.type === 'SwitchCase') return ancestor['test'] !== null;
    if (ancestor.type === 'BlockStatement') return throwsOnUnknown(ancestor['body'] as SyntaxNode[], child, names);
    return false;
  });
}

/** Whether a statement before this one throws on what it does not know. */
function throwsOnUnknown(statements: SyntaxNode[], until: SyntaxNode, names: Set<string>): boolean {
  return statements
    .slice(0, statements.indexOf(until))
    .some(
      (statement) =>
        statement.type === 'IfStatement' && recognises(statement['test'] as SyntaxNode, names) === 'unknown' && ends(statement),
    );
}

function ends(statement: SyntaxNode): boolean {
  const consequent = statement['consequent'] as SyntaxNode;
  const last = consequent.type === 'BlockStatement' ? (consequent['body'] as SyntaxNode[]).at(-1) : consequent;
  return last?.type === 'ThrowStatement' || last?.type === 'ReturnStatement';
}

/** What it means that a test holds: that the error is a known one, that it is none, or nothing about the error. */
function recognises(test: SyntaxNode, names: Set<string>): 'known' | 'unknown' | undefined {
  switch (test.type) {
    case 'ParenthesizedExpression':
      return recognises(test['expression'] as SyntaxNode, names);
    case 'UnaryExpression': {
      const inner = recognises(test['argument'] as SyntaxNode, names);
      if (test['operator'] !== '!' || inner === undefined) return undefined;
      return inner === 'known' ? 'unknown' : 'known';
    }
    case 'LogicalExpression': {
      const sides = [recognises(test['left'] as SyntaxNode, names), recognises(test['right'] as SyntaxNode, names)];
      const wanted = test['operator'] === '&&' ? 'known' : 'unknown';
      const other = wanted === 'known' ? 'unknown' : 'known';
      if (sides.includes(wanted)) return wanted;
      return sides.every((side) => side === other) ? other : undefined;
    }
    case 'BinaryExpression': {
      if (!mentions(test, names)) return undefined;
      if (test['operator'] === 'instanceof') return 'known';
      const { value } = test['right'] as { value?: unknown };
      const compared = typeof value === 'string' || typeof value === 'number';
      const absent = value === null || (test['right'] as { name?: string }).name === 'undefined';
      if (!compared && !absent) return 'known';
      return String(test['operator']).startsWith('!') === absent ? 'known' : 'unknown';
    }
    case 'MemberExpression':
      // Whoever called it off caused what followed.
      if ((test['property'] as { name?: string }).name === 'aborted') return 'known';
      return mentions(test, names) ? 'known' : undefined;
    default:
      return mentions(test, names) ? 'known' : undefined;
  }
}

function mentions(node: SyntaxNode, names: Set<string>): boolean {
  return namesIn(node).some((name) => names.has(name));
}

function namesIn(node: SyntaxNode): string[] {
  const names: string[] = [];
  walk(node, [], (one) => {
    if (one.type === 'Identifier') names.push(String(one['name']));
  });
  return names;
}

/** The array of ancestors is one and the same for all visits: whoever keeps it, copies it. */
export function walk(node: SyntaxNode, ancestors: SyntaxNode[], visit: (node: SyntaxNode, ancestors: readonly SyntaxNode[]) => void): void {
  visit(node, ancestors);
  ancestors.push(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child !== null && typeof child === 'object' && typeof (child as SyntaxNode).type === 'string')
        walk(child as SyntaxNode, ancestors, visit);
    }
  }
  ancestors.pop();
}
