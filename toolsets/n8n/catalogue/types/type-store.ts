import { closeSync, openSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TypeDescription } from './description.ts';
import type { ParameterSummary } from './parameter-summary.ts';
import { asVariant, type Variant } from './tool-variants.ts';

/** Where the description of some versions stands in the types file. */
export interface TypeRecord {
  versions: number[];
  at: number;
  length: number;
}

/** One node type in the index: all that search and the existence of types and versions need. */
export interface IndexEntry {
  type: string;
  name: string;
  description: string;
  /** Ascending. */
  versions: number[];
  /** What a new node gets. */
  newest: number;
  variant: Variant;
  trigger: boolean;
  /** Plugs into another node (a model, a memory, a tool) instead of passing items on. */
  subNode: boolean;
  hidden: boolean;
  categories: string[];
  aliases: string[];
  operations: string[];
  parameters: Record<string, ParameterSummary>;
  records: TypeRecord[];
}

export interface CatalogueIndex {
  version: string;
  entries: IndexEntry[];
}

/** One version of a node type, read when first wanted. */
export interface NodeType {
  entry: IndexEntry;
  description: TypeDescription;
  /** The package that brings it: n8n-nodes-base. */
  package: string;
}

const MOST_KEPT = 300;

/** The node types of one pack: the index in memory, the descriptions on disk until a workflow uses them. */
export class TypeStore {
  readonly version: string;
  readonly entries: readonly IndexEntry[];
  readonly packages: ReadonlySet<string>;
  readonly #byType = new Map<string, IndexEntry>();
  readonly #kept = new Map<string, NodeType>();
  readonly #file: number;

  constructor(index: CatalogueIndex, file: number) {
    this.version = index.version;
    this.entries = index.entries;
    this.#file = file;
    for (const entry of index.entries) this.#byType.set(entry.type, entry);
    this.packages = new Set(index.entries.map((entry) => packageOf(entry.type)));
  }

  /** Throws ENOENT when the folder has no catalogue. */
  static async open(folder: string): Promise<TypeStore> {
    const index = JSON.parse(await readFile(join(folder, INDEX_FILE), 'utf8')) as CatalogueIndex;
    return new TypeStore(index, openSync(join(folder, TYPES_FILE), 'r'));
  }

  find(type: string): IndexEntry | undefined {
    return this.#byType.get(type);
  }

  /** Without a version: the one that new nodes get. Undefined when the type or the version is unknown. */
  get(type: string, version?: number): NodeType | undefined {
    const entry = this.#byType.get(type);
    if (!entry) return undefined;
    const wanted = version ?? entry.newest;
    const record = entry.records.find(({ versions }) => versions.includes(wanted));
    return record && this.#read(entry, record);
  }

  #read(entry: IndexEntry, record: TypeRecord): NodeType {
    const key = `${entry.type} ${record.at}`;
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const bytes = Buffer.allocUnsafe(record.length);
    readSync(this.#file, bytes, 0, record.length, record.at);
    const plain = JSON.parse(bytes.toString('utf8')) as TypeDescription;
    const read: NodeType = { entry, description: asVariant(plain, entry.variant), package: packageOf(entry.type) };
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= MOST_KEPT) this.#kept.delete(oldest);
    this.#kept.set(key, read);
    return read;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** A type without its package. */
export function shortName(type: string): string {
  return type.slice(type.lastIndexOf('.') + 1);
}

/** Without case, blanks and signs. */
export function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

export function packageOf(type: string): string {
  return type.slice(0, Math.max(0, type.lastIndexOf('.')));
}

/** Raised when the files below change: an older index is then built again from the installed packages. */
export const FORMAT = 4;
export const INDEX_FILE = `catalogue-${FORMAT}.index.json`;
export const TYPES_FILE = `catalogue-${FORMAT}.types.jsonl`;
