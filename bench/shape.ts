// The shape of the code in figures (its size, its knots, how many files one call runs through): node bench/shape.ts
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { compose, configure } from '../packages/server/src/index.ts';
import { table } from './measure.ts';

const root = join(import.meta.dirname, '..');
const MOST_BRANCHES = 15;

interface Node {
  type: string;
  operator?: string;
  test?: unknown;
  typeAnnotation?: { type: string; typeName?: { name?: string } };
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const BRANCHES = new Set([
  'IfStatement',
  'ConditionalExpression',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoWhileStatement',
  'CatchClause',
]);

/** Each function with its cyclomatic complexity, and the casts of a file. */
function knotsOf(path: string): { complexities: number[]; casts: number } {
  const complexities: number[] = [];
  let casts = 0;
  const visit = (node: unknown, current: number | undefined): void => {
    if (Array.isArray(node)) {
      for (const child of node) visit(child, current);
      return;
    }
    if (!isNode(node)) return;
    if (node.type === 'TSAsExpression' && node.typeAnnotation?.typeName?.name !== 'const') casts += 1;
    let own = current;
    if (FUNCTIONS.has(node.type)) own = complexities.push(1) - 1;
    else if (own !== undefined && branches(node)) complexities[own] = (complexities[own] ?? 0) + 1;
    for (const [key, child] of Object.entries(node)) if (key !== 'type') visit(child, own);
  };
  visit(parseSync(path, readFileSync(join(root, path), 'utf8')).program, undefined);
  return { complexities, casts };
}

function isNode(value: unknown): value is Node {
  return value !== null && typeof value === 'object' && 'type' in value && typeof value.type === 'string';
}

function branches({ type, operator, test }: Node): boolean {
  if (BRANCHES.has(type)) return true;
  if (type === 'SwitchCase') return test !== null;
  return type === 'LogicalExpression' && operator !== undefined;
}

const files = globSync('{packages,toolsets}/**/*.ts', { cwd: root }).filter(
  (path) => !path.includes('node_modules') && !path.endsWith('.test.ts') && !path.includes('/testing/'),
);
const knots = files.map(knotsOf);
const lines = files.reduce((sum, path) => sum + readFileSync(join(root, path), 'utf8').split('\n').length - 1, 0);

/** The files of ours that run code for one call, once everything is loaded and warm. */
async function filesOfACall(): Promise<Record<string, number>> {
  const home = mkdtempSync(join(tmpdir(), 'millrace-shape-'));
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const configuration = configure({ flags: {}, home, config: undefined, environment: {}, workingDirectory: home });
  const millrace = await compose({ configuration, log });
  const call = (tool: string, parameters: object) => millrace.catalog.call(tool, parameters, { credentials: { kind: 'local' } });
  const calls = {
    create_todo: { title: 'Buy milk', due: 'friday 5pm' },
    field_request: { query: 'Checkout system throwing 500 errors on payment processing', confidence_level: 0.7 },
    flowrag_stats: {},
    workflow_list: {},
  };
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const counted: Record<string, number> = {};
  for (const [tool, parameters] of Object.entries(calls)) {
    for (let round = 0; round < 3; round++) await call(tool, parameters);
    await session.post('Profiler.takePreciseCoverage');
    const reply = await call(tool, parameters);
    if (reply.isError) throw new Error(`${tool}: ${reply.text}`);
    const { result } = await session.post('Profiler.takePreciseCoverage');
    counted[tool] = result.filter(
      ({ url, functions }) =>
        /\/(packages|toolsets)\/(?!.*node_modules)/.test(url) && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
    ).length;
  }
  session.disconnect();
  await millrace.close();
  rmSync(home, { recursive: true, force: true });
  return counted;
}

const ofACall = await filesOfACall();
process.stdout.write(
  `${table(
    ['figure', 'value'],
    [
      ['production files', String(files.length)],
      ['production lines', String(lines)],
      [
        `functions with a cyclomatic complexity above ${MOST_BRANCHES}`,
        String(knots.flatMap(({ complexities }) => complexities).filter((complexity) => complexity > MOST_BRANCHES).length),
      ],
      ['casts (`as`, without `as const`)', String(knots.reduce((sum, { casts }) => sum + casts, 0))],
      ...Object.entries(ofACall).map(([tool, count]) => [`files that ${tool} runs through, without the transport`, String(count)]),
    ],
  )}\n`,
);
process.exit();
