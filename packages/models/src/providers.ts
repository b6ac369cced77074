/** What is asked for in a configuration: a provider, and what differs from its defaults. */
export interface ModelChoiceOf<Provider extends string> {
  provider: Provider;
  model?: string;
  /** For endpoints of one's own; only the openai provider has no other way to say where. */
  baseUrl?: string;
  /** What people call these settings where they made the choice, for messages. */
  settings?: { model: string; baseUrl: string };
}

export const EMBEDDING_PROVIDERS = ['local', 'gemini', 'bedrock', 'openai'] as const;
export type EmbeddingProvider = (typeof EMBEDDING_PROVIDERS)[number];
export type EmbeddingChoice = ModelChoiceOf<EmbeddingProvider> & { dimensions?: number };

export const GENERATION_PROVIDERS = ['gemini', 'bedrock', 'anthropic', 'openai'] as const;
export type GenerationProvider = (typeof GENERATION_PROVIDERS)[number];
export type GenerationChoice = ModelChoiceOf<GenerationProvider>;

export type RemoteProvider = Exclude<EmbeddingProvider, 'local'> | GenerationProvider;

/** Keys and addresses come from the environment, handed in; never from a configuration file. */
export type ModelEnvironment = Readonly<Record<string, string | undefined>>;

export interface ProviderDefaults {
  title: string;
  embedding?: { model: string; dimensions: number; maxTokens: number };
  generation?: { model: string };
  /** The variables without which nothing works, any one of each group. */
  required: readonly (readonly string[])[];
  /** The variables that hold keys. */
  secrets: readonly string[];
  baseUrlVariable: string;
  /** Texts in one request. */
  batch: number;
}

/** The one table of defaults. */
export const PROVIDER_DEFAULTS: Readonly<Record<RemoteProvider, ProviderDefaults>> = {
  gemini: {
    title: 'Gemini',
    embedding: { model: 'gemini-embedding-001', dimensions: 768, maxTokens: 2048 },
    generation: { model: 'gemini-3-flash-preview' },
    required: [['GEMINI_API_KEY']],
    secrets: ['GEMINI_API_KEY'],
    baseUrlVariable: 'GEMINI_BASE_URL',
    batch: 100,
  },
  bedrock: {
    title: 'Bedrock',
    embedding: { model: 'amazon.titan-embed-text-v2:0', dimensions: 1024, maxTokens: 8192 },
    generation: { model: 'anthropic.claude-haiku-4-5-20251001-v1:0' },
    required: [['AWS_REGION'], ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID']],
    secrets: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
    baseUrlVariable: 'BEDROCK_BASE_URL',
    batch: 16,
  },
  anthropic: {
    title: 'Anthropic',
    generation: { model: 'claude-haiku-4-5' },
    required: [['ANTHROPIC_API_KEY']],
    secrets: ['ANTHROPIC_API_KEY'],
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    batch: 1,
  },
  openai: {
    title: 'The OpenAI-compatible endpoint',
    embedding: { model: 'text-embedding-3-small', dimensions: 1536, maxTokens: 8191 },
    generation: { model: 'gpt-5-mini' },
    required: [['OPENAI_API_KEY', 'OPENAI_BASE_URL']],
    secrets: ['OPENAI_API_KEY'],
    baseUrlVariable: 'OPENAI_BASE_URL',
    batch: 100,
  },
};
