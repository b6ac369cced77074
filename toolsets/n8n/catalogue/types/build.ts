import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  isGroup,
  isProperty,
  isTrigger,
  type Property,
  type PropertyGroup,
  type PropertyOption,
  type TypeDescription,
  versionsOf,
} from './description.ts';
import { summarize } from './parameter-summary.ts';
import { words } from './search-index.ts';
import { asVariant, type Variant, variantName, variantsOf } from './tool-variants.ts';
import { type CatalogueIndex, INDEX_FILE, type IndexEntry, TYPES_FILE, type TypeRecord } from './type-store.ts';

/** The node packages of a pack, as their folder in node_modules and as the prefix of their types. */
const NODE_PACKAGES = ['n8n-nodes-base', '@n8n/n8n-nodes-langchain'] as const;

/** The descriptions of one package, as `dist/types/nodes.json` has them. */
export interface PackageTypes {
  package: string;
  types: TypeDescription[];
}

export async function buildCatalogue(folder: string, version: string): Promise<void> {
  const packages = await Promise.all(
    NODE_PACKAGES.map(async (name) => ({
      package: name,
      types: JSON.parse(await readFile(join(folder, 'node_modules', name, 'dist/types/nodes.json'), 'utf8')) as TypeDescription[],
    })),
  );
  await writeCatalogue(folder, catalogueOf(packages, version));
}

export interface BuiltCatalogue {
  index: CatalogueIndex;
  types: string[];
}

/** Both files are whole or not there; the index is last, since it is what readers look for. */
export async function writeCatalogue(folder: string, { index, types }: BuiltCatalogue): Promise<void> {
  const files = [
    [TYPES_FILE, types.join('')],
    [INDEX_FILE, JSON.stringify(index)],
  ] as const;
  for (const [name, text] of files) {
    const partial = join(folder, `${name}.${process.pid}`);
    await writeFile(partial, text);
    await rename(partial, join(folder, name));
  }
}

/** `complete`: the variants for agents are among the types already, as an instance lists them. */
export function catalogueOf(packages: PackageTypes[], version: string, options: { complete?: boolean } = {}): BuiltCatalogue {
  const types: string[] = [];
  let at = 0;
  const entries: IndexEntry[] = [];
  for (const { package: name, types: described } of packages) {
    for (const [, versions] of Map.groupBy(described, (description) => description.name)) {
      const written = versions.map((description) => {
        const line = `${JSON.stringify(compact(description))}\n`;
        const record: TypeRecord = { versions: versionsOf(description), at, length: Buffer.byteLength(line) };
        at += record.length;
        types.push(line);
        return { description, record };
      });
      entries.push(...entriesOf(name, written, options.complete === true));
    }
  }
  return { index: { version, entries }, types };
}

function entriesOf(packageName: string, written: { description: TypeDescription; record: TypeRecord }[], complete: boolean): IndexEntry[] {
  const offered = (description: TypeDescription): Variant[] => (complete ? ['plain'] : variantsOf(description));
  const variants = new Set(written.flatMap(({ description }) => offered(description)));
  return [...variants].flatMap((variant) => {
    const own = written.filter(({ description }) => offered(description).includes(variant));
    const versions = own.flatMap(({ record }) => record.versions).sort((a, b) => a - b);
    const newest = newestOf(
      own.map(({ description }) => description),
      versions,
    );
    const latest = own.find(({ record }) => record.versions.includes(newest));
    if (!latest) return [];
    const records = own.map(({ record }) => record);
    return [{ ...entryOf(packageName, latest.description, variant, newest), versions, newest, records }];
  });
}

/** n8n gives new nodes the default version, which need not be the highest. */
function newestOf(descriptions: TypeDescription[], versions: number[]): number {
  const given = descriptions.map((description) => description.defaultVersion).find((version) => version !== undefined);
  return given !== undefined && versions.includes(given) ? given : (versions.at(-1) ?? 1);
}

function entryOf(
  packageName: string,
  plain: TypeDescription,
  variant: Variant,
  version: number,
): Omit<IndexEntry, 'versions' | 'newest' | 'records'> {
  const description = asVariant(plain, variant);
  const trigger = isTrigger(description);
  const subNode = isSubNode(description);
  return {
    type: `${packageName}.${variantName(plain.name, variant)}`,
    name: description.displayName,
    description: description.description,
    variant,
    trigger,
    subNode,
    hidden: description.hidden === true || description.name.startsWith('e2eTest'),
    categories: categoriesOf(description, { trigger, subNode }),
    aliases: description.codex?.alias ?? [],
    operations: operationsOf(description),
    parameters: summarize(description, version),
  };
}

