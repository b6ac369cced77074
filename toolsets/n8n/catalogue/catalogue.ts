import type { Availability, NodeCatalogue, NodeDescription, NodePort, WorkflowNode } from '../document/workflow/model.ts';
import type { PackReader } from './pack/pack-reader.ts';
import { isTrigger, type Property } from './types/description.ts';
import { type NodePorts, portsOf } from './types/node-ports.ts';
import type { OpenedPack } from './types/opened-pack.ts';
import type { Parameters, RuledNode } from './types/parameter-rules.ts';
import { essential } from './types/parameter-summary.ts';
import { type NodeQuery, NodeSearch } from './types/search.ts';
import type { NodeType } from './types/type-store.ts';

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
    return this.#reader.current?.names.named(written);
  }

  nearest(written: string, most = 3): string[] {
    return this.#reader.current?.names.nearest(written, most) ?? [];
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

  inputsOf(node: WorkflowNode): NodePort[] | undefined {
    return this.#ports(node)?.inputs;
  }

  outputsOf(node: WorkflowNode): NodePort[] | undefined {
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

/** Whether a value is of a parameter's kind and among its options. */
function suits(property: Property, value: unknown): boolean {
  if (typeof value === 'string' && value.startsWith('=')) return property.noDataExpression !== true;
  const choices = property.options?.flatMap((option) => ('value' in option ? [option.value] : [])) ?? [];
  return KINDS[property.type]?.(value, choices) ?? true;
}

type Kind = (value: unknown, choices: readonly unknown[]) => boolean;

const isObject: Kind = (value) => typeof value === 'object' && value !== null;

/** What the values of each kind of parameter are; kinds that are not listed take anything. */
const KINDS: Record<string, Kind> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  options: (value, choices) => (choices.length === 0 ? typeof value !== 'object' : choices.includes(value)),
  multiOptions: (value, choices) => Array.isArray(value) && (choices.length === 0 || value.every((part) => choices.includes(part))),
  resourceLocator: (value) => typeof value === 'object' && value !== null && '__rl' in value,
  collection: isObject,
  fixedCollection: isObject,
  filter: isObject,
  assignmentCollection: isObject,
};

function described({ entry, description }: NodeType, version: number): NodeDescription {
  return {
    type: entry.type,
    version,
    defaultName: description.defaults.name ?? description.displayName,
    trigger: isTrigger(description),
    parameterNames: [...new Set(description.properties.map((property) => property.name))],
    credentials: (description.credentials ?? []).map(({ name, required }) => ({ name, required: required === true })),
    webhook: (description.webhooks?.length ?? 0) > 0,
    ...(description.maxNodes !== undefined && { maxNodes: description.maxNodes }),
  };
}

export interface FoundNode {
  /** The type that node_add takes. */
  id: string;
  name: string;
  description: string;
  /** The parameters that matter, each in a few words: its type, values and when it applies. */
  parameters: Record<string, string>;
  categories: string[];
}

/** How many of a page show all their parameters: later ones are seldom the one that is meant. */
const IN_FULL = 4;

/** Searches the nodes of the installed pack; the index of words is made at the first search. */
export class PackFinder {
  readonly #reader: PackReader;
  #search: { pack: OpenedPack; search: NodeSearch } | undefined;

  constructor(reader: PackReader) {
    this.#reader = reader;
  }

  /** One page of the matches, the best first, and how many there are. Throws Failure('unavailable') without a pack. */
  async find({ limit, offset, ...query }: NodeQuery): Promise<{ count: number; nodes: FoundNode[] }> {
    const found = (await this.#open()).find(query);
    const nodes = found.slice(offset, offset + limit).map(({ type, name, description, parameters, categories }, place) => ({
      id: type,
      name,
      description,
      parameters: place < IN_FULL ? parameters : essential(parameters),
      categories,
    }));
    return { count: found.length, nodes };
  }

  async #open(): Promise<NodeSearch> {
    const pack = this.#reader.current ?? (await this.#reader.open());
    if (!pack) throw this.#reader.missing('node_search');
    if (this.#search?.pack !== pack) this.#search = { pack, search: new NodeSearch(pack.types.entries) };
    return this.#search.search;
  }
}
