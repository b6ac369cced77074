import { createHash } from 'node:crypto';
import { Failure } from '@millrace/kernel';
import { type EmbeddingModel, embedMany } from 'ai';
import type { Embedder, EmbedKind, EmbedOptions } from '../embedder.ts';
import { type EmbeddingChoice, type EmbeddingProvider, type ModelEnvironment, PROVIDER_DEFAULTS } from '../providers.ts';
import { type AskedModel, askedModel, baseUrlOf, given, requireAccess } from './access.ts';
import { inOurWords } from './model-failures.ts';
import { type Patience, patientFetch } from './provider-fetch.ts';

type RemoteEmbeddingProvider = Exclude<EmbeddingProvider, 'local'>;
type RemoteChoice = EmbeddingChoice & { provider: RemoteEmbeddingProvider };

const PARALLEL_BATCHES = 4;
const CHARACTERS_A_TOKEN = 3.5;

/** Finds the provider and, where nobody says how long its vectors are, asks it for one. */
export async function openRemoteEmbedder(choice: RemoteChoice, environment: ModelEnvironment, patience: Patience = {}): Promise<Embedder> {
  requireAccess(choice, environment);
  const defaults = PROVIDER_DEFAULTS[choice.provider].embedding as { model: string; dimensions: number; maxTokens: number };
  const name = choice.model ?? defaults.model;
  const dimensions = choice.dimensions ?? (name === defaults.model || choice.provider !== 'openai' ? defaults.dimensions : undefined);
  const model = await embeddingModel(choice, name, environment, patientFetch(patience));
  const embedder = new RemoteEmbedder(choice.provider, askedModel(choice, name, environment), dimensions, defaults.maxTokens, model);
  if (dimensions === undefined) await embedder.learnDimensions();
  return embedder;
}

async function embeddingModel(
  choice: RemoteChoice,
  name: string,
  environment: ModelEnvironment,
  fetch: typeof globalThis.fetch,
): Promise<EmbeddingModel> {
  const baseURL = given('baseURL', baseUrlOf(choice, environment));
  switch (choice.provider) {
    case 'gemini': {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle({ ...given('apiKey', environment.GEMINI_API_KEY), ...baseURL, fetch }).embedding(name);
    }
    case 'bedrock': {
      const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
      return createAmazonBedrock({ ...awsAccess(environment), ...baseURL, fetch }).embedding(name) as EmbeddingModel;
    }
    case 'openai': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const address = baseURL.baseURL ?? 'https://api.openai.com/v1';
      const key = given('apiKey', environment.OPENAI_API_KEY);
      return createOpenAICompatible({ name: 'openai', baseURL: address, ...key, fetch }).embeddingModel(name);
    }
  }
}

export function awsAccess(environment: ModelEnvironment) {
  return {
    ...given('region', environment.AWS_REGION),
    ...given('apiKey', environment.AWS_BEARER_TOKEN_BEDROCK),
    ...given('accessKeyId', environment.AWS_ACCESS_KEY_ID),
    ...given('secretAccessKey', environment.AWS_SECRET_ACCESS_KEY),
    ...given('sessionToken', environment.AWS_SESSION_TOKEN),
  };
}

class RemoteEmbedder implements Embedder {
  readonly provider: RemoteEmbeddingProvider;
  readonly model: string;
  readonly maxTokens: number;
  readonly #model: EmbeddingModel;
  readonly #asked: AskedModel;
  readonly #askedDimensions: number | undefined;
  #dimensions: number;

  constructor(
    provider: RemoteEmbeddingProvider,
    asked: AskedModel,
    dimensions: number | undefined,
    maxTokens: number,
    model: EmbeddingModel,
  ) {
    this.provider = provider;
    this.model = asked.model;
    this.maxTokens = maxTokens;
    this.#model = model;
    this.#asked = asked;
    this.#askedDimensions = dimensions;
    this.#dimensions = dimensions ?? 0;
  }

  get dimensions(): number {
    return this.#dimensions;
  }

  async learnDimensions(): Promise<void> {
    const [vector] = await this.#request(['dimensions'], 'passage');
    this.#dimensions = (vector as Float32Array).length;
  }

  /** Nobody outside sees the weights: the model's name has to do. */
  async fingerprint(): Promise<string> {
    return createHash('sha256').update(`${this.provider} ${this.model} ${this.dimensions}`).digest('hex');
  }

  async countTokens(text: string): Promise<number> {
    return Math.ceil(text.length / CHARACTERS_A_TOKEN) + 2;
  }

  async embed(texts: readonly string[], { kind, signal }: EmbedOptions): Promise<Float32Array[]> {
    const { batch } = PROVIDER_DEFAULTS[this.provider];
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
    const { embeddings } = await inOurWords({ ...this.#asked, signal }, () =>
      embedMany({
        model: this.#model,
        values: texts.map((text) => (text.trim() === '' ? '-' : text)),
        maxRetries: 0,
        maxParallelCalls: PARALLEL_BATCHES,
        ...(signal && { abortSignal: signal }),
        providerOptions: this.#providerOptions(kind),
      }),
    );
    return embeddings.map(unitVector);
  }

  #providerOptions(kind: EmbedKind): Record<string, Record<string, string | number | boolean>> {
    switch (this.provider) {
      case 'gemini':
        return {
          google: { outputDimensionality: this.dimensions, taskType: kind === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT' },
        };
      case 'bedrock':
        return this.model.startsWith('amazon.titan') ? { bedrock: { dimensions: this.dimensions, normalize: true } } : {};
      case 'openai':
        return this.#askedDimensions === undefined ? {} : { openai: { dimensions: this.#askedDimensions } };
    }
  }

  async close(): Promise<void> {}
}

/** Shortened vectors of some providers do not have unit length. */
function unitVector(values: readonly number[]): Float32Array {
  const norm = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)) || 1;
  return Float32Array.from(values, (value) => value / norm);
}
