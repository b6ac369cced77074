import { Failure } from '@millrace/kernel';
import { generateText, type LanguageModel, NoObjectGeneratedError, Output } from 'ai';
import type { GenerateOptions, Generation, Generator } from '../generator.ts';
import { type GenerationChoice, type GenerationProvider, type ModelEnvironment, PROVIDER_DEFAULTS } from '../providers.ts';
import { type AskedModel, askedModel, baseUrlOf, given, requireAccess } from './access.ts';
import { inOurWords } from './model-failures.ts';
import { type Patience, patientFetch } from './provider-fetch.ts';
import { awsAccess } from './remote-embedder.ts';

const TRIES_FOR_A_FITTING_ANSWER = 2;

export async function openRemoteGenerator(
  choice: GenerationChoice,
  environment: ModelEnvironment,
  patience: Patience = {},
): Promise<Generator> {
  requireAccess(choice, environment);
  const name = choice.model ?? (PROVIDER_DEFAULTS[choice.provider].generation as { model: string }).model;
  const model = await languageModel(choice, name, environment, patientFetch(patience));
  return new RemoteGenerator(choice.provider, askedModel(choice, name, environment), model);
}

export async function languageModel(
  choice: GenerationChoice,
  name: string,
  environment: ModelEnvironment,
  fetch: typeof globalThis.fetch,
): Promise<LanguageModel> {
  const baseURL = given('baseURL', baseUrlOf(choice, environment));
  switch (choice.provider) {
    case 'gemini': {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle({ ...given('apiKey', environment.GEMINI_API_KEY), ...baseURL, fetch })(name);
    }
    case 'bedrock': {
      const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
      return createAmazonBedrock({ ...awsAccess(environment), ...baseURL, fetch })(name) as LanguageModel;
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ ...given('apiKey', environment.ANTHROPIC_API_KEY), ...baseURL, fetch })(name);
    }
    case 'openai': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const address = baseURL.baseURL ?? 'https://api.openai.com/v1';
      const key = given('apiKey', environment.OPENAI_API_KEY);
      return createOpenAICompatible({ name: 'openai', baseURL: address, supportsStructuredOutputs: true, ...key, fetch })(name);
    }
  }
}

class RemoteGenerator implements Generator {
  readonly provider: GenerationProvider;
  readonly model: string;
  readonly #asked: AskedModel;
  readonly #model: LanguageModel;

  constructor(provider: GenerationProvider, asked: AskedModel, model: LanguageModel) {
    this.provider = provider;
    this.model = asked.model;
    this.#asked = asked;
    this.#model = model;
  }

  async generate<Value>({ system, prompt, schema, signal }: GenerateOptions<Value>): Promise<Generation<Value>> {
    for (let count = 1; ; count++) {
      try {
        const { output, usage } = await inOurWords({ ...this.#asked, signal }, () =>
          generateText({
            model: this.#model,
            instructions: system,
            prompt,
            output: Output.object({ schema }),
            maxRetries: 0,
            ...(signal && { abortSignal: signal }),
          }),
        );
        return { value: output as Value, tokens: { input: usage.inputTokens ?? 0, output: usage.outputTokens ?? 0 } };
      } catch (error) {
        const misfit = error instanceof Failure && NoObjectGeneratedError.isInstance(error.cause);
        if (!misfit) throw error;
        if (count < TRIES_FOR_A_FITTING_ANSWER) continue;
        throw new Failure('upstream', `${PROVIDER_DEFAULTS[this.provider].title} answered twice in a shape that was not asked for`, {
          details: { provider: this.provider, model: this.model },
          fix: { instruction: 'Try another model' },
          cause: error,
        });
      }
    }
  }
}
