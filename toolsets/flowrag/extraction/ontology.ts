import { entityKey, type GraphSchema } from '../schema.ts';
import { TECHNOLOGIES } from './technologies.ts';

/** What the rules can tell apart. Each becomes the configured type whose name fits best. */
const KINDS = ['service', 'database', 'queue', 'topic', 'protocol', 'team', 'library', 'concept'] as const;
export type Kind = (typeof KINDS)[number];
const RELATION_KINDS = ['uses', 'depends', 'produces', 'consumes', 'owns'] as const;
export type RelationKind = (typeof RELATION_KINDS)[number];

/** A configured type for each kind: the first of these that the schema has. Without one, such things are left out. */
const TYPES_OF_KIND: Readonly<Record<Kind, readonly string[]>> = {
  service: ['SERVICE', 'MICROSERVICE', 'APPLICATION', 'APP', 'SYSTEM', 'COMPONENT'],
  database: ['DATABASE', 'DATASTORE', 'DATA_STORE', 'STORAGE', 'STORE'],
  queue: ['QUEUE', 'BROKER', 'MESSAGE_BROKER', 'EVENT_BUS', 'STREAM', 'MIDDLEWARE', 'INFRASTRUCTURE', 'SERVICE'],
  topic: ['TOPIC', 'EVENT', 'CHANNEL', 'STREAM', 'MESSAGE', 'CONCEPT'],
  protocol: ['PROTOCOL', 'STANDARD'],
  team: ['TEAM', 'SQUAD', 'GROUP', 'ORGANIZATION', 'ORGANISATION'],
  library: ['LIBRARY', 'PACKAGE', 'MODULE', 'DEPENDENCY'],
  concept: ['CONCEPT', 'TERM'],
};

interface RelationChoice {
  type: string;
  /** The type is stated from the other end: A owns B is B OWNED_BY A. */
  reversed: boolean;
}

const RELATIONS_OF_KIND: Readonly<Record<RelationKind, readonly string[]>> = {
  uses: ['USES', 'CALLS', 'DEPENDS_ON', '<USED_BY'],
  depends: ['DEPENDS_ON', 'REQUIRES', 'USES'],
  produces: ['PRODUCES', 'PUBLISHES', 'PUBLISHES_TO', 'EMITS', 'WRITES_TO', 'SENDS_TO', '<PRODUCED_BY'],
  consumes: ['CONSUMES', 'SUBSCRIBES_TO', 'SUBSCRIBES', 'READS_FROM', 'LISTENS_TO', '<CONSUMED_BY'],
  owns: ['OWNS', 'MAINTAINS', '<OWNED_BY', '<MAINTAINED_BY'],
};

export interface KnownName {
  name: string;
  type: string;
  /** Undefined for types of the configuration that match no kind. */
  kind: Kind | undefined;
  /** Only as written, not in any case. */
  exact: boolean;
}

/** What the rules can express with the configured schema. */
export class Ontology {
  readonly schema: GraphSchema;
  readonly #types = new Map<Kind, string>();
  readonly #kinds = new Map<string, Kind>();
  readonly #relations = new Map<RelationKind, RelationChoice>();
  readonly #known = new Map<string, KnownName>();
  readonly #aliases = new Map<string, string>();

  constructor(schema: GraphSchema) {
    this.schema = schema;
    for (const kind of KINDS) {
      const type = firstOf(TYPES_OF_KIND[kind], schema.entityTypes);
      if (type === undefined) continue;
      this.#types.set(kind, type);
      if (!this.#kinds.has(type.toUpperCase())) this.#kinds.set(type.toUpperCase(), kind);
    }
    for (const kind of RELATION_KINDS) {
      const type = firstOf(RELATIONS_OF_KIND[kind], schema.relationTypes);
      if (type !== undefined) this.#relations.set(kind, { type, reversed: !RELATIONS_OF_KIND[kind].includes(type.toUpperCase()) });
    }
    this.#learnNames();
  }

  typeOf(kind: Kind): string | undefined {
    return this.#types.get(kind);
  }

  kindOf(type: string): Kind | undefined {
    return this.#kinds.get(type.toUpperCase());
  }

  relationOf(kind: RelationKind): RelationChoice | undefined {
    return this.#relations.get(kind);
  }

  /** The configured type that a word names: "Service", "services" and "SERVICES" are SERVICE. */
  typeNamed(word: string): string | undefined {
    const wanted = asType(word);
    const forms = [wanted, wanted.replace(/IES$/, 'Y'), wanted.replace(/S$/, ''), wanted.replace(/ES$/, '')];
    return this.schema.entityTypes.find((type) => forms.includes(type.toUpperCase()));
  }

  /** A name whose type is known before any document is read: from the configuration, else a technology. */
  known(key: string): KnownName | undefined {
    return this.#known.get(key);
  }

  /** The name that the configuration uses in place of an alias. */
  canonical(name: string): string {
    return this.#aliases.get(entityKey(name)) ?? name;
  }

  /** The same for keys. */
  canonicalKey(key: string): string {
    const name = this.#aliases.get(key);
    return name === undefined ? key : entityKey(name);
  }

  #learnNames(): void {
    for (const { name, kind, aliases, exact } of TECHNOLOGIES) {
      const type = this.#types.get(kind);
      if (type === undefined) continue;
      for (const written of [name, ...aliases]) this.#known.set(entityKey(written), { name, type, kind, exact });
    }
    for (const [name, type] of Object.entries(this.schema.ontology)) {
      const configured = this.schema.entityTypes.find((candidate) => candidate.toUpperCase() === type.toUpperCase());
      if (configured === undefined) continue;
      this.#known.set(entityKey(name), { name, type: configured, kind: this.kindOf(configured), exact: !/[\s\d_-]/.test(name) });
    }
    for (const [name, aliases] of Object.entries(this.schema.aliases)) {
      const meant = this.#known.get(entityKey(name));
      for (const alias of aliases) {
        this.#aliases.set(entityKey(alias), name);
        if (meant) this.#known.set(entityKey(alias), { ...meant, exact: false });
      }
    }
  }
}

/** A word in the spelling of types. */
export function asType(word: string): string {
  return word
    .trim()
    .toUpperCase()
    .replace(/[\s-]+/g, '_');
}

/** The configured type that comes first among the candidates. */
function firstOf(candidates: readonly string[], configured: readonly string[]): string | undefined {
  const byName = new Map(configured.map((type) => [type.toUpperCase(), type]));
  return candidates.map((candidate) => byName.get(candidate.replace('<', ''))).find((type) => type !== undefined);
}

/** A relation only between things that can have it: teams own, nobody consumes a team, writing into a queue produces. */
export function suited(kind: RelationKind, from: Kind | undefined, to: Kind | undefined): RelationKind | undefined {
  if (kind === 'owns') return from === 'team' && to !== 'team' ? kind : undefined;
  if (to === 'team' || from === 'protocol' || from === 'topic' || (kind === 'uses' && to === 'topic')) return undefined;
  if (kind === 'consumes' && (to === 'database' || to === 'protocol')) return 'uses';
  if (kind === 'produces' && (to === 'database' || to === 'protocol')) return 'uses';
  return kind;
}
