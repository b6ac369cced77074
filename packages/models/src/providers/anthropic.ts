import { type Generating, given, type Provider } from '../provider.ts';

export const anthropic = {
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
