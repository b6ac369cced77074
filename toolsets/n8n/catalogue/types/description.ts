/** When a parameter is shown: all of `show` must match and none of `hide`. Keys are parameters, `/root.paths`, `@version` and the like. */
export interface DisplayOptions {
  show?: Record<string, unknown[]>;
  hide?: Record<string, unknown[]>;
}

export interface PropertyOption {
  name?: string;
  value?: unknown;
  action?: string;
  displayOptions?: DisplayOptions;
}

/** The members of one named group of a fixedCollection. */
export interface PropertyGroup {
  name: string;
  displayName?: string;
  values: Property[];
}

/** One parameter as n8n describes it; only what validation, search and defaults look at. */
export interface Property {
  name: string;
  displayName?: string;
  type: string;
  default?: unknown;
  required?: boolean;
  noDataExpression?: boolean;
  displayOptions?: DisplayOptions;
  typeOptions?: Record<string, unknown>;
  options?: (PropertyOption | PropertyGroup | Property)[];
  modes?: { name: string; [key: string]: unknown }[];
  validateType?: string;
  allowArbitraryValues?: boolean;
  [key: string]: unknown;
}

/** A port as a description spells it: a type, or a type with a name and limits. */
export type PortDescription =
  | string
  | { type: string; displayName?: string; required?: boolean; maxConnections?: number; category?: string; filter?: unknown };

export interface CredentialDescription {
  name: string;
  required?: boolean;
  displayOptions?: DisplayOptions;
}

/** One version (or several that share it) of a node type, as its package describes it. */
export interface TypeDescription {
  /** Without the package. */
  name: string;
  displayName: string;
  description: string;
  group: string[];
  version: number | number[];
  defaultVersion?: number;
  defaults: { name?: string };
  inputs: PortDescription[] | string;
  outputs: PortDescription[] | string;
  inputNames?: string[];
  outputNames?: string[];
  credentials?: CredentialDescription[];
  properties: Property[];
  codex?: { categories?: string[]; subcategories?: Record<string, unknown>; alias?: string[] };
  usableAsTool?: boolean | { replacements?: Record<string, unknown> };
  hidden?: boolean;
  maxNodes?: number;
  webhooks?: unknown[];
  [key: string]: unknown;
}

export function versionsOf(description: { version: number | number[] }): number[] {
  return Array.isArray(description.version) ? description.version : [description.version];
}

export function isGroup(option: PropertyOption | PropertyGroup | Property): option is PropertyGroup {
  return 'values' in option && Array.isArray(option.values);
}

export function isProperty(option: object): option is Property {
  return 'type' in option && 'name' in option;
}

export function isTrigger(description: TypeDescription): boolean {
  return description.group.includes('trigger');
}
