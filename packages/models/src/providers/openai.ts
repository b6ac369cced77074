import { type Embedding, type Generating, given, type Provider, type ProviderAccess } from '../provider.ts';

const OWN_ADDRESS = 'https://api.openai.com/v1';

async function sdk({ environment, baseURL = OWN_ADDRESS, fetch }: ProviderAccess) {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const key = given({ apiKey: environment['OPENAI_API_KEY'] });
  return createOpenAICompatible({ name: 'openai', baseURL, supportsStructuredOutputs: true, ...key, fetch });
}

export const openai = {
  title: 'The OpenAI-compatible endpoint',
  required: [['OPENAI_API_KEY', 'OPENAI_BASE_URL']],
  addressIsAccess: true,
  secrets: ['OPENAI_API_KEY'],
  baseUrlVariable: 'OPENAI_BASE_URL',
  generation: { model: 'gpt-5-mini' },
  languageModel: async (name, access) => (await sdk(access))(name),
  embedding: { model: 'text-embedding-3-small', dimensions: 1536, maxTokens: 8191, batch: 100, dimensionsVary: true },
  embeddingModel: async (name, access) => (await sdk(access)).embeddingModel(name),
  embeddingOptions: ({ askedDimensions }) => (askedDimensions === undefined ? {} : { openai: { dimensions: askedDimensions } }),
} satisfies Provider & Generating & Embedding;
