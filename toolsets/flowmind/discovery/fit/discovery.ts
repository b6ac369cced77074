import type { Registry } from '../../contexts/registry.ts';
import type { ContextDefinition } from '../../flow/context.ts';
import type { ContextIndex } from '../index/context-index.ts';
import { confidenceOf, type Fit } from './fit.ts';
import { FittedIndex, type FittedIndexOptions } from './fitted-index.ts';

export interface DiscoveryOptions extends Omit<FittedIndexOptions, 'name' | 'texts'> {
  registry: Pick<Registry, 'shared' | 'onChange'>;
}

export interface Candidate {
  context: ContextDefinition;
  /** How well the request fits; 0 is the threshold below which it is outside the context. */
  fitness: number;
  confidence: number;
  semanticSimilarity: number;
  lexicalSimilarity: number;
}

export interface Search {
  /** Every context that was compared, the best first, at most `most`. */
  candidates: Candidate[];
  /** How well the request fits the best of all contexts, including those that were not wanted. */
  nearest: number;
  fit: Fit;
  searchMs: number;
  embeddingMs: number;
  contextsSearched: number;
  indicesUsed: string[];
  /** The request's embedding was still known. */
  cacheHit: boolean;
}

export interface SearchOptions {
  /** Which contexts to compare. */
  only?: (context: ContextDefinition) => boolean;
  /** Further words that count in the comparison of words, such as the values of variables. */
  words?: string;
  most?: number;
  signal?: AbortSignal;
}

const PATIENCE_MS = 30_000;
const MOST = 50;

/** Finds the contexts that fit a request. */
export class Discovery {
  readonly #registry: DiscoveryOptions['registry'];
  readonly #index: FittedIndex;
  readonly #stopListening: () => void;
  #slots:
    | { index: ContextIndex; version: number; contexts: readonly ContextDefinition[]; bySlot: readonly (ContextDefinition | undefined)[] }
    | undefined;

  constructor({ registry, ...options }: DiscoveryOptions) {
    this.#registry = registry;
    const texts = async () =>
      (await registry.shared()).map(({ uri, name, description, activation, examples }) => ({
        uri,
        name,
        description,
        condition: activation.condition,
        examples,
      }));
    this.#index = new FittedIndex({ ...options, name: 'contexts', texts });
    this.#stopListening = registry.onChange(() => this.#index.changed());
  }

  /** Waits until every context can be found. */
  ready(): Promise<void> {
    return this.#index.ready();
  }

  async search(request: string, { only, words, most = MOST, signal }: SearchOptions = {}): Promise<Search> {
    const contexts = await this.#registry.shared();
    await this.#index.readyWithin(PATIENCE_MS, signal);
    const { vector, cacheHit, embeddingMs } = await this.#index.embed(request, signal);
    const started = performance.now();
    const { fit } = this.#index;
    const bySlot = this.#bySlot(contexts);
    const { semantic, lexical, fitness } = this.#index.compare(vector, request, ...(words ? [`${request} ${words}`] : []));
    const slots: number[] = [];
    let nearest = Number.NEGATIVE_INFINITY;
    bySlot.forEach((context, slot) => {
      if (!context) return;
      nearest = Math.max(nearest, fitness[slot] ?? 0);
      if (!only || only(context)) slots.push(slot);
    });
    const contextsSearched = slots.length;
    const candidates = best(slots, fitness, most).flatMap((slot): Candidate[] => {
      const [context, fits = 0] = [bySlot[slot], fitness[slot]];
      if (!context) return [];
      const semanticSimilarity = Math.max(0, semantic[slot] ?? 0);
      const lexicalSimilarity = Math.min(1, lexical[slot] ?? 0);
      return [{ context, fitness: fits, confidence: confidenceOf(fits, fit), semanticSimilarity, lexicalSimilarity }];
    });
    const indicesUsed = [...(only ? ['type_filtered'] : []), ...(vector ? ['vector_similarity'] : []), 'tfidf'];
    return { candidates, nearest, fit, searchMs: performance.now() - started, embeddingMs, contextsSearched, indicesUsed, cacheHit };
  }

  /** Which context is in which slot: worked out once for each state of the index. */
  #bySlot(contexts: readonly ContextDefinition[]): readonly (ContextDefinition | undefined)[] {
    const { index } = this.#index;
    const known = this.#slots;
    if (known && known.index === index && known.version === index.version && known.contexts === contexts) return known.bySlot;
    const byUri = new Map(contexts.map((context) => [context.uri, context]));
    const bySlot = Array.from({ length: index.capacity }, (_, slot) => byUri.get(index.uriAt(slot) ?? ''));
    this.#slots = { index, version: index.version, contexts, bySlot };
    return bySlot;
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#index.close();
  }
}

/** The best few slots: there is no need to sort all of them. */
function best(slots: number[], fitness: Float32Array, most: number): number[] {
  const at = (slot: number) => fitness[slot] ?? 0;
  const falling = (a: number, b: number) => at(b) - at(a) || a - b;
  if (slots.length <= 4 * most) return slots.sort(falling).slice(0, most);
  const least = Float32Array.from(slots, at).sort().at(-most) ?? 0;
  return slots
    .filter((slot) => at(slot) >= least)
    .sort(falling)
    .slice(0, most);
}

/** A tool that is sent and not needed costs a little, a missing one costs a whole step: the worse the best one fits, the more are sent. */
const TOOLS_WHEN_ONE_FITS = 8;
const TOOLS_WHEN_NONE_FITS = 12;
/** FlowMind's own contexts count when they come this near to fitting. */
const NEARLY = -0.05;

/** The tools that can meet a request, the likeliest first: found as field_request finds contexts. */
export async function findTools(discovery: Discovery, request: string, signal: AbortSignal): Promise<string[]> {
  const { candidates } = await discovery.search(request, { signal });
  const callable = candidates.flatMap(({ context, fitness }) => (context.action ? [{ tool: context.action.tool, fitness }] : []));
  const own = candidates.find(({ context }) => context.action === undefined);
  const most = (callable[0]?.fitness ?? 0) > 0 ? TOOLS_WHEN_ONE_FITS : TOOLS_WHEN_NONE_FITS;
  const tools = new Set(callable.map(({ tool }) => tool));
  return [...(own && own.fitness > NEARLY ? ['field_request', 'execute_workflow'] : []), ...[...tools].slice(0, most)];
}
