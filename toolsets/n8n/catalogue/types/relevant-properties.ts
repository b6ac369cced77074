import { isGroup, isProperty, type Property, type TypeDescription } from './description.ts';
import type { Parameters } from './parameter-rules.ts';
import { matchesVersion } from './plain-rules.ts';

/** Of hundreds of parameters, those that matter for this version, resource and operation: n8n's rules give the same result faster. */
export function relevantProperties(description: TypeDescription, version: number, parameters: Parameters): Property[] {
  if (description.properties.length < WORTHWHILE) return description.properties;
  const resource = chosen('resource', description, version, parameters, {});
  const operation = chosen('operation', description, version, parameters, { resource });
  const key = `${version} ${resource ?? '*'} ${operation ?? '*'}`;
  const views = known.get(description) ?? new Map<string, Property[]>();
  known.set(description, views);
  const view = views.get(key) ?? selected(description, version, { resource, operation });
  views.set(key, view);
  return view;
}

const WORTHWHILE = 12;
const known = new WeakMap<TypeDescription, Map<string, Property[]>>();

type Choice = { resource?: string | undefined; operation?: string | undefined };

/** The value that the node has for sure, by itself or by default. */
function chosen(
  name: 'resource' | 'operation',
  description: TypeDescription,
  version: number,
  parameters: Parameters,
  choice: Choice,
): string | undefined {
  const given = parameters[name];
  if (given !== undefined) return typeof given === 'string' && !given.startsWith('=') ? given : undefined;
  const possible = description.properties.filter((property) => property.name === name && !excluded(property, version, choice));
  const [only] = possible;
  if (!only || possible.length > 1 || typeof only.default !== 'string') return undefined;
  const conditions = Object.keys(only.displayOptions?.show ?? {}).filter(
    (key) => key !== '@version' && !(key === 'resource' && choice.resource !== undefined),
  );
  return conditions.length === 0 && !only.displayOptions?.hide ? only.default : undefined;
}

/** Whether a parameter is certainly hidden. n8n shows one as soon as a condition is an expression, so an unknown value decides nothing. */
function excluded(property: Property, version: number, choice: Choice): boolean {
  const { show = {}, hide = {} } = property.displayOptions ?? {};
  for (const [key, wanted] of Object.entries(show)) {
    if (key === '@version') {
      if (!matchesVersion(wanted, version)) return true;
      continue;
    }
    const value = key === 'resource' || key === 'operation' ? choice[key] : undefined;
    if (value === undefined || !isPlain(wanted)) return false;
    if (!wanted.includes(value)) return true;
  }
  return (['resource', 'operation'] as const).some((name) => {
    const [value, unwanted] = [choice[name], hide[name]];
    return value !== undefined && unwanted !== undefined && isPlain(unwanted) && unwanted.includes(value);
  });
}

function isPlain(values: unknown[]): boolean {
  return values.every((value) => value === null || typeof value !== 'object');
}

function selected(description: TypeDescription, version: number, choice: Choice): Property[] {
  const { properties } = description;
  const kept = new Set(properties.filter((property) => isAlwaysLookedAt(property) || !excluded(property, version, choice)));
  const settled = new Set<string>(
    (['resource', 'operation'] as const).filter(
      (name) => choice[name] !== undefined && [...kept].some((property) => property.name === name),
    ),
  );
  // Whether a parameter is shown may depend on the default of one that is not.
  for (let before = -1; before !== kept.size; ) {
    before = kept.size;
    const wanted = new Set([...kept].flatMap((property) => dependencies(property)));
    for (const property of properties) if (wanted.has(property.name) && !settled.has(property.name)) kept.add(property);
  }
  return properties.filter((property) => kept.has(property));
}

/** Names of the parameters that decide whether this one, or one inside it, is shown. */
function dependencies(property: Property, inside = false): string[] {
  const { show = {}, hide = {} } = property.displayOptions ?? {};
  const names = [...Object.keys(show), ...Object.keys(hide)].flatMap((key) => {
    if (key.startsWith('@')) return [];
    if (key.startsWith('/')) return [rootOf(key.slice(1))];
    return inside ? [] : [rootOf(key)];
  });
  return [...names, ...children(property).flatMap((child) => dependencies(child, true))];
}

function rootOf(path: string): string {
  return path.replace(/[.[].*$/s, '');
}

function children(property: Property): Property[] {
  if (property.type !== 'collection' && property.type !== 'fixedCollection') return [];
  return (property.options ?? []).flatMap((option) => (isGroup(option) ? option.values : isProperty(option) ? [option] : []));
}

/** The rules look at these whether they are shown or not. */
function isAlwaysLookedAt(property: Property): boolean {
  if (property.validateType) return true;
  return (
    property.type === 'collection' &&
    children(property).some((child) => child.required || LOOKED_AT.has(child.type) || isAlwaysLookedAt(child))
  );
}

const LOOKED_AT = new Set(['resourceLocator', 'workflowSelector', 'agentSelector', 'resourceMapper', 'filter', 'fixedCollection']);

const complaining = new WeakMap<Property[], Property[]>();

/** Of these parameters, the ones that n8n's rules can find anything wrong with: few of many. */
export function fallibleProperties(properties: Property[]): Property[] {
  const made = complaining.get(properties) ?? properties.flatMap((property) => fallible(property) ?? []);
  complaining.set(properties, made);
  return made;
}

const COUNTED = ['minRequiredFields', 'maxAllowedFields'];

function fallible(property: Property): Property | undefined {
  if (property.type === 'fixedCollection') {
    const groups = (property.options ?? [])
      .filter(isGroup)
      .map((group) => ({ ...group, values: group.values.flatMap((value) => fallible(value) ?? []) }));
    const counted = COUNTED.some((limit) => property.typeOptions?.[limit] !== undefined);
    return property.required || counted || groups.some((group) => group.values.length > 0) ? { ...property, options: groups } : undefined;
  }
  if (property.type === 'collection') {
    const options = children(property).flatMap((child) => fallible(child) ?? []);
    return property.required || options.length > 0 ? { ...property, options } : undefined;
  }
  return property.required || property.validateType || LOOKED_AT.has(property.type) ? property : undefined;
}

const dependencyLists = new WeakMap<Property[], Record<string, string[]>>();

/** Which parameters decide whether a parameter is shown, as n8n's rules count them; they would do so again for each node. */
export function parameterDependencies(properties: Property[]): Record<string, string[]> {
  const made = dependencyLists.get(properties);
  if (made) return made;
  const lists: Record<string, string[]> = {};
  for (const { name, displayOptions } of properties) {
    lists[name] ??= [];
    const rules = Object.values(displayOptions ?? {}).filter((rule) => typeof rule === 'object' && rule !== null);
    for (const key of rules.flatMap((rule) => Object.keys(rule)))
      if (!key.startsWith('@') && !lists[name].includes(key)) lists[name].push(key);
  }
  dependencyLists.set(properties, lists);
  return lists;
}
