import type { PackReader } from './pack/pack-reader.ts';
import type { OpenedPack } from './types/opened-pack.ts';
import { essential } from './types/parameter-summary.ts';
import type { NodeQuery } from './types/search.ts';
import { NodeSearch } from './types/search.ts';

export interface FoundNode {
  /** The type that node_add takes. */
  id: string;
  name: string;
  description: string;
  /** The parameters that matter, each in a few words: its type, values and when it applies. */
  parameters: Record<string, string>;
  categories: string[];
}

export interface NodeFinder {
  /** One page of the matches, the best first, and how many there are. Throws Failure('unavailable') without a pack. */
  find(query: NodeQuery): Promise<{ count: number; nodes: FoundNode[] }>;
}

/** How many of a page show all their parameters: later ones are seldom the one that is meant. */
const IN_FULL = 4;

/** Searches the nodes of the installed pack; the index of words is made at the first search. */
export class PackFinder implements NodeFinder {
  readonly #reader: PackReader;
  #search: { pack: OpenedPack; search: NodeSearch } | undefined;

  constructor(reader: PackReader) {
    this.#reader = reader;
  }

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
