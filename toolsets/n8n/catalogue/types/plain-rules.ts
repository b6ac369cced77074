import { isRecord, recordOf } from '@millrace/kernel';
import type { DisplayOptions, Property, TypeDescription } from './description.ts';
import type { ParameterIssues, ParameterRules, Parameters, RuledNode } from './parameter-rules.ts';

/** What descriptions alone tell about parameters, for an instance's catalogue. In doubt, a parameter counts as hidden: no error. */
export const PLAIN_RULES: ParameterRules = { getNodeParameters, getNodeParametersIssues, displayParameter };

function getNodeParameters(
  properties: Property[],
  values: Parameters,
  returnDefaults: boolean,
  _returnNoneDisplayed: boolean,
  node: RuledNode | null,
  description: TypeDescription | null,
): Parameters {
  if (!returnDefaults) return structuredClone(values);
  const resolved: Parameters = structuredClone(values ?? {});
  // Twice, since what is shown may depend on a default further down.
  for (let round = 0; round < 2; round++) {
    for (const property of properties) {
      if (property.name in resolved || !displayParameter(resolved, property, node, description)) continue;
      resolved[property.name] = structuredClone(property.default);
    }
  }
  return resolved;
}

function getNodeParametersIssues(properties: Property[], node: RuledNode, description: TypeDescription | null): ParameterIssues | null {
  const parameters: Record<string, string[]> = {};
  for (const property of properties) {
    const value = node.parameters[property.name];
    if (!property.required || property.type !== 'string' || (value !== undefined && value !== '')) continue;
    if (displayParameter(node.parameters, property, node, description))
      parameters[property.name] = [`Parameter "${property.displayName ?? property.name}" is required.`];
  }
  return Object.keys(parameters).length > 0 ? { parameters } : null;
}

function displayParameter(
  values: Parameters,
  parameter: { displayOptions?: DisplayOptions },
  node: RuledNode | null,
  description: TypeDescription | null,
  root: Parameters = values,
): boolean {
  const { show = {}, hide = {} } = parameter.displayOptions ?? {};
  const actual = (key: string) => actualValues(key, values, root, node, description);
  for (const [key, wanted] of Object.entries(show)) {
    const found = actual(key);
    if (found.some((value) => typeof value === 'string' && value.startsWith('='))) return true;
    if (!matches(wanted, found)) return false;
  }
  return !Object.entries(hide).some(([key, unwanted]) => matches(unwanted, actual(key)));
}

function actualValues(
  key: string,
  values: Parameters,
  root: Parameters,
  node: RuledNode | null,
  description: TypeDescription | null,
): unknown[] {
  if (key === '@version') return [node?.typeVersion ?? 0];
  if (key === '@tool') return [description?.name.endsWith('Tool') ?? false];
  if (key.startsWith('@')) return [];
  const value = key.startsWith('/') ? at(root, key.slice(1)) : at(values, key);
  if (Array.isArray(value)) return value;
  return [isRecord(value) && '__rl' in value ? value['value'] : value];
}

function at(values: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value !== null && typeof value === 'object' ? Reflect.get(value, key) : undefined), values);
}

function matches(wanted: unknown[], actual: unknown[]): boolean {
  return wanted.some((condition) => {
    const cases = isRecord(condition) ? condition['_cnd'] : undefined;
    if (!isRecord(cases)) return actual.includes(condition);
    const [[kind = '', limit] = []] = Object.entries(cases);
    return actual.length > 0 ? actual.every((value) => CONDITIONS[kind]?.(value, limit) ?? false) : kind === 'not';
  });
}

/** Whether one of the conditions on `@version` holds; one of an unknown form counts as held. */
export function matchesVersion(conditions: unknown[], version: number): boolean {
  return conditions.some((condition) => {
    if (typeof condition === 'number') return condition === version;
    const [[kind = '', limit] = []] = Object.entries(recordOf(recordOf(condition)['_cnd']));
    return typeof limit !== 'number' || (CONDITIONS[kind] ?? CONDITIONS['eq'])?.(version, limit) === true;
  });
}

/** What n8n's conditions on the value of a parameter mean. */
const CONDITIONS: Record<string, (value: unknown, limit: unknown) => boolean> = {
  eq: (value, limit) => value === limit,
  not: (value, limit) => value !== limit,
  gte: (value, limit) => Number(value) >= Number(limit),
  gt: (value, limit) => Number(value) > Number(limit),
  lte: (value, limit) => Number(value) <= Number(limit),
  lt: (value, limit) => Number(value) < Number(limit),
  exists: (value) => value !== undefined && value !== null && value !== '',
  includes: (value, limit) => typeof value === 'string' && value.includes(String(limit)),
  startsWith: (value, limit) => typeof value === 'string' && value.startsWith(String(limit)),
  endsWith: (value, limit) => typeof value === 'string' && value.endsWith(String(limit)),
};
