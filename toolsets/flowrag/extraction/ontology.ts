import { entityKey, type GraphSchema } from '../schema.ts';
import { TECHNOLOGIES } from './technologies.ts';

/** What the rules can tell apart; the configured types that these become follow from their names. */
export type Kind = 'service' | 'database' | 'queue' | 'topic' | 'protocol' | 'team' | 'library' | 'concept';
export type RelationKind = 'uses' | 'depends' | 'produces' | 'consumes' | 'owns';

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
  /** The type is said from the other end: A owns B is B OWNED_BY A. */
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
  /** Undefined for types of the configuration that no kind stands for. */
  kind: Kind | undefined;
  /** Only as written, not in any case. */
  exact: boolean;
}

/** What the configured schema lets the rules say. */
export class Ontology {
  readonly schema: GraphSchema;
  readonly #types = new Map<Kind, string>();
  readonly #kinds = new Map<string, Kind>();
  readonly #relations = new Map<RelationKind, RelationChoice>();
  readonly #known = new Map<string, KnownName>();
  readonly #aliases = new Map<string, string>();

  constructor(schema: GraphSchema) {
    this.schema = schema;
    const typeByName = new Map(schema.entityTypes.map((type) => [type.toUpperCase(), type]));
    for (const [kind, names] of Object.entries(TYPES_OF_KIND) as [Kind, readonly string[]][]) {
      const name = names.find((candidate) => typeByName.has(candidate));
      if (name === undefined) continue;
      this.#types.set(kind, typeByName.get(name) as string);
      if (!this.#kinds.has(name)) this.#kinds.set(name, kind);
    }
    this.#chooseRelations(schema.relationTypes);
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
    const wanted = word
      .trim()
      .toUpperCase()
      .replace(/[\s-]+/g, '_');
    const forms = [wanted, wanted.replace(/IES$/, 'Y'), wanted.replace(/S$/, ''), wanted.replace(/ES$/, '')];
    return this.schema.entityTypes.find((type) => forms.includes(type.toUpperCase()));
  }

  /** A name whose type is known before any document is read: from the configuration, else a technology. */
  known(key: string): KnownName | undefined {
    return this.#known.get(key);
  }

  /** The name that the configuration puts in the place of an alias. */
  canonical(name: string): string {
    return this.#aliases.get(entityKey(name)) ?? name;
  }

  /** The same for keys. */
  canonicalKey(key: string): string {
    const name = this.#aliases.get(key);
    return name === undefined ? key : entityKey(name);
  }

  #chooseRelations(configured: readonly string[]): void {
    const byName = new Map(configured.map((type) => [type.toUpperCase(), type]));
    for (const [kind, names] of Object.entries(RELATIONS_OF_KIND) as [RelationKind, readonly string[]][]) {
      const name = names.find((candidate) => byName.has(candidate.replace('<', '')));
      if (name !== undefined)
        this.#relations.set(kind, { type: byName.get(name.replace('<', '')) as string, reversed: name.startsWith('<') });
    }
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

/** A relation only between things that can have it: teams own, nobody consumes a team, writing into a queue produces. */
export function suited(kind: RelationKind, from: Kind | undefined, to: Kind | undefined): RelationKind | undefined {
  if (kind === 'owns') return from === 'team' && to !== 'team' ? kind : undefined;
  if (to === 'team' || from === 'protocol' || from === 'topic' || (kind === 'uses' && to === 'topic')) return undefined;
  if (kind === 'consumes' && (to === 'database' || to === 'protocol')) return 'uses';
  if (kind === 'produces' && (to === 'database' || to === 'protocol')) return 'uses';
  return kind;
}
