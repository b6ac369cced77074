import { type Catalog, clip, type Entry, nearest } from '@millrace/kernel';
import { z } from 'zod';
import { FittedIndex, type FittedIndexOptions } from '../discovery/fit/fitted-index.ts';
import { type Cause, causeOf } from './causes.ts';
import { exampleFor } from './example.ts';
import { documentationSections, errorSections, type Section, toolSection } from './sections.ts';

export const helpInput = z.strictObject({
  help_type: z.enum(['error', 'usage', 'best_practices', 'concept']).describe('Type of help needed'),
  context: z
    .strictObject({
      error_message: z.string().describe('Error message if applicable').optional(),
      attempted_action: z.string().describe('What you were trying to do').optional(),
      current_state: z.record(z.string(), z.unknown()).describe('Current workflow state').optional(),
    })
    .describe('What happened')
    .optional(),
  specific_question: z.string().max(500).describe('Specific question about FlowMind').optional(),
});

export const helpResult = z.object({
  answer: z.string(),
  sources: z.array(z.object({ title: z.string(), location: z.string() })),
  example: z.object({ tool: z.string(), parameters: z.record(z.string(), z.unknown()) }),
  related: z.array(z.string()),
});

export type HelpRequest = z.output<typeof helpInput>;
export type HelpAnswer = z.output<typeof helpResult>;

export interface HelpOptions extends Omit<FittedIndexOptions, 'name' | 'texts'> {
  /** Markdown files, and folders of them: the product's own documentation. */
  documentation: readonly string[];
  catalog(): Catalog;
}

const PATIENCE_MS = 5_000;
const SHOWN = 1_500;
const RELATED = 4;

/** What to look up when somebody asks for help without a question. */
const USUAL: Record<HelpRequest['help_type'], string> = {
  error: 'What do the error codes mean and how are they fixed',
  usage: 'How to find a context and run it',
  best_practices: 'How to write a good query with variables',
  concept: 'What is a context, a workflow, an agent and a pattern',
};

/** Answers questions from the documentation, the tools' own descriptions and the error codes. */
export class Help {
  readonly #options: HelpOptions;
  readonly #index: FittedIndex;
  #sections: Map<string, Section> | undefined;

