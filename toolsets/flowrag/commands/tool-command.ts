import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  type Call,
  type Command,
  type CommandInput,
  type CommandOption,
  Failure,
  instructionOf,
  type Presented,
  type Progress,
  presented,
  type Terminal,
  type Tool,
} from '@millrace/kernel';
import type { FlowragServices } from '../services.ts';

/** Flags that every command takes; the program reads them before the collection is opened. */
export const PLACES: Record<string, CommandOption> = {
  config: { type: 'string', description: 'Path to the configuration file (default ./flowrag.config.json)' },
  data: { type: 'string', description: 'Path to the data directory (default ./data)' },
  docs: { type: 'string', description: 'Path to the documents directory' },
};

export const JSON_OPTION: Record<string, CommandOption> = { json: { type: 'boolean', description: 'Print the reply as JSON' } };

type FlowragCommand = Command<FlowragServices>;
type Definition = Omit<FlowragCommand, 'options'> & Partial<FlowragCommand>;

/** A command with the flags that all of them take. */
export function command(definition: Definition): FlowragCommand {
  const run: FlowragCommand['run'] = (input, terminal, services) => reporting(terminal, () => definition.run(input, terminal, services));
  return { ...definition, options: { ...PLACES, ...definition.options }, run };
}

interface ToolCommand extends Omit<Definition, 'run'> {
  tool: Tool<FlowragServices>;
  /** The tool's arguments; numbers may still be text. */
  parameters(input: CommandInput): Record<string, unknown>;
}

/** A tool from the command line: the same checks, the same words. */
export function toolCommand({ tool, parameters, ...definition }: ToolCommand): FlowragCommand {
  return command({
    ...definition,
    options: { ...JSON_OPTION, ...definition.options },
    async run(input, terminal, services) {
      requireData(services);
      const { data, words } = await runTool(tool, parameters(input), services, terminal.signal);
      const text = words.replace(/^The index .*/, (advice) => asCommands(advice, terminal));
      terminal.out(input.values.json ? JSON.stringify(data, null, 2) : text);
      return 0;
    },
  });
}

/** Reading makes nothing: a data directory that is misspelt stays missing. */
export function requireData({ configuration: { data } }: FlowragServices): void {
  if (existsSync(data)) return;
  throw new Failure('not_found', `There is no index in ${data}`, {
    details: { path: data },
    fix: { instruction: 'Check --data, or make an index there with flowrag_index' },
  });
}

export async function runTool(
  tool: Tool<FlowragServices>,
  parameters: Record<string, unknown>,
  services: FlowragServices,
  signal: AbortSignal,
  progress: Progress = () => {},
): Promise<Presented> {
  const given = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));
  const parsed = tool.input.safeParse(given);
  if (!parsed.success) throw new Failure('invalid_input', wording(parsed.error.issues[0]));
  const result = await tool.run(parsed.data, { id: randomUUID(), services, signal, progress } as Call<FlowragServices>);
  return presented(tool, result, { input: parsed.data, services });
}

/** Our own messages name their argument; those of the schema do not. */
function wording({ path, message }: { path: PropertyKey[]; message: string }): string {
  return message.startsWith('Invalid') ? `${path.join('.')}: ${message}` : message;
}

/** What a tool advises, in the words of this program. */
function asCommands(advice: string, { program }: Terminal): string {
  return advice.replaceAll(/\bflowrag_([a-z]+)/g, (_name, command: string) => `${program} ${command}`).replaceAll('force: true', '--force');
}

/** Failures become sentences and exit code 1; anything else is a bug and passes through. */
export async function reporting(terminal: Terminal, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (terminal.signal.aborted) {
      terminal.say('Stopped. Progress so far is saved.');
      return 1;
    }
    if (!(error instanceof Failure)) throw error;
    terminal.say(error.fix ? `${error.message}\n${asCommands(instructionOf(error.fix, terminal.program), terminal)}` : error.message);
    return 1;
  }
}

/** A number for the tool's own schema to judge; anything else stays text and is refused there. */
export function numberOf(value: CommandInput['values'][string]): unknown {
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
}
