import { Failure } from '@millrace/kernel';
import { generateText, type LanguageModel, NoObjectGeneratedError, Output } from 'ai';
import type { GenerateOptions, Generation, Generator } from '../model.ts';
import { type GenerationChoice, type ModelEnvironment, PROVIDERS } from '../providers.ts';
import { type AskedModel, askedModel, type Patience, patientAccess, requireAccess, streamingAccess } from './access.ts';
import { inOurWords, type ModelTrouble, modelTrouble } from './failures.ts';

const TRIES_FOR_A_FITTING_ANSWER = 2;

/** A language model for a loop of one's own, with our words for its provider's errors. */
export interface ChatModel {
  provider: string;
  name: string;
  model: LanguageModel;
  /** Undefined for errors that the provider did not cause: those are bugs. */
  explain(error: unknown): ModelTrouble | undefined;
}

export async function openChatModel(choice: GenerationChoice, environment: ModelEnvironment): Promise<ChatModel> {
  const { provider, asked } = chosen(choice, environment);
  return {
    provider: choice.provider,
    name: asked.model,
    model: await provider.languageModel(asked.model, streamingAccess(choice, environment)),
    explain: (error) => modelTrouble(asked, error),
  };
}

export async function openRemoteGenerator(
  choice: GenerationChoice,
  environment: ModelEnvironment,
  patience: Patience = {},
): Promise<Generator> {
  const { provider, asked } = chosen(choice, environment);
  return new RemoteGenerator(asked, await provider.languageModel(asked.model, patientAccess(choice, environment, patience)));
}

function chosen(choice: GenerationChoice, environment: ModelEnvironment) {
  requireAccess(choice, environment);
  const provider = PROVIDERS[choice.provider];
  return { provider, asked: askedModel(choice, choice.model ?? provider.generation.model, environment) };
}

class RemoteGenerator implements Generator {
  readonly provider: string;
  readonly model: string;
  readonly #asked: AskedModel;
  readonly #model: LanguageModel;

  constructor(asked: AskedModel, model: LanguageModel) {
    this.provider = asked.provider;
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
        throw new Failure('upstream', `${PROVIDERS[this.#asked.provider].title} answered twice in a shape that was not asked for`, {
          details: { provider: this.provider, model: this.model },
          fix: { instruction: 'Try another model' },
          cause: error,
        });
      }
    }
  }
}
