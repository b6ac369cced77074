/** Where a Remove Duplicates node remembers: for the node alone, or for its workflow. */
interface Owner {
  workflow: { id?: string };
  node?: { id?: string };
}

interface SeenOptions {
  mode: 'entries' | 'latestIncrementalKey' | 'latestDate';
  maxEntries?: number;
}

type Value = string | number;
type Checked = { new: Value[]; processed: Value[] };

/** What n8n remembers across executions to tell new items from old ones. Here every run begins with no memory, as in a new n8n. */
export class SeenItems {
  #entries = new Map<string, Value[]>();
  #latest = new Map<string, Value>();

  forget(): void {
    this.#entries.clear();
    this.#latest.clear();
  }

  async checkProcessedAndRecord(items: Value[], scope: string, owner: Owner, options: SeenOptions): Promise<Checked> {
    const key = keyOf(scope, owner);
    return options.mode === 'entries' ? this.#checkEntries(items, key, options) : this.#checkLatest(items, key, options);
  }

  async removeProcessed(items: Value[], scope: string, owner: Owner): Promise<void> {
    const key = keyOf(scope, owner);
    this.#entries.set(
      key,
      (this.#entries.get(key) ?? []).filter((item) => !items.includes(item)),
    );
  }

  async clearAllProcessedItems(scope: string, owner: Owner): Promise<void> {
    this.#entries.delete(keyOf(scope, owner));
    this.#latest.delete(keyOf(scope, owner));
  }

  async getProcessedDataCount(scope: string, owner: Owner): Promise<number> {
    return this.#entries.get(keyOf(scope, owner))?.length ?? 0;
  }

  #checkEntries(items: Value[], key: string, { maxEntries }: SeenOptions): Checked {
    const before = this.#entries.get(key);
    const known = new Set(before);
    const checked = split(items, (item) => !known.has(item));
    const all = [...known, ...checked.new];
    this.#entries.set(key, maxEntries ? all.slice(-maxEntries) : all);
    return before ? checked : { new: items, processed: [] };
  }

  #checkLatest(items: Value[], key: string, { mode }: SeenOptions): Checked {
    const number = (value: Value) => (mode === 'latestDate' ? Date.parse(String(value)) : Number(value));
    for (const item of items) {
      if (Number.isNaN(number(item))) {
        throw new Error(`Invalid value. Only ${mode === 'latestDate' ? 'valid dates' : 'numbers'} are supported in mode "${mode}"`);
      }
    }
    const latest = this.#latest.get(key);
    const checked = latest === undefined ? { new: items, processed: [] } : split(items, (item) => number(item) > number(latest));
    const newest = checked.new.toSorted((a, b) => number(a) - number(b)).at(-1);
    if (newest !== undefined) this.#latest.set(key, newest);
    return checked;
  }
}

function keyOf(scope: string, { workflow, node }: Owner): string {
  return `${workflow.id ?? ''} ${scope === 'node' ? (node?.id ?? '') : ''}`;
}

function split(items: Value[], isNew: (item: Value) => boolean): Checked {
  return { new: items.filter(isNew), processed: items.filter((item) => !isNew(item)) };
}
