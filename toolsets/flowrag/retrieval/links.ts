import { type NameRole, termsIn } from '../names/titles.ts';
import type { Collection, NameCarrier, StoredChunk } from '../store/collection.ts';
import { type Inquiry, stemOf } from './question.ts';

export interface Link {
  to: number;
  weight: number;
  /** What links the two: a name, a term or an entity. */
  via: string;
}

/** A name in more documents than this means too little to be worth following. */
const MOST_DOCUMENTS = 40;
/** Two texts that merely share a name are related only where few others have it. */
const MOST_SHARING = 20;
const MOST_ALIASED = 3;
const MOST_ENTITY_CHUNKS = 30;
/** Texts that are fetched only to see in which words they mention a title. */
const MOST_CONTEXTS = 120;
/** Looking up every stretch of words that may be a term costs most: only the first chunks are worth it. */
const MOST_TERM_CHUNKS = 10;

const TO_TITLE = 1;
const TO_MENTION = 0.7;
const TO_ALIAS = 0.5;
const TO_SHARED = 0.5;
const TO_TERM = 0.5;
const TO_ENTITY = 0.5;
/** How much a word of the question beside the mention adds, and how many count. */
const CONTEXT_WEIGHT = 2;
const MOST_CONTEXT_WORDS = 3;
/** How far from a name its context goes, and how much words count that are not right before it. */
const WORDS_AROUND = 9;
const CLOSE = 4;
const FURTHER = 0.5;
const AFTER = 0.6;

interface Draft extends Link {
  /** The chunk whose words around the name show whether the question is about this link. */
  mentionedIn?: number;
}

/** The links between chunks, read from the store around the chunks that matter and never as a whole. */
export class LinkGraph {
  readonly #store: Collection;
  readonly #stems: ReadonlySet<string>;
  readonly #links = new Map<number, Link[]>();
  readonly #texts = new Map<number, string>();

  constructor({ store, question }: Pick<Inquiry, 'store' | 'question'>) {
    this.#store = store;
    this.#stems = question.stems;
  }

  /** Undefined where the chunk has not been expanded. */
  linksOf(chunkId: number): readonly Link[] | undefined {
    return this.#links.get(chunkId);
  }

  /** Reads the links that lead away from these chunks, the most important first. */
  async expand(chunkIds: readonly number[]): Promise<void> {
    const fresh = chunkIds.filter((id) => !this.#links.has(id));
    if (fresh.length === 0) return;
    const drafts = new Map<number, Draft[]>(fresh.map((id) => [id, []]));
    const chunks = await this.#store.chunks(fresh);
    for (const chunk of chunks) this.#texts.set(chunk.id, plainText(chunk.text));
    await this.#addNames(fresh, drafts);
    await this.#addTerms(chunks.slice(0, MOST_TERM_CHUNKS), drafts);
    await this.#addEntities(fresh, drafts);
    await this.#readContexts(drafts);
    for (const [id, found] of drafts) this.#links.set(id, found.map(this.#weighed, this));
  }

  async #addNames(chunkIds: readonly number[], drafts: Map<number, Draft[]>): Promise<void> {
    const carried = (await this.#store.namesOfChunks(chunkIds)).filter(({ documents }) => documents > 1 && documents <= MOST_DOCUMENTS);
    const names = [...new Set(carried.map(({ name }) => name))];
    const rows = await this.#store.chunksWithNames(names, { mostDocuments: MOST_DOCUMENTS });
    const carriers = Map.groupBy(rows, (row) => row.name);
    for (const { chunkId, name, role } of carried) {
      const own = carriers.get(name)?.find((row) => row.chunkId === chunkId);
      const others = (carriers.get(name) ?? []).filter((row) => row.documentId !== own?.documentId);
      drafts.get(chunkId)?.push(...linksByName(chunkId, name, role, others));
    }
  }

  async #addTerms(chunks: readonly StoredChunk[], drafts: Map<number, Draft[]>): Promise<void> {
    const terms = new Map(chunks.map((chunk) => [chunk, termsIn(chunk.text)]));
    const wanted = new Set([...terms.values()].flat());
    const rows = await this.#store.chunksWithNames([...wanted], { roles: ['title'], mostDocuments: MOST_DOCUMENTS });
    const titled = Map.groupBy(rows, (row) => row.name);
    for (const [chunk, found] of terms) {
      for (const term of found) {
        const others = (titled.get(term) ?? []).filter((row) => row.documentId !== chunk.documentId);
        const via = term.slice(1);
        const weight = (via.includes(' ') ? TO_TITLE : TO_TERM) / Math.max(1, others.length);
        for (const { chunkId } of others) drafts.get(chunk.id)?.push({ to: chunkId, weight, via, mentionedIn: chunk.id });
      }
    }
  }

