import type { ParameterSummary } from './summary.ts';
import type { Variant } from './tool-variants.ts';

/** Raised when the files below change: an older index is then built anew from the installed packages. */
export const FORMAT = 4;
export const INDEX_FILE = `catalogue-${FORMAT}.index.json`;
export const TYPES_FILE = `catalogue-${FORMAT}.types.jsonl`;

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