function isSubNode({ outputs }: TypeDescription): boolean {
  if (typeof outputs === 'string') return false;
  return outputs.some((output) => (typeof output === 'string' ? output : output.type) !== 'main');
}

function categoriesOf(description: TypeDescription, kind: { trigger: boolean; subNode: boolean }): string[] {
  const { categories = [], subcategories = {} } = description.codex ?? {};
  const named = Object.values(subcategories).flatMap((names) => (Array.isArray(names) ? names.map(String) : []));
  const kinds = [...(kind.trigger ? ['trigger'] : []), ...(kind.subNode ? ['AI sub-node'] : [])];
  return [...new Set([...kinds, ...categories.map((name) => name.trim()), ...named, ...topicsOf(description)])];
}

/** What a node can do, in words: "Send a message", "message", "send". */
function operationsOf(description: TypeDescription): string[] {
  const found = new Set<string>();
  for (const property of description.properties) {
    if (property.name !== 'operation' && property.name !== 'resource') continue;
    for (const option of property.options ?? []) {
      if (isGroup(option)) continue;
      const said = ('action' in option && option.action) || option.name;
      if (typeof said === 'string' && said) found.add(said);
    }
  }
  return [...found].slice(0, 120);
}

/** Prose and looks: nothing that decides how a node behaves. */
const DROPPED_OF_TYPE = new Set(
  `iconUrl icon iconColor subtitle hints parameterPane triggerPanel eventTriggerDescription activationMessage documentationUrl
  waitingNodeTooltip builderHint schemaPath requestOperations mockManualExecution sensitiveOutputFields supportsCORS`.split(/\s+/),
);
const DROPPED_OF_PROPERTY = new Set(['description', 'placeholder', 'hint', 'builderHint', 'routing', 'isNodeSetting', 'extractValue']);
const DROPPED_OF_MODE = new Set(['placeholder', 'hint', 'url', 'extractValue', 'initType']);

/** A description without what only an editor shows: half the bytes, the same rules. */
function compact(description: TypeDescription): TypeDescription {
  return { ...without(description, DROPPED_OF_TYPE), properties: description.properties.map(compactProperty) };
}

function compactProperty(property: Property): Property {
  const kept = without(property, DROPPED_OF_PROPERTY);
  if (property.modes) kept.modes = property.modes.map((mode) => without(mode, DROPPED_OF_MODE));
  if (property.options) kept.options = property.options.map(compactOption);
  return kept;
}

function compactOption(option: PropertyOption | PropertyGroup | Property): PropertyOption | PropertyGroup | Property {
  if (isGroup(option)) return { ...option, values: option.values.map(compactProperty) };
  if (isProperty(option)) return compactProperty(option);
  return without(option, new Set(['description', 'routing', 'builderHint']));
}

function without<Value extends object>(value: Value, dropped: ReadonlySet<string>): Value {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !dropped.has(key))) as Value;
}

/** What people call kinds of nodes, and the words in a node's own name that make it one. */
const TOPICS: Record<string, RegExp> = {
  http: /\b(http|webhook|graphql)\b/,
  webhook: /\bwebhook\b/,
  database:
    /\b(sql|mysql|database|databases|postgres|postgre|pg|mongo|mongodb|redis|supabase|snowflake|dynamo|firestore|cosmos|noco|nocodb|baserow|airtable|quest|questdb|timescale|timescaledb|crate|cratedb|elasticsearch|bigquery|databricks|data table)\b/,
  email: /\b(email|gmail|outlook|imap|smtp|mailgun|mailjet|mailchimp|mandrill|send ?grid|sendy|brevo|postmark|mail)\b/,
  chat: /\b(chat|slack|telegram|discord|whats ?app|teams|mattermost|matrix|rocketchat|line|twilio|zulip|twist|signal)\b/,
  spreadsheet: /\b(sheets|spreadsheet|excel|grist|seatable)\b/,
  file: /\b(file|files|drive|dropbox|box|ftp|s3|storage|next ?cloud|binary|compression|pdf)\b/,
  schedule: /\b(schedule|cron|interval)\b/,
  code: /\b(code|function|execute command)\b/,
  crm: /\b(crm|hub ?spot|pipedrive|salesforce|zoho|copper|affinity|agile|keap|freshworks|monica|high ?level|active campaign)\b/,
};

/** Models are named after where they run, which makes them no database. */
const MODEL = /^(lm[A-Z]|embeddings)/;

function topicsOf(description: TypeDescription): string[] {
  if (MODEL.test(description.name)) return [];
  const text = `${words(description.name)} ${description.displayName}`.toLowerCase();
  return Object.entries(TOPICS).flatMap(([topic, pattern]) => (pattern.test(text) ? [topic] : []));
}
