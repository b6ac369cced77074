import type { ContextRegistry } from '../contexts/registry.ts';
import { requiredVariables } from '../language/context.ts';
import { ExpressionSyntaxError, parseExpression } from '../language/expression.ts';
import { type Component, type Composition, nearestUris } from './components.ts';

export interface Check {
  severity: 'error' | 'warning' | 'info';
  message: string;
  component: string | null;
}

const MAX_FOLLOWED = 500;

/** Everything that would keep a composed workflow from working, found before anything is saved. */
export async function checksOf(
  composition: Composition,
  components: Component[],
  registry: ContextRegistry,
  userId: string,
): Promise<Check[]> {
  const uri = `workflow://${composition.name}`;
  return [
    ...(await unknownComponents(components, registry, userId)),
    ...(await cycles(uri, components, registry, userId)),
    ...missingVariables(composition, components),
    ...unreachable(composition, components),
    ...(await duplicates(composition, components, registry, userId)),
    ...roles(composition, components),
  ];
}

async function unknownComponents(components: Component[], registry: ContextRegistry, userId: string): Promise<Check[]> {
  const checks: Check[] = [];
  for (const { uri, definition } of components) {
    if (definition) continue;
    const close = await nearestUris(uri, registry, userId);
    checks.push({
      severity: 'error',
      message: `There is no context ${uri}${close.length > 0 ? `; did you mean ${close.join(' or ')}?` : ''}`,
      component: uri,
    });
  }
  return checks;
}

/** A component that uses the new workflow, over however many contexts, would never come to an end. */
async function cycles(uri: string, components: Component[], registry: ContextRegistry, userId: string): Promise<Check[]> {
  const checks: Check[] = [];
  for (const component of components) {
    const trail = await trailTo(uri, component.uri, registry, userId, new Set(), []);
    if (trail) checks.push({ severity: 'error', message: `A circle: ${[uri, ...trail].join(' → ')}`, component: component.uri });
  }
  return checks;
}

async function trailTo(
  goal: string,
  from: string,
  registry: ContextRegistry,
  userId: string,
  seen: Set<string>,
  trail: string[],
): Promise<string[] | undefined> {
  const here = [...trail, from];
  if (from === goal) return here;
  if (seen.has(from) || seen.size > MAX_FOLLOWED) return undefined;
  seen.add(from);
  const definition = await registry.get(from, userId);
  for (const next of definition?.dependencies ?? []) {
    const found = await trailTo(goal, next, registry, userId, seen, here);
    if (found) return found;
  }
  return undefined;
}

function missingVariables(composition: Composition, components: Component[]): Check[] {
  const required = new Set(composition.variables?.required ?? []);
  const optional = new Set(composition.variables?.optional ?? []);
  const checks: Check[] = [];
  for (const name of required) {
    if (optional.has(name)) checks.push({ severity: 'error', message: `${name} is both required and optional`, component: null });
  }
  for (const { uri, definition, configuration } of components) {
    if (!definition) continue;
    for (const name of requiredVariables(definition)) {
      if (required.has(name) || Object.hasOwn(configuration ?? {}, name)) continue;
      checks.push(
        optional.has(name)
          ? { severity: 'warning', message: `${uri} needs ${name}, which is only optional here`, component: uri }
          : {
              severity: 'error',
              message: `${uri} needs the variable ${name}: add it to variables.required or to its configuration`,
              component: uri,
            },
      );
    }
  }
  return checks;
}

function unreachable({ flow_type }: Composition, components: Component[]): Check[] {
  const never = components
    .filter(({ when }) => when !== undefined && isAlwaysFalse(when))
    .map(({ uri }): Check => ({ severity: 'error', message: `${uri} is never reached: its condition cannot hold`, component: uri }));
  if (flow_type !== 'conditional') return never;
  const alternatives = components.filter(({ role }) => role === 'primary' || role === 'support');
  const first = alternatives.findIndex(({ when }) => when === undefined);
  const after = first < 0 ? [] : alternatives.slice(first + 1);
  const shadowed = after.map(
    ({ uri }): Check => ({
      severity: 'error',
      message: `${uri} is never reached: ${alternatives[first]?.uri} before it has no condition`,
      component: uri,
    }),
  );
  const none: Check[] = alternatives.some(({ when }) => when !== undefined)
    ? []
    : [{ severity: 'error', message: 'A conditional flow needs a component with a condition in when', component: null }];
  return [...never, ...shadowed, ...none];
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

async function duplicates(composition: Composition, components: Component[], registry: ContextRegistry, userId: string): Promise<Check[]> {
  const uri = `workflow://${composition.name}`;
  const existing = await registry.get(uri, userId);
  const checks: Check[] = [];
  if (existing && existing.source.kind !== 'composed') {
    checks.push({ severity: 'error', message: `${uri} exists already: choose another name`, component: null });
  }
  const seen = new Set<string>();
  for (const { uri: each, role, when } of components) {
    const key = `${each} ${role} ${when ?? ''}`;
    if (seen.has(key)) checks.push({ severity: 'warning', message: `${each} is there twice in the same role`, component: each });
    seen.add(key);
  }
  return checks;
}

function roles({ flow_type }: Composition, components: Component[]): Check[] {
  const checks: Check[] = [];
  if (!components.some(({ role }) => role === 'primary'))
    checks.push({ severity: 'warning', message: 'No component has the role primary', component: null });
  if (flow_type === 'iterative' && !components.some(({ role }) => role === 'validation')) {
    checks.push({
      severity: 'info',
      message: 'Without a validation component the rounds end when the result no longer changes, or after the last one',
      component: null,
    });
  }
  return checks;
}
