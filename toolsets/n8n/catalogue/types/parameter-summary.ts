import { isGroup, type Property, type TypeDescription } from './description.ts';
import { matchesVersion } from './plain-rules.ts';

/** A parameter in a few words, enough to fill it in: `options: GET | POST = GET`, `string, required`. */
export type ParameterSummary = string;

const MOST_PARAMETERS = 10;
const MOST_OPTIONS = 25;
const NOT_SHOWN = new Set(['notice', 'callout', 'hidden', 'button', 'curlImport', 'credentials']);

/** The parameters that matter: what is chosen first, what is required for that, what is always shown. */
export function summarize({ properties }: TypeDescription, version: number): Record<string, ParameterSummary> {
  const shown = properties.filter((property) => !NOT_SHOWN.has(property.type) && inVersion(property, version));
  const usual: Usual = (name) =>
    name === 'operation' ? usualOperation(shown) : usualValue(shown.find((property) => property.name === name));
  const ranked = shown.flatMap((property) => {
    const rank = rankOf(property, usual);
    return rank === undefined ? [] : [{ property, rank }];
  });
  ranked.sort((a, b) => a.rank - b.rank);
  const summary: Record<string, ParameterSummary> = {};
  for (const { property } of ranked) {
    if (Object.keys(summary).length >= MOST_PARAMETERS) break;
    if (property.name === 'operation') summary['operation'] ??= operations(shown);
    else summary[property.name] ??= one(property);
  }
  return summary;
}

/** What has to be filled in or chosen first: enough to tell whether a node is the right one. */
export function essential(parameters: Record<string, ParameterSummary>): Record<string, ParameterSummary> {
  return Object.fromEntries(Object.entries(parameters).filter(([name, said]) => name === 'resource' || said.includes(REQUIRED)));
}

const REQUIRED = ', required';

type Usual = (name: string) => unknown;

/** What a parameter of a new node is, or will most likely be. */
function usualValue(property: Property | undefined): unknown {
  if (property?.default !== '' || property.type !== 'options') return property?.default;
  return choices(property)?.[0];
}

function usualOperation(shown: Property[]): unknown {
  const resource = shown.find(({ name }) => name === 'resource')?.default;
  const own = shown.filter(({ name }) => name === 'operation');
  return (own.find((property) => property.displayOptions?.show?.['resource']?.includes(resource)) ?? own[0])?.default;
}

/** What has no rank is left out: it depends on an unusual choice. */
function rankOf(property: Property, usual: Usual): number | undefined {
  if (property.name === 'resource') return 0;
  if (property.name === 'operation') return 1;
  const when = Object.entries(conditions(property) ?? {});
  if (when.length === 0) return property.required ? 2 : 4;
  const isUsual = when.every(([name, values]) => values.includes(usual(name)));
  return property.required && isUsual ? 3 : undefined;
}

function one(property: Property): ParameterSummary {
  const when = Object.entries(conditions(property) ?? {}).map(
    ([name, values]) => `${name} is ${[...new Set(values)].map(String).join(' or ')}`,
  );
  return [
    property.type,
    property.required ? REQUIRED : '',
    listed(choices(property)),
    isShort(property.default) ? ` = ${String(property.default)}` : '',
    when.length > 0 ? ` (when ${when.join(', ')})` : '',
  ].join('');
}

function operations(shown: Property[]): ParameterSummary {
  const found = shown.filter((property) => property.name === 'operation');
  const [only] = found;
  if (only && found.length === 1 && !conditions(only)) return one(only);
  const byResource = new Map<string, Set<unknown>>();
  for (const property of found) {
    for (const resource of property.displayOptions?.show?.['resource'] ?? ['']) {
      const known = byResource.get(String(resource)) ?? new Set();
      for (const value of choices(property) ?? []) known.add(value);
      byResource.set(String(resource), known);
    }
  }
  return `options by resource: ${[...byResource].map(([resource, values]) => `${resource}: ${[...values].join(' | ')}`).join('; ')}`;
}

function listed(values: unknown[] | undefined): string {
  return values ? `: ${values.map(String).join(' | ')}` : '';
}

function choices(property: Property): unknown[] | undefined {
  if (property.type === 'resourceLocator') return property.modes?.map((mode) => mode.name);
  if (property.type !== 'options' && property.type !== 'multiOptions') return undefined;
  const values = new Set(property.options?.flatMap((option) => (isGroup(option) ? [] : [option.value])));
  return values.size > 0 ? [...values].slice(0, MOST_OPTIONS) : undefined;
}

/** What it takes to be shown, apart from the version. */
function conditions(property: Property): Record<string, unknown[]> | undefined {
  const show = Object.entries(property.displayOptions?.show ?? {}).filter(([key]) => !key.startsWith('@'));
  return show.length > 0 ? Object.fromEntries(show) : undefined;
}

function inVersion(property: Property, version: number): boolean {
  const { show, hide } = property.displayOptions ?? {};
  if (hide?.['@version'] && matchesVersion(hide['@version'], version)) return false;
  return !show?.['@version'] || matchesVersion(show['@version'], version);
}

function isShort(value: unknown): boolean {
  if (value === undefined || value === '') return false;
  return typeof value === 'string' ? value.length <= 60 : typeof value !== 'object';
}
