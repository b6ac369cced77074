import type { z } from 'zod';
import { ExpressionSyntaxError, parseExpression } from '../language/expression.ts';
import type { composeResult } from '../schema.ts';
import type { Component, Composition, UserContexts } from './components.ts';

export type Check = z.output<typeof composeResult>['checks'][number];

const check =
  (severity: Check['severity']) =>
  (message: string, component: string | null = null): Check => ({ severity, message, component });
const [error, warning, info] = [check('error'), check('warning'), check('info')];

const MAX_FOLLOWED = 500;

/** Everything that would keep a composed workflow from working, found before anything is saved. */
export async function checksOf(composition: Composition, components: Component[], contexts: UserContexts): Promise<Check[]> {
  const uri = `workflow://${composition.name}`;
  return [
    ...(await unknownComponents(components, contexts)),
    ...(await cycles(uri, components, contexts)),
    ...contradictions(composition),
    ...components.flatMap((component) => missingVariables(composition, component)),
    ...unreachable(composition, components),
    ...(await takenName(uri, contexts)),
    ...duplicates(components),
    ...roles(composition, components),
  ];
}

async function unknownComponents(components: Component[], contexts: UserContexts): Promise<Check[]> {
  const unknown = components.filter(({ definition }) => !definition);
  return Promise.all(
    unknown.map(async ({ uri }) => {
      const close = await contexts.nearest(uri);
      return error(`There is no context ${uri}${close.length > 0 ? `; did you mean ${close.join(' or ')}?` : ''}`, uri);
    }),
  );
}

/** A component that uses the new workflow, directly or through others, would never end. */
async function cycles(uri: string, components: Component[], contexts: UserContexts): Promise<Check[]> {
  const checks: Check[] = [];
  for (const component of components) {
    const trail = await trailTo(uri, component.uri, contexts, new Set());
    if (trail) checks.push(error(`A circle: ${[uri, ...trail].join(' → ')}`, component.uri));
  }
  return checks;
}

async function trailTo(goal: string, from: string, contexts: UserContexts, seen: Set<string>): Promise<string[] | undefined> {
  if (from === goal) return [from];
  if (seen.has(from) || seen.size > MAX_FOLLOWED) return undefined;
  seen.add(from);
  const definition = await contexts.get(from);
  for (const next of definition?.dependencies ?? []) {
    const found = await trailTo(goal, next, contexts, seen);
    if (found) return [from, ...found];
  }
  return undefined;
}

function contradictions({ variables }: Composition): Check[] {
  const both = [...new Set(variables?.required)].filter((name) => variables?.optional?.includes(name));
  return both.map((name) => error(`${name} is both required and optional`));
}

function missingVariables({ variables }: Composition, { uri, definition, configuration }: Component): Check[] {
  const given = new Set([...(variables?.required ?? []), ...Object.keys(configuration ?? {})]);
  const missing = (definition?.needs ?? []).filter((name) => !given.has(name));
  return missing.map((name) =>
    variables?.optional?.includes(name)
      ? warning(`${uri} needs ${name}, which is only optional here`, uri)
      : error(`${uri} needs the variable ${name}: add it to variables.required or to its configuration`, uri),
  );
}

function unreachable({ flow_type }: Composition, components: Component[]): Check[] {
  const never = components
    .filter(({ when }) => when !== undefined && isAlwaysFalse(when))
    .map(({ uri }) => error(`${uri} is never reached: its condition cannot hold`, uri));
  if (flow_type !== 'conditional') return never;
  const alternatives = components.filter(({ role }) => role === 'primary' || role === 'support');
  const first = alternatives.findIndex(({ when }) => when === undefined);
  const after = first < 0 ? [] : alternatives.slice(first + 1);
  const shadowed = after.map(({ uri }) => error(`${uri} is never reached: ${alternatives[first]?.uri} before it has no condition`, uri));
  const conditional = alternatives.some(({ when }) => when !== undefined);
  return [...never, ...shadowed, ...(conditional ? [] : [error('A conditional flow needs a component with a condition in when')])];
}

function isAlwaysFalse(when: string): boolean {
  try {
    const expression = parseExpression(when);
    return expression.kind === 'literal' && !expression.value;
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    return false;
  }
}

async function takenName(uri: string, contexts: UserContexts): Promise<Check[]> {
  const existing = await contexts.get(uri);
  return existing && existing.source.kind !== 'composed' ? [error(`${uri} exists already: choose another name`)] : [];
}

function duplicates(components: Component[]): Check[] {
  const seen = new Set<string>();
  return components.flatMap(({ uri, role, when }) => {
    const key = `${uri} ${role} ${when ?? ''}`;
    const twice = seen.has(key);
    seen.add(key);
    return twice ? [warning(`${uri} is there twice in the same role`, uri)] : [];
  });
}

function roles({ flow_type }: Composition, components: Component[]): Check[] {
  const has = (wanted: Component['role']) => components.some(({ role }) => role === wanted);
  return [
    ...(has('primary') ? [] : [warning('No component has the role primary')]),
    ...(flow_type !== 'iterative' || has('validation')
      ? []
      : [info('Without a validation component the rounds end when the result no longer changes, or after the last one')]),
  ];
}
