import { nearest } from '@millrace/kernel';
import type { OpenedPack, PackReader } from '../pack/opened-pack.ts';
import type { Availability, NodeCatalogue, NodeDescription, NodePort } from '../ports.ts';
import type { Workflow, WorkflowNode } from '../workflow/model.ts';
import { REMOVED_TYPES } from '../workflow/repair.ts';
import { isTrigger, type Property } from './description.ts';
import { type NodePorts, portsOf } from './node-ports.ts';
import type { Parameters, RuledNode } from './parameter-rules.ts';
import type { NodeType } from './type-store.ts';

/** The node types of the installed pack. */
export class PackCatalogue implements NodeCatalogue {
  readonly #reader: PackReader;

  constructor(reader: PackReader) {
    this.#reader = reader;
  }

  ready(): Promise<Availability> {
    return this.#reader.availability();
  }

  get(type: string, version?: number): NodeDescription | undefined {
    const found = this.#type(type, version);
    return found && described(found, version ?? found.entry.newest);
  }

  newestVersion(type: string): number | undefined {
    return this.#reader.current?.types.find(type)?.newest;
  }

  named(written: string): string | undefined {
    const wanted = plain(written);
    const offered = this.#reader.current?.types.entries.filter(({ hidden, variant }) => !hidden && variant === 'plain') ?? [];
    const matches = offered.filter(
      ({ type, name }) => type.toLowerCase() === written.toLowerCase() || [plain(shortName(type)), ...namesIn(name)].includes(wanted),
    );
    return matches.length === 1 ? matches[0]?.type : undefined;
  }

  nearest(written: string, most = 3): string[] {
    const pack = this.#reader.current;
    return pack ? nearestTypes(pack, written, most) : [];
  }

  defaultParameters(type: string, version: number, given: Parameters): Parameters {
    const found = this.#type(type, version);
    const pack = this.#reader.current;
    if (!found || !pack) return given;
    const { description } = found;
    const node: RuledNode = { name: '', type, typeVersion: version, parameters: given };
    const full = pack.rules.getNodeParameters(description.properties, structuredClone(given), true, false, node, description);
    const saved = pack.rules.getNodeParameters(description.properties, full ?? {}, false, false, node, description) ?? {};
    // What was given stays, also where n8n would drop it: validation says what is wrong with it.
    for (const [name, value] of Object.entries(given)) if (!(name in saved)) saved[name] = value;
    return saved;
  }

  accepts(type: string, version: number, parameter: string, value: unknown): boolean {
    const properties = this.#type(type, version)?.description.properties.filter((property) => property.name === parameter) ?? [];
    return properties.some((property) => suits(property, value));
  }

  inputsOf(node: WorkflowNode, _workflow: Workflow): NodePort[] | undefined {
    return this.#ports(node)?.inputs;
  }

  outputsOf(node: WorkflowNode, _workflow: Workflow): NodePort[] | undefined {
    return this.#ports(node)?.outputs;
  }

  #ports(node: WorkflowNode): NodePorts | undefined {
    const pack = this.#reader.current;
    const found = this.#type(node.type, node.typeVersion);
    return pack && found && portsOf(pack, found, node);
  }

  #type(type: string, version?: number): NodeType | undefined {
    return this.#reader.current?.types.get(type, version);
  }
}

/** Types that resemble what was written, whether or not the package was written too. */
export function nearestTypes(pack: OpenedPack, written: string, most: number): string[] {
  const short = shortName(written);
  const byShortName = new Map<string, string[]>();
  for (const { type, hidden } of pack.types.entries) {
    if (hidden) continue;
    const name = shortName(type);
    const types = byShortName.get(name);
    if (types) types.push(type);
    else byShortName.set(name, [type]);
  }
  const meant = REMOVED_TYPES[written] ?? [];
  const exact = [...byShortName].find(([name]) => name.toLowerCase() === short.toLowerCase())?.[1] ?? [];
  const titled = pack.types.entries.filter((entry) => !entry.hidden && namesIn(entry.name).includes(plain(written)));
  const close = nearest(short, byShortName.keys(), most).flatMap((name) => byShortName.get(name) ?? []);
  return [...new Set([meant, exact, titled.map(({ type }) => type), close].flat())].slice(0, most);
}

/** Whether a value is of a parameter's kind and among its options. */
function suits(property: Property, value: unknown): boolean {
  if (typeof value === 'string' && value.startsWith('=')) return property.noDataExpression !== true;
  const values = property.options?.flatMap((option) => ('value' in option ? [option.value] : [])) ?? [];
  switch (property.type) {
    case 'string':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'options':
      return values.length === 0 ? typeof value !== 'object' : values.includes(value);
    case 'multiOptions':
      return Array.isArray(value) && (values.length === 0 || value.every((part) => values.includes(part)));
    case 'resourceLocator':
      return typeof value === 'object' && value !== null && '__rl' in value;
    case 'collection':
    case 'fixedCollection':
    case 'filter':
    case 'assignmentCollection':
      return typeof value === 'object' && value !== null;
    default:
      return true;
  }
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** What a title such as "Edit Fields (Set)" calls a node: all of it, and each of its two parts. */
function namesIn(title: string): string[] {
  return [title, ...title.split(/[()]/)].map(plain).filter((name) => name !== '');
}

function shortName(type: string): string {
  return type.slice(type.lastIndexOf('.') + 1);
}

function described({ entry, description }: NodeType, version: number): NodeDescription {
  return {
    type: entry.type,
    version,
    displayName: description.displayName,
    description: description.description,
    group: description.group,
    categories: entry.categories,
    defaultName: description.defaults.name ?? description.displayName,
    trigger: isTrigger(description),
    parameterNames: [...new Set(description.properties.map((property) => property.name))],
    credentials: (description.credentials ?? []).map(({ name, required }) => ({ name, required: required === true })),
    webhook: (description.webhooks?.length ?? 0) > 0,
    ...(description.maxNodes !== undefined && { maxNodes: description.maxNodes }),
  };
}
