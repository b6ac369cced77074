import {
  createEmbedder,
  createGenerator,
  type Embedder,
  type GenerationChoice,
  hasAccess,
  type ModelEnvironment,
  requireAccess,
} from '@millrace/models';
import type { FlowragConfiguration } from '../configuration.ts';
import type { Extractor } from '../extraction/extraction.ts';
import { readMetadata } from '../store/metadata.ts';
import { Opened } from '../store/open.ts';

export interface ModelOptions {
  configuration: FlowragConfiguration;
  /** Keys and addresses of model providers. */
  environment: ModelEnvironment;
  /** Folders that hold local models by their names, such as <home>/models. */
  modelFolders: readonly string[];
  /** How many local embedding sessions may run; one per core when not given. */
  sessions?: number;
  /** Instead of the configured ones. */
  embedder?: Embedder;
  extractor?: Extractor;
}

/** The models that the configuration chooses, opened on first use. */
export class Models {
  readonly #options: ModelOptions;
  readonly #embedder = new Opened(() => this.#createEmbedder());

  constructor(options: ModelOptions) {
    this.#options = options;
  }

  embedder(): Promise<Embedder> {
    return this.#embedder.get();
  }

  /** An index keeps the local model that made it, even when a better one appears later. */
  async #createEmbedder(): Promise<Embedder> {
    const { configuration, environment, modelFolders, sessions, embedder } = this.#options;
    if (embedder) return embedder;
    const choice = configuration.embedder;
    const made = choice.provider === 'local' && choice.model === undefined ? (await readMetadata(configuration.data))?.embedder : undefined;
    const pinned = made?.provider === 'local' ? { model: made.model } : {};
    return createEmbedder(
      { ...choice, ...pinned, settings: { model: 'embedder.model', baseUrl: 'embedder.baseUrl' } },
      { environment, folders: modelFolders, ...(sessions !== undefined && { sessions }) },
    );
  }

  /** `rules` serves only where no extractor is configured and no key is there. */
  extractorChoice(): { provider: 'rules' } | GenerationChoice {
    const { configuration, environment } = this.#options;
    const { provider = hasAccess('gemini', environment) ? 'gemini' : 'rules', ...choice } = configuration.extractor ?? {};
    return provider === 'rules' ? { provider } : { ...choice, provider };
  }

  async extractor(): Promise<Extractor> {
    const { configuration, environment, extractor } = this.#options;
    const choice = this.extractorChoice();
    if (extractor) return extractor;
    if (choice.provider === 'rules') {
      const { rulesExtractor } = await import('../extraction/rules.ts');
      return rulesExtractor(configuration.schema);
    }
    requireAccess(choice, environment);
    const settings = { model: 'extractor.model', baseUrl: 'extractor.baseUrl' };
    const { modelExtractor } = await import('../extraction/model.ts');
    return modelExtractor(await createGenerator({ ...choice, settings }, environment), configuration.schema);
  }

  close(): Promise<void> {
    return this.#embedder.close();
  }
}
