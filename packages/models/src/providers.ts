import type { EmbeddingModel, LanguageModel } from 'ai';
import type { EmbedKind } from './model.ts';

/** Keys and addresses come from the environment, handed in; never from a configuration file. */
export type ModelEnvironment = Readonly<Record<string, string | undefined>>;

/** What a provider's SDK is opened with. */
export interface ProviderAccess {
  environment: ModelEnvironment;
  /** Undefined when the provider's own address is used. */
  baseURL: string | undefined;
  fetch: typeof globalThis.fetch;
}

/** A provider that has language models. */
export interface Generating {
  /** The default model. */
  generation: { model: string };
  languageModel(name: string, access: ProviderAccess): Promise<LanguageModel>;
}

/** A provider that has embedding models. */
export interface Embedding {
  /** The default model. */
  embedding: {
    model: string;
    dimensions: number;
    maxTokens: number;
    /** Texts in one request. */
    batch: number;
    /** Models other than the default have vectors of other lengths, which only they know. */
    dimensionsVary?: true;
  };
  embeddingModel(name: string, access: ProviderAccess): Promise<EmbeddingModel>;
  embeddingOptions(request: EmbeddingRequest): Record<string, Record<string, string | number | boolean>>;
}

interface EmbeddingRequest {
  kind: EmbedKind;
  model: string;
  dimensions: number;
  /** Undefined when the length was learnt from the model itself. */
  askedDimensions: number | undefined;
}

/** Everything that is known about a provider; its SDK is imported when it is used. */
export interface Provider extends Partial<Generating>, Partial<Embedding> {
  title: string;
  /** The variables without which nothing works, any one of each group. */
  required: readonly (readonly [string, ...string[]])[];
  /** An address that was configured is access enough: endpoints of one's own may need no key. */
  addressIsAccess?: true;
  /** The variables that hold keys. */
  secrets: readonly string[];
  baseUrlVariable: string;
}

/** Settings of an SDK: what is undefined is left out. */
function given<Name extends string>(settings: Record<Name, string | undefined>): { [Key in Name]?: string } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as { [Key in Name]?: string };
}

async function geminiSdk({ environment, baseURL, fetch }: ProviderAccess) {
  const { createGoogle } = await import('@ai-sdk/google');
  return createGoogle({ ...given({ apiKey: environment['GEMINI_API_KEY'], baseURL }), fetch });
}

const gemini = {
  title: 'Gemini',
  required: [['GEMINI_API_KEY']],
  secrets: ['GEMINI_API_KEY'],
  baseUrlVariable: 'GEMINI_BASE_URL',
  generation: { model: 'gemini-3-flash-preview' },
  languageModel: async (name, access) => (await geminiSdk(access))(name),
  embedding: { model: 'gemini-embedding-001', dimensions: 768, maxTokens: 2048, batch: 100 },
  embeddingModel: async (name, access) => (await geminiSdk(access)).embedding(name),
  embeddingOptions: ({ kind, dimensions }) => ({
    google: { outputDimensionality: dimensions, taskType: kind === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT' },
  }),
} satisfies Provider & Generating & Embedding;

async function bedrockSdk({ environment, baseURL, fetch }: ProviderAccess) {
  const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
  const access = given({
    region: environment['AWS_REGION'],
    apiKey: environment['AWS_BEARER_TOKEN_BEDROCK'],
    accessKeyId: environment['AWS_ACCESS_KEY_ID'],
    secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'],
    sessionToken: environment['AWS_SESSION_TOKEN'],
    baseURL,
  });
  return createAmazonBedrock({ ...access, fetch });
}

const bedrock = {
  title: 'Bedrock',
  required: [['AWS_REGION'], ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID']],
  secrets: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
  baseUrlVariable: 'BEDROCK_BASE_URL',
  generation: { model: 'anthropic.claude-haiku-4-5-20251001-v1:0' },
  languageModel: async (name, access) => (await bedrockSdk(access))(name) as LanguageModel,
  embedding: { model: 'amazon.titan-embed-text-v2:0', dimensions: 1024, maxTokens: 8192, batch: 16 },
  embeddingModel: async (name, access) => (await bedrockSdk(access)).embedding(name) as EmbeddingModel,
  embeddingOptions: ({ model, dimensions }) => (model.startsWith('amazon.titan') ? { bedrock: { dimensions, normalize: true } } : {}),
} satisfies Provider & Generating & Embedding;

const anthropic = {
  title: 'Anthropic',
  required: [['ANTHROPIC_API_KEY']],
  secrets: ['ANTHROPIC_API_KEY'],
  baseUrlVariable: 'ANTHROPIC_BASE_URL',
  generation: { model: 'claude-haiku-4-5' },
  async languageModel(name, { environment, baseURL, fetch }) {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ ...given({ apiKey: environment['ANTHROPIC_API_KEY'], baseURL }), fetch })(name);
  },
} satisfies Provider & Generating;

const OPENAI_ADDRESS = 'https://api.openai.com/v1';

async function openaiSdk({ environment, baseURL = OPENAI_ADDRESS, fetch }: ProviderAccess) {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const key = given({ apiKey: environment['OPENAI_API_KEY'] });
  return createOpenAICompatible({ name: 'openai', baseURL, supportsStructuredOutputs: true, ...key, fetch });
}

const openai = {
  title: 'The OpenAI-compatible endpoint',
  required: [['OPENAI_API_KEY', 'OPENAI_BASE_URL']],
  addressIsAccess: true,
  secrets: ['OPENAI_API_KEY'],
  baseUrlVariable: 'OPENAI_BASE_URL',
  generation: { model: 'gpt-5-mini' },
  languageModel: async (name, access) => (await openaiSdk(access))(name),
  embedding: { model: 'text-embedding-3-small', dimensions: 1536, maxTokens: 8191, batch: 100, dimensionsVary: true },
  embeddingModel: async (name, access) => (await openaiSdk(access)).embeddingModel(name),
  embeddingOptions: ({ askedDimensions }) => (askedDimensions === undefined ? {} : { openai: { dimensions: askedDimensions } }),
} satisfies Provider & Generating & Embedding;

/** Every provider that is asked over the network. Their SDKs are imported when they are used. */
export const PROVIDERS = { gemini, bedrock, anthropic, openai } satisfies Record<string, Provider>;

export type RemoteProvider = keyof typeof PROVIDERS;
type Offering<Part> = { [Name in RemoteProvider]: (typeof PROVIDERS)[Name] extends Part ? Name : never }[RemoteProvider];

const names = Object.keys(PROVIDERS) as RemoteProvider[];

export type GenerationProvider = Offering<Generating>;
export const GENERATION_PROVIDERS = names.filter((name): name is GenerationProvider => 'languageModel' in PROVIDERS[name]);

export type RemoteEmbeddingProvider = Offering<Embedding>;
export type EmbeddingProvider = 'local' | RemoteEmbeddingProvider;
export const EMBEDDING_PROVIDERS: readonly EmbeddingProvider[] = [
  'local',
  ...names.filter((name): name is RemoteEmbeddingProvider => 'embeddingModel' in PROVIDERS[name]),
];

/** What is asked for in a configuration: a provider, and what differs from its defaults. */
export interface ModelChoiceOf<Name extends string> {
  provider: Name;
  model?: string;
  /** For endpoints of one's own. */
  baseUrl?: string;
  /** What people call these settings where they made the choice, for messages. */
  settings?: { model: string; baseUrl: string };
}

export type EmbeddingChoice = ModelChoiceOf<EmbeddingProvider> & { dimensions?: number };
export type GenerationChoice = ModelChoiceOf<GenerationProvider>;
