import type { EmbeddingModel, LanguageModel } from 'ai';
import { type Embedding, type Generating, given, type Provider, type ProviderAccess } from '../provider.ts';

async function sdk({ environment, baseURL, fetch }: ProviderAccess) {
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

export const bedrock = {
  title: 'Bedrock',
  required: [['AWS_REGION'], ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID']],
  secrets: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
  baseUrlVariable: 'BEDROCK_BASE_URL',
  generation: { model: 'anthropic.claude-haiku-4-5-20251001-v1:0' },
  languageModel: async (name, access) => (await sdk(access))(name) as LanguageModel,
  embedding: { model: 'amazon.titan-embed-text-v2:0', dimensions: 1024, maxTokens: 8192, batch: 16 },
  embeddingModel: async (name, access) => (await sdk(access)).embedding(name) as EmbeddingModel,
  embeddingOptions: ({ model, dimensions }) => (model.startsWith('amazon.titan') ? { bedrock: { dimensions, normalize: true } } : {}),
} satisfies Provider & Generating & Embedding;
