import { compactOutput, portableInput } from './advertised-schema.ts';
import type { Invocation, Outcome } from './pipeline.ts';
import { answerArgument } from './steps/validate.ts';
import type { Tool } from './tool.ts';
import type { Context, Toolset } from './toolset.ts';
import { inputJsonSchema, type JsonSchema } from './wire.ts';

/** What a tool advertises, generated at build time: generating it at startup would be slow. */
export interface AdvertisedSchemas {
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
}

/** One tool as it is advertised. The schemas are generated once, on first use. */
export class Entry {
  readonly tool: Tool;
  readonly toolset: Toolset;
  readonly run: (invocation: Invocation) => Promise<Outcome>;
  #input: JsonSchema | undefined;
  #output: JsonSchema | undefined;
  #bare: JsonSchema | undefined;

  constructor(tool: Tool, toolset: Toolset, run: (invocation: Invocation) => Promise<Outcome>, made?: AdvertisedSchemas) {
    this.tool = tool;
    this.toolset = toolset;
    this.run = run;
    this.#input = made?.inputSchema;
    this.#output = made?.outputSchema;
  }

  get inputSchema(): JsonSchema {
    this.#input ??= portableInput(
      inputJsonSchema(this.tool.asks === true ? this.tool.input.extend({ answer: answerArgument.optional() }) : this.tool.input),
    );
    return this.#input;
  }

  /** For clients that accept only an object at the root. */
  get outputSchema(): JsonSchema {
    this.#output ??= compactOutput(this.toolset.wire.outputSchema(this.tool));
    return this.#output;
  }

  /** The schema of the reply itself, even if it is not an object. */
  get bareOutputSchema(): JsonSchema {
    const bare = this.toolset.wire.bareOutputSchema?.(this.tool);
    this.#bare ??= bare ? compactOutput(bare) : this.outputSchema;
    return this.#bare;
  }
}

/** Tools are contexts too: requests can find them by what they do. */
export function toolContext({ tool, toolset, inputSchema }: Entry): Context {
  const required = (inputSchema.required as string[] | undefined) ?? [];
  const known = Object.keys((inputSchema.properties as object | undefined) ?? {});
  return {
    uri: `tool://${toolset.name}/${tool.name.replaceAll('_', '-')}`,
    type: 'tool',
    name: tool.annotations.title,
    description: tool.description,
    tags: [toolset.name],
    complexity: 'simple',
    examples: [...tool.said],
    variables: { required, optional: known.filter((key) => !required.includes(key)) },
    action: { tool: tool.name, parameters: {} },
  };
}

const STEM = 5;
const FEW = 2;

/** Tools that a request names: by a word that few tools have in their names or titles. */
export function namedIn(request: string, entries: readonly Entry[]): Entry[] {
  const said = new Set(stemsOf(request));
  const owners = new Map<string, Set<Entry>>();
  for (const entry of entries) {
    const { name, annotations } = entry.tool;
    for (const stem of stemsOf(`${name} ${annotations.title}`)) owners.set(stem, (owners.get(stem) ?? new Set()).add(entry));
  }
  const named = [...owners].filter(([stem, { size }]) => said.has(stem) && size <= FEW).flatMap(([, tools]) => [...tools]);
  return [...new Set(named)];
}

/** Tools without required arguments: with them a model finds the arguments for the other tools of the toolset. */
export function finders(entries: readonly Entry[]): Entry[] {
  return entries.filter(
    ({ tool, inputSchema }) => tool.access === 'read' && ((inputSchema.required as string[] | undefined) ?? []).length === 0,
  );
}

function stemsOf(text: string): string[] {
  return (text.toLowerCase().match(/\p{L}{4,}/gu) ?? []).map((word) => word.slice(0, STEM));
}
