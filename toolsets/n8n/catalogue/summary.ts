import { isGroup, type Property, type TypeDescription } from './description.ts';

/** What a caller must know about a parameter to fill it in; the whole truth is what validation says. */
export interface ParameterSummary {
  type: string;
  required?: true;
  default?: unknown;
  /** The values to choose from; for `operation` by resource. */
  options?: unknown[] | Record<string, unknown[]>;
  /** Values of other parameters that it is for. */
  when?: Record<string, unknown[]>;
}

const MOST_PARAMETERS = 10;
const MOST_OPTIONS = 25;
const NOT_SHOWN = new Set(['notice', 'callout', 'hidden', 'button', 'curlImport', 'credentials']);

/** The parameters that matter: what is chosen first, what is required for that, what is always shown. */
export function summarize({ properties }: TypeDescription, version: number): Record<string, ParameterSummary> {
  const shown = properties.filter((property) => !NOT_SHOWN.has(property.type) && inVersion(property, version));
  const usual = { resource: shown.find(({ name }) => name === 'resource')?.default, operation: usualOperation(shown) };
  const ranked = shown
    .map((property, index) => ({ property, index, rank: rankOf(property, usual) }))
    .filter(({ rank }) => rank !== undefined);
  ranked.sort((a, b) => (a.rank as number) - (b.rank as number) || a.index - b.index);
  const summary: Record<string, ParameterSummary> = {};
  for (const { property } of ranked) {
    if (Object.keys(summary).length >= MOST_PARAMETERS) break;
    if (property.name === 'operation') summary['operation'] ??= operations(shown);
    else summary[property.name] ??= one(property);
  }
  return summary;
}

type Usual = { resource: unknown; operation: unknown };

/** The operation that a new node has. */
function usualOperation(shown: Property[]): unknown {
  const resource = shown.find(({ name }) => name === 'resource')?.default;
  const own = shown.filter(({ name }) => name === 'operation');
  return (own.find((property) => property.displayOptions?.show?.['resource']?.includes(resource)) ?? own[0])?.default;
}

/** What is left out has no rank: it is for another resource or operation than the usual one, or hangs on something else. */
function rankOf(property: Property, usual: Usual): number | undefined {
  if (property.name === 'resource') return 0;
  if (property.name === 'operation') return 1;
  const when = Object.entries(conditions(property) ?? {});
  if (when.length === 0) return property.required ? 2 : 4;
  const isUsual = when.every(([name, values]) => (name === 'resource' || name === 'operation') && values.includes(usual[name]));
  return property.required && isUsual ? 3 : undefined;
}

function one(property: Property): ParameterSummary {
  const when = conditions(property);
  const options = choices(property);
  return {
    type: property.type,
    ...(property.required && { required: true as const }),
    ...(isShort(property.default) && { default: property.default }),
    ...(options && { options }),
    ...(when && { when }),
  };
}

function operations(shown: Property[]): ParameterSummary {
  const found = shown.filter((property) => property.name === 'operation');
  const [only] = found;
  if (only && found.length === 1 && !conditions(only)) return one(only);
  const byResource: Record<string, unknown[]> = {};
  for (const property of found) {
    for (const resource of property.displayOptions?.show?.['resource'] ?? ['']) {
      byResource[String(resource)] = [...new Set([...(byResource[String(resource)] ?? []), ...(choices(property) ?? [])])];
    }
  }
  return { type: 'options', options: byResource };
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

export function matchesVersion(conditions: unknown[], version: number): boolean {
  return conditions.some((condition) => {
    if (typeof condition === 'number') return condition === version;
    const [[kind, limit] = []] = Object.entries((condition as { _cnd?: Record<string, unknown> } | null)?._cnd ?? {});
    if (typeof limit !== 'number') return true;
    if (kind === 'gte') return version >= limit;
    if (kind === 'gt') return version > limit;
    if (kind === 'lte') return version <= limit;
    if (kind === 'lt') return version < limit;
    return kind === 'not' ? version !== limit : version === limit;
  });
}

function isShort(value: unknown): boolean {
  if (value === undefined || value === '') return false;
  return typeof value === 'string' ? value.length <= 60 : typeof value !== 'object';
}
