import type { Catalog, Entry } from '@millrace/kernel';
import type { ShownTool } from '../chat-model.ts';
import type { StoredCall, TurnBegin } from '../conversations/conversations.ts';
import { talkIn } from '../rules/language/talk.ts';
import type { ToolOutput } from './turn-calls.ts';

export const FIND_TOOLS = 'find_tools';

/** How many of the person's messages count: the answer to a question needs the tools of the request before it. */
const MESSAGES = 3;

/** The tools that the model gets: those that fit the request, those used before, and those it has asked for. */
export class ShownTools {
  readonly #catalog: Pick<Catalog, 'toolsFor'>;
  readonly #names = new Set<string>([FIND_TOOLS]);

  constructor(catalog: Pick<Catalog, 'toolsFor'>) {
    this.#catalog = catalog;
  }

  async choose({ history, question, answer }: TurnBegin, signal: AbortSignal): Promise<void> {
    const calls = [...history, answer].flatMap((message) => message.calls);
    for (const name of calls.flatMap(namesOf)) this.#names.add(name);
    const said = [...history.filter(({ role }) => role === 'user'), question].slice(-MESSAGES).map(({ text }) => text);
    await Promise.all(said.filter((text) => !talkIn(text)).map((text) => this.find(text, signal)));
  }

  /** Adds the tools that a request needs, from the next step on. */
  async find(request: string, signal: AbortSignal): Promise<Entry[]> {
    const found = await this.#catalog.toolsFor(request, signal);
    for (const { tool } of found) this.#names.add(tool.name);
    return found;
  }

  among(tools: readonly ShownTool[]): ShownTool[] {
    return tools.filter(({ name }) => this.#names.has(name));
  }
}

function namesOf({ tool, output }: StoredCall): string[] {
  if (tool !== FIND_TOOLS) return [tool];
  const { found } = ((output as ToolOutput | undefined)?.value ?? {}) as { found?: { name: string }[] };
  return found?.map(({ name }) => name) ?? [];
}