  constructor(options: HelpOptions) {
    this.#options = options;
    const texts = async () =>
      [...(await this.#all()).values()].map(({ id, title, text }) => ({
        uri: id,
        name: title,
        description: text.slice(0, 800),
        condition: text,
        examples: [],
      }));
    this.#index = new FittedIndex({ ...options, name: 'help', texts });
  }

  async answer(request: HelpRequest, signal?: AbortSignal): Promise<HelpAnswer> {
    const { error_message, attempted_action } = request.context ?? {};
    const cause = error_message ? causeOf(error_message) : undefined;
    const question = [request.specific_question, error_message, attempted_action].filter(Boolean).join(' ') || USUAL[request.help_type];
    const found = await this.#search(question.slice(0, 1_000), signal);
    const asked = this.#toolIn(`${request.specific_question ?? ''} ${attempted_action ?? ''} ${error_message ?? ''}`);
    const others = found.filter((section) => section.id !== `error:${cause?.code}`);
    const sections = preferred(others, request.help_type, asked?.tool.name);
    return {
      answer: answerText(cause, sections, request),
      sources: [
        ...(cause ? [{ title: `Error ${cause.code}`, location: `error:${cause.code}` }] : []),
        ...sections.slice(0, 2).map(({ id: location, title }) => ({ title, location })),
      ],
      example: this.#example(cause, asked, sections),
      related: [...new Set(others.filter((section) => !sections.slice(0, 2).includes(section)).map((section) => section.title))].slice(
        0,
        RELATED,
      ),
    };
  }

  /** Waits until everything can be found. */
  ready(): Promise<void> {
    return this.#index.ready();
  }

  close(): Promise<void> {
    return this.#index.close();
  }

  async #all(): Promise<Map<string, Section>> {
    if (!this.#sections) {
      const written = await documentationSections(this.#options.documentation);
      const tools = this.#options.catalog().entries().map(toolSection);
      this.#sections = new Map([...written, ...tools, ...errorSections()].map((section) => [section.id, section]));
    }
    return this.#sections;
  }

  /** The same search as for contexts: the best sections first, none that has nothing to do with the question. */
  async #search(question: string, signal: AbortSignal | undefined): Promise<Section[]> {
    await this.#index.readyWithin(PATIENCE_MS, signal);
    const { vector } = await this.#index.embed(question, signal);
    const sections = await this.#all();
    const { index } = this.#index;
    const { fitness } = this.#index.compare(vector, question);
    return index
      .uris()
      .map((uri) => ({ uri, fits: fitness[index.slotOf(uri) ?? -1] ?? -1 }))
      .filter(({ fits }) => fits >= 0)
      .sort((a, b) => b.fits - a.fits)
      .slice(0, 8)
      .flatMap(({ uri }) => sections.get(uri) ?? []);
  }

  /** The tool that the caller mentions, misspelt or not. */
  #toolIn(text: string): Entry | undefined {
    const catalog = this.#options.catalog();
    const words = text.match(/[a-z][a-z0-9]*(?:_[a-z0-9]+)+/gi) ?? [];
    for (const word of words) {
      const exact = catalog.find(word.toLowerCase());
      if (exact) return exact;
    }
    const names = catalog.entries().map((entry) => entry.tool.name);
    const [close] = words.flatMap((word) => nearest(word, names, 1));
    return close === undefined ? undefined : catalog.find(close);
  }

  /** Always a call that passes the validation of the tool that it names. */
  #example(cause: Cause | undefined, asked: Entry | undefined, sections: readonly Section[]): HelpAnswer['example'] {
    const catalog = this.#options.catalog();
    const causing = cause?.tool === undefined ? undefined : catalog.find(cause.tool);
    if (causing && cause?.example && causing.tool.input.safeParse(cause.example).success) {
      return { tool: causing.tool.name, parameters: cause.example };
    }
    const named = sections.flatMap((section) => section.tool ?? mentioned(section, catalog));
    const entries = [asked, causing, ...named.map((name) => catalog.find(name)), catalog.find('field_request'), ...catalog.entries()];
    for (const entry of entries) {
      const parameters = entry && exampleFor(entry);
      if (entry && parameters) return { tool: entry.tool.name, parameters };
    }
    throw new Error('no tool of the catalog has an example');
  }
}

/** The FlowMind tool that a page is about; tools of other toolsets only appear in it as examples. */
function mentioned({ text }: Section, catalog: Catalog): string[] {
  const entries = (text.match(/[a-z]+(?:_[a-z]+)+/g) ?? []).flatMap((word) => catalog.find(word) ?? []);
  return entries
    .filter((entry) => entry.toolset.name === 'flowmind')
    .map((entry) => entry.tool.name)
    .slice(0, 1);
}

/** What a person asks about decides whether a tool's own description or the prose comes first. */
function preferred(found: readonly Section[], type: HelpRequest['help_type'], tool: string | undefined): Section[] {
  const rank = (section: Section) => {
    if (tool !== undefined && section.tool === tool) return type === 'usage' || type === 'error' ? 0 : 1;
    if (section.id.startsWith('error:')) return type === 'error' ? 1 : 3;
    return section.tool === undefined ? 1 : 2;
  };
  return found
    .map((section, at) => ({ section, order: rank(section) * 2 + at }))
    .sort((a, b) => a.order - b.order)
    .map(({ section }) => section);
}

function answerText(cause: Cause | undefined, sections: readonly Section[], { help_type }: HelpRequest): string {
  const known = cause ? [`Cause: ${cause.cause}`, `Fix: ${cause.fix}`] : [];
  const [first, second] = sections;
  const read = [first, ...(known.length === 0 ? [second] : [])].flatMap((section) =>
    section ? [`${section.title}\n${section.text}`] : [],
  );
  if (known.length === 0 && read.length === 0) {
    return help_type === 'error'
      ? 'The documentation says nothing about this error. Check the arguments against the schema of the tool, and try the example below.'
      : 'The documentation says nothing about this. Ask about finding, running or composing contexts, about a tool by its name, or about an error by its message.';
  }
  return clip([...known, ...read].join('\n\n'), SHOWN);
}
