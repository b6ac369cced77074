import { nearest } from '@millrace/kernel';
import { SearchIndex } from './search-index.ts';
import { type IndexEntry, plain, shortName } from './type-store.ts';

/** What a search for nodes asks; filters that are given together all apply. */
export interface NodeQuery {
  category?: string | undefined;
  keyword?: string | undefined;
  functionality?: string | undefined;
  limit: number;
  offset: number;
}

/** What people call categories that have another label. */
const CALLED: Record<string, string[]> = {
  trigger: ['triggers'],
  database: ['db', 'databases', 'sql'],
  http: ['api', 'rest', 'web'],
  webhook: ['webhooks'],
  email: ['mail'],
  chat: ['messaging'],
  file: ['files'],
  'data & storage': ['storage'],
  spreadsheet: ['spreadsheets'],
  schedule: ['cron', 'scheduling'],
  flow: ['logic', 'flow control'],
  'core nodes': ['core'],
  'data transformation': ['transform', 'transformation'],
  'language models': ['llm', 'language model', 'model', 'models'],
  tools: ['tool'],
  'vector stores': ['vector store'],
  embeddings: ['embedding'],
  agents: ['agent'],
  memory: ['memories'],
  'finance & accounting': ['finance'],
  'ai sub-node': ['subnode', 'sub-node'],
  ai: ['langchain'],
};

const LABELS = new Map(Object.entries(CALLED).flatMap(([label, names]) => names.map((name) => [name, label])));

/** Finds nodes: each filter has its own set of matches, and a node must be in all of them. */
export class NodeSearch {
  readonly #entries: readonly IndexEntry[];
  readonly #index: SearchIndex;
  readonly #byLabel = new Map<string, Set<number>>();
  readonly #byName = new Map<string, number>();
  /** How each node's title and type read without case, blanks and signs. */
  readonly #plain: { name: string; short: string }[];

  constructor(entries: readonly IndexEntry[]) {
    this.#entries = entries;
    this.#index = new SearchIndex(entries);
    this.#plain = entries.map(({ name, type }) => ({ name: plain(name), short: shortName(type).toLowerCase() }));
    for (const [position, entry] of entries.entries()) {
      for (const category of entry.categories) {
        const label = category.toLowerCase();
        this.#byLabel.set(label, (this.#byLabel.get(label) ?? new Set()).add(position));
      }
      this.#byName.set(entry.type.toLowerCase(), position);
    }
  }

  /** All matches, the best first. Without any filter: every node that n8n's editor offers. */
  find({ category, keyword, functionality }: Omit<NodeQuery, 'limit' | 'offset'>): IndexEntry[] {
    const filters: ReadonlyMap<number, number>[] = [];
    if (category?.trim()) filters.push(this.#inCategory(category));
    if (keyword?.trim()) filters.push(this.#byKeyword(keyword));
    if (functionality?.trim()) filters.push(this.#index.matches(functionality));
    const [smallest = this.#all(), ...others] = filters.sort((a, b) => a.size - b.size);
    const scored: { entry: IndexEntry; score: number }[] = [];
    for (const [position, own] of smallest) {
      const entry = this.#entries[position];
      if (!entry || !others.every((other) => other.has(position))) continue;
      const score = others.reduce((sum, other) => sum + (other.get(position) ?? 0), own);
      scored.push({ entry, score: score * rankFactor(entry) });
    }
    scored.sort((a, b) => b.score - a.score || inOrder(a.entry.name, b.entry.name) || inOrder(a.entry.type, b.entry.type));
    return scored.map(({ entry }) => entry);
  }

  #all(): Map<number, number> {
    return new Map(this.#entries.flatMap((entry, position) => (entry.hidden ? [] : [[position, 1]])));
  }

  #inCategory(written: string): Map<number, number> {
    const wanted = written.trim().toLowerCase();
    const label = this.#label(LABELS.get(wanted) ?? wanted);
    return new Map([...(label ? (this.#byLabel.get(label) ?? []) : [])].map((position) => [position, 1]));
  }

  #label(wanted: string): string | undefined {
    if (this.#byLabel.has(wanted)) return wanted;
    const labels = [...this.#byLabel.keys()];
    const within = labels.filter((label) => label.split(/[^a-z0-9]+/).includes(wanted)).sort((a, b) => a.length - b.length)[0];
    return (
      within ?? (wanted.length > 3 ? nearest(wanted, labels, 1).find((label) => Math.abs(label.length - wanted.length) <= 2) : undefined)
    );
  }

  #byKeyword(keyword: string): Map<number, number> {
    const written = keyword.trim().toLowerCase();
    const exact = this.#byName.get(written);
    if (exact !== undefined) return new Map([[exact, 1000]]);
    const matches = this.#index.matches(keyword);
    const wanted = plain(written);
    for (const [position, score] of matches) {
      const { name = '', short = '' } = this.#plain[position] ?? {};
      if (name === wanted || short === wanted) matches.set(position, score + 200);
      else if (name.startsWith(wanted) || short.startsWith(wanted)) matches.set(position, score + 30);
    }
    return matches;
  }
}

function inOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Core nodes come first, the node itself before its variants, and last what the editor no longer offers. */
function rankFactor(entry: IndexEntry): number {
  const offered = entry.hidden ? 0.05 : entry.categories.includes('Core Nodes') ? 1.3 : 1;
  return offered * (entry.variant === 'plain' ? 1 : entry.variant === 'tool' ? 0.55 : 0.4);
}
