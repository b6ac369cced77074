import { engineMissing } from '../availability.ts';
import type { OpenedPack, PackReader } from '../pack/opened-pack.ts';
import type { FoundNode, NodeFinder, NodeQuery } from '../ports.ts';
import { NodeSearch } from './search.ts';

/** Searches the nodes of the installed pack; the index of words is made at the first search. */
export class PackFinder implements NodeFinder {
  readonly #reader: PackReader;
  #search: { pack: OpenedPack; search: NodeSearch } | undefined;

  constructor(reader: PackReader) {
    this.#reader = reader;
  }

  async find({ limit, offset, ...query }: NodeQuery): Promise<{ count: number; nodes: FoundNode[] }> {
    const found = (await this.#open()).find(query);
    const nodes = found.slice(offset, offset + limit).map(({ type, name, description, parameters, categories }) => ({
      id: type,
      name,
      description,
      parameters,
      categories,
    }));
    return { count: found.length, nodes };
  }

  async #open(): Promise<NodeSearch> {
    const pack = this.#reader.current ?? (await this.#reader.open());
    if (!pack) {
      const missing = await this.#reader.availability();
      if (!missing.available) throw engineMissing('node_search', missing);
      return this.#open();
    }
    if (this.#search?.pack !== pack) this.#search = { pack, search: new NodeSearch(pack.types.entries) };
    return this.#search.search;
  }
}
