import { nearest } from '@millrace/kernel';
import type { OpenedPack, PackReader } from '../pack/opened-pack.ts';
import type { Availability, NodeCatalogue, NodeDescription, NodePort } from '../ports.ts';
import type { Workflow, WorkflowNode } from '../workflow/model.ts';
import { REMOVED_TYPES } from '../workflow/repair.ts';
import { isTrigger, type Property } from './description.ts';
import { type NodePorts, portsOf } from './node-ports.ts';
import type { Parameters, RuledNode } from './parameter-rules.ts';
import { type NodeType, packageOf } from './type-store.ts';

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
    const pack = this.#reader.current;
    if (!pack) return undefined;
    const called = typeNamesOf(pack).byTitle.get(plain(shortName(written))) ?? typeNamesOf(pack).byTitle.get(plain(written)) ?? [];
    const matches = called.filter((type) => pack.types.find(type)?.variant === 'plain' && !contradicts(written, type));
    return matches.length === 1 ? matches[0] : undefined;
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

interface TypeNames {
  byShortName: Map<string, string[]>;
  /** Without case, blanks and signs. */
  byTitle: Map<string, string[]>;
}

const typeNames = new WeakMap<OpenedPack, TypeNames>();

/** What the types that n8n offers are called. */
function typeNamesOf(pack: OpenedPack): TypeNames {
  const made = typeNames.get(pack);
  if (made) return made;
  const names: TypeNames = { byShortName: new Map(), byTitle: new Map() };
  const add = (map: Map<string, string[]>, name: string, type: string) => map.set(name, [...(map.get(name) ?? []), type]);
  for (const { type, name, hidden } of pack.types.entries) {
    if (hidden) continue;
    add(names.byShortName, shortName(type), type);
    for (const title of new Set([plain(shortName(type)), ...namesIn(name)])) add(names.byTitle, title, type);
  }
  typeNames.set(pack, names);
  return names;
}

/** Types that resemble what was written, whether or not the package was written too. */
export function nearestTypes(pack: OpenedPack, written: string, most: number): string[] {
  const short = shortName(written);
  const { byShortName, byTitle } = typeNamesOf(pack);
  const meant = REMOVED_TYPES[written] ?? [];
  const titled = byTitle.get(plain(short)) ?? byTitle.get(plain(written)) ?? [];
  const close = nearest(short, byShortName.keys(), most).flatMap((name) => byShortName.get(name) ?? []);
  return [...new Set([meant, titled, close].flat())].slice(0, most);
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

/** Whether a package was written that is another one. */
function contradicts(written: string, type: string): boolean {
  const [said, own] = [packageOf(written), packageOf(type)];
  return written.includes('.') && !written.includes(' ') && said.toLowerCase() !== own.toLowerCase();
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
