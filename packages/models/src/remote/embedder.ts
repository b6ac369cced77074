import { hash } from 'node:crypto';
import { Failure } from '@millrace/kernel';
import { type EmbeddingModel, embedMany } from 'ai';
import type { Embedder, EmbedKind, EmbedOptions } from '../model.ts';
import { type Embedding, type EmbeddingChoice, type ModelEnvironment, PROVIDERS, type RemoteEmbeddingProvider } from '../providers.ts';
import { type AskedModel, askedModel, type Patience, patientAccess, requireAccess } from './access.ts';
import { inOurWords } from './failures.ts';

type RemoteChoice = EmbeddingChoice & { provider: RemoteEmbeddingProvider };

const PARALLEL_BATCHES = 4;
const CHARACTERS_A_TOKEN = 3.5;

/** Opens the provider and, where nobody knows how long its vectors are, asks it for one. */
export async function openRemoteEmbedder(choice: RemoteChoice, environment: ModelEnvironment, patience: Patience = {}): Promise<Embedder> {
  requireAccess(choice, environment);
  const provider: Embedding = PROVIDERS[choice.provider];
  const { embedding } = provider;
  const name = choice.model ?? embedding.model;
  const usual = embedding.dimensionsVary && name !== embedding.model ? undefined : embedding.dimensions;
  const model = await provider.embeddingModel(name, patientAccess(choice, environment, patience));
  const embedder = new RemoteEmbedder(provider, askedModel(choice, name, environment), choice.dimensions ?? usual, model);
  await embedder.learnDimensions();
  return embedder;
}

class RemoteEmbedder implements Embedder {
  readonly provider: string;
  readonly model: string;
  readonly maxTokens: number;
  readonly #provider: Embedding;
  readonly #model: EmbeddingModel;
  readonly #asked: AskedModel;
  readonly #askedDimensions: number | undefined;
  #dimensions: number;

  constructor(provider: Embedding, asked: AskedModel, dimensions: number | undefined, model: EmbeddingModel) {
    this.provider = asked.provider;
    this.model = asked.model;
    this.maxTokens = provider.embedding.maxTokens;
    this.#provider = provider;
    this.#model = model;
    this.#asked = asked;
    this.#askedDimensions = dimensions;
    this.#dimensions = dimensions ?? 0;
  }

  get dimensions(): number {
    return this.#dimensions;
  }

  async learnDimensions(): Promise<void> {
    if (this.#askedDimensions !== undefined) return;
    const [vector] = await this.#request(['dimensions'], 'passage');
    this.#dimensions = vector?.length ?? 0;
  }

  /** Nobody outside sees the weights: the model's name has to do. */
  async fingerprint(): Promise<string> {
    return hash('sha256', `${this.provider} ${this.model} ${this.dimensions}`);
  }

  async countTokens(text: string): Promise<number> {
    return Math.ceil(text.length / CHARACTERS_A_TOKEN) + 2;
  }

  async embed(texts: readonly string[], { kind, signal }: EmbedOptions): Promise<Float32Array[]> {
    const { batch } = this.#provider.embedding;
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += batch) {
      vectors.push(...(await this.#request(texts.slice(start, start + batch), kind, signal)));
    }
    const wrong = vectors.find((vector) => vector.length !== this.dimensions);
    if (!wrong) return vectors;
    throw new Failure('upstream', `The model "${this.model}" answers with ${wrong.length} dimensions instead of ${this.dimensions}`, {
      fix: { instruction: `Set embedder.dimensions to ${wrong.length}` },
    });
  }

  async #request(texts: readonly string[], kind: EmbedKind, signal?: AbortSignal): Promise<Float32Array[]> {
    const { model, dimensions } = this;
    const { embeddings } = await inOurWords({ ...this.#asked, signal }, () =>
      embedMany({
        model: this.#model,
        values: texts.map((text) => (text.trim() === '' ? '-' : text)),
        maxRetries: 0,
        maxParallelCalls: PARALLEL_BATCHES,
        ...(signal && { abortSignal: signal }),
        providerOptions: this.#provider.embeddingOptions({ kind, model, dimensions, askedDimensions: this.#askedDimensions }),
      }),
    );
    return embeddings.map(unitVector);
  }

  async close(): Promise<void> {}
}

/** Shortened vectors of some providers do not have unit length. */
function unitVector(values: readonly number[]): Float32Array {
  const norm = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)) || 1;
  return Float32Array.from(values, (value) => value / norm);
}
