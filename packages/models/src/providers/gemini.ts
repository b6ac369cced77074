import { type Embedding, type Generating, given, type Provider, type ProviderAccess } from '../provider.ts';

async function sdk({ environment, baseURL, fetch }: ProviderAccess) {
  const { createGoogle } = await import('@ai-sdk/google');
  return createGoogle({ ...given({ apiKey: environment['GEMINI_API_KEY'], baseURL }), fetch });
}

export const gemini = {
  title: 'Gemini',
  required: [['GEMINI_API_KEY']],
  secrets: ['GEMINI_API_KEY'],
  baseUrlVariable: 'GEMINI_BASE_URL',
  generation: { model: 'gemini-3-flash-preview' },
  languageModel: async (name, access) => (await sdk(access))(name),
  embedding: { model: 'gemini-embedding-001', dimensions: 768, maxTokens: 2048, batch: 100 },
  embeddingModel: async (name, access) => (await sdk(access)).embedding(name),
  embeddingOptions: ({ kind, dimensions }) => ({
    google: { outputDimensionality: dimensions, taskType: kind === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT' },
  }),
} satisfies Provider & Generating & Embedding;