  async #addEntities(chunkIds: readonly number[], drafts: Map<number, Draft[]>): Promise<void> {
    const mentions = await this.#store.entitiesOfChunks(chunkIds);
    if (mentions.length === 0) return;
    const entities = await this.#store.entitiesById([...new Set(mentions.map(({ entityId }) => entityId))]);
    const rare = new Map(
      entities.filter((entity) => entity.mentions > 1 && entity.mentions <= MOST_ENTITY_CHUNKS).map((entity) => [entity.id, entity]),
    );
    const chunksOf = Map.groupBy(await this.#store.chunksOfEntities([...rare.keys()]), (row) => row.entityId);
    for (const { chunkId, entityId } of mentions) {
      const others = (chunksOf.get(entityId) ?? []).filter((row) => row.chunkId !== chunkId);
      const via = rare.get(entityId)?.name ?? '';
      for (const other of others) drafts.get(chunkId)?.push({ to: other.chunkId, weight: TO_ENTITY / (others.length + 1), via });
    }
  }

  async #readContexts(drafts: ReadonlyMap<number, readonly Draft[]>): Promise<void> {
    const wanted = new Set<number>();
    for (const found of drafts.values())
      for (const { mentionedIn } of found) if (mentionedIn !== undefined && !this.#texts.has(mentionedIn)) wanted.add(mentionedIn);
    for (const chunk of await this.#store.chunks([...wanted].slice(0, MOST_CONTEXTS))) this.#texts.set(chunk.id, plainText(chunk.text));
  }

  #weighed({ to, weight, via, mentionedIn }: Draft): Link {
    const text = mentionedIn === undefined ? undefined : this.#texts.get(mentionedIn);
    const near = text === undefined ? 0 : contextOf(text, via, this.#stems);
    return { to, weight: weight * (1 + CONTEXT_WEIGHT * Math.min(near, MOST_CONTEXT_WORDS)), via };
  }
}

/** The links that one name of a chunk gives it, to chunks of other documents that carry the name too. */
function linksByName(chunkId: number, name: string, role: NameRole, others: readonly NameCarrier[]): Draft[] {
  const titled = others.filter((row) => row.role === 'title');
  const mentioning = others.filter((row) => row.role === 'mention' || row.role === 'part');
  const links = (rows: readonly NameCarrier[], weight: number, mentionedIn: (row: NameCarrier) => number) =>
    rows.map((row) => ({ to: row.chunkId, weight, via: name, mentionedIn: mentionedIn(row) }));
  if (role === 'title') return links(mentioning, TO_MENTION / (documentsOf(titled) + 1), (row) => row.chunkId);
  if (titled.length > 0) return role === 'alias' ? [] : links(titled, TO_TITLE / titled.length, () => chunkId);
  const aliased = others.filter((row) => row.role === 'alias');
  const documents = documentsOf(aliased);
  if (role === 'alias') return documents < MOST_ALIASED ? links(mentioning, TO_ALIAS / (documents + 1), (row) => row.chunkId) : [];
  if (documents > 0) return documents <= MOST_ALIASED ? links(aliased, TO_ALIAS / aliased.length, () => chunkId) : [];
  const sharing = others.filter((row) => row.role === 'mention');
  if (role !== 'mention' || !name.includes(' ') || sharing.length >= MOST_SHARING) return [];
  return links(sharing, TO_SHARED / (sharing.length + 1), () => chunkId);
}

function documentsOf(rows: readonly NameCarrier[]): number {
  return new Set(rows.map((row) => row.documentId)).size;
}

/** A text in the form in which names are compared, with sentences apart, so that a name can be looked for. */
export function plainText(text: string): string {
  const folded = /^[ -~\s]*$/.test(text) ? text : text.normalize('NFKD').replace(/\p{M}+/gu, '');
  const words = folded
    .toLowerCase()
    .replace(/[.;!?]\s+|\n+/g, ' | ')
    .replace(/['’]s(?![\p{L}\p{N}])|['’.]/gu, '')
    .replace(/&/g, ' and ')
    .replace(/[^\p{L}\p{N}|]+/gu, ' ');
  return ` ${words} `;
}

/**
 * How much of the question is near the name in this text (made by plainText), within its sentence: each stem counts
 * once, most right before the name ("directed by …"), less after it or further away.
 */
export function contextOf(text: string, name: string, stems: ReadonlySet<string>): number {
  if (![...stems].some((stem) => text.includes(stem))) return 0;
  const near = new Map<string, number>();
  const weigh = (word: string, distance: number, side: number) => {
    const stem = stemOf(word);
    if (!stems.has(stem) || name.includes(word)) return;
    near.set(stem, Math.max(near.get(stem) ?? 0, distance < CLOSE ? side : side * FURTHER));
  };
  const wanted = ` ${name} `;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const before = text.slice(Math.max(0, at - 200), at).replace(/^.*\|/s, '');
    const after = text.slice(at + wanted.length, at + wanted.length + 200).replace(/\|.*$/s, '');
    for (const [distance, word] of before.split(' ').slice(-WORDS_AROUND).reverse().entries()) weigh(word, distance, 1);
    for (const [distance, word] of after.split(' ').slice(0, WORDS_AROUND).entries()) weigh(word, distance, AFTER);
  }
  return [...near.values()].reduce((sum, value) => sum + value, 0);
}
