import { parseArgs } from 'node:util';
import { type CommandInput, type CommandOption, Failure, nearest } from '@millrace/kernel';
import { baseType, flagName } from '../config/load.ts';
import { coreSettings } from '../config/settings.ts';

/** What is known about a command before it is loaded. */
export interface CommandShape {
  name: string;
  summary: string;
  usage: string;
  options: Record<string, CommandOption>;
}

export interface ParsedLine<Shape extends CommandShape> {
  command: Shape;
  input: CommandInput;
  /** Values of the server's own settings, by field. */
  settings: Record<string, string | boolean | string[] | undefined>;
  home: string | undefined;
  config: string | undefined;
  help: boolean;
  version: boolean;
}

/** Flags that every command takes: the server's settings, and where they come from. */
export const globalOptions: Record<string, CommandOption> = {
  home: { type: 'string', description: 'Folder for data and keys (MILLRACE_HOME; default ~/.millrace)' },
  config: { type: 'string', description: 'Configuration file (MILLRACE_CONFIG; default millrace.config.json in the workspace)' },
  ...Object.fromEntries(
    Object.entries(coreSettings.schema.shape)
      .filter(([field]) => !(coreSettings.secrets as readonly string[]).includes(field))
      .map(([field, schema]) => [
        flagName(field),
        {
          type: baseType(schema) === 'boolean' ? 'boolean' : 'string',
          description: `${schema.description} (${coreSettings.environment[field as keyof typeof coreSettings.environment]})`,
        } satisfies CommandOption,
      ]),
  ),
};

const fieldOfFlag = new Map(Object.keys(coreSettings.schema.shape).map((field) => [flagName(field), field]));

/** Finds the command with the most words in common with the line, then reads its flags. */
export function readCommandLine<Shape extends CommandShape>(
  argv: readonly string[],
  commands: readonly Shape[],
  standard: Shape,
): ParsedLine<Shape> {
  const words = leadingWords(argv);
  const named = commandNamed(words, commands);
  if (!named && words.length > 0) throw unknownCommand(words, commands);
  const command = named ?? standard;
  const rest = argv.slice(named ? named.name.split(' ').length : 0);
  const options = { ...globalOptions, ...command.options };
  const { values, positionals } = readFlags(rest, options, command);
  if (positionals.length > 0 && !takesWords(command)) throw unexpectedWords(positionals, command);
  const settings: ParsedLine<Shape>['settings'] = {};
  const own: CommandInput['values'] = {};
  for (const [flag, value] of Object.entries(values)) {
    const field = flag in command.options ? undefined : fieldOfFlag.get(flag);
    if (field !== undefined) settings[field] = value;
    else own[flag] = value;
  }
  const { help, version, home, config, ...ownValues } = own;
  return {
    command,
    input: { positionals, values: ownValues },
    settings,
    home: home as string | undefined,
    config: config as string | undefined,
    help: help === true,
    version: version === true,
  };
}

function readFlags(argv: string[], options: Record<string, CommandOption>, command: CommandShape) {
  const known = {
    ...Object.fromEntries(
      Object.entries(options).map(([name, { type, short, multiple }]) => [
        name,
        { type, ...(short && { short }), ...(multiple && { multiple }) },
      ]),
    ),
    help: { type: 'boolean' as const, short: 'h' },
    version: { type: 'boolean' as const, short: 'v' },
  };
  try {
    return parseArgs({ args: argv, options: known, allowPositionals: true, allowNegative: true, strict: true });
  } catch (error) {
    throw flagFailure(error as Error & { code?: string }, Object.keys(known), command);
  }
}

function flagFailure(error: Error & { code?: string }, known: string[], command: CommandShape): Failure {
  const flag = /'(?:-\w, )?--?([\w-]+)/.exec(error.message)?.[1] ?? '';
  const help = { instruction: 'See', command: `${command.name} --help`.trim() };
  if (error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const [suggestion] = nearest(flag, known, 1);
    return new Failure('invalid_input', `There is no flag --${flag}${suggestion ? `. Did you mean --${suggestion}?` : ''}`, { fix: help });
  }
  return new Failure('invalid_input', `--${flag}: ${error.message.split('.')[0]}`, { fix: help });
}

/** Whether the usage names anything besides flags. */
function takesWords({ usage }: CommandShape): boolean {
  return usage.replace(/\[-[^\]]*\]/g, '').trim() !== '';
}

function unexpectedWords(words: string[], { name }: CommandShape): Failure {
  const quoted = words.map((word) => `"${word}"`).join(' ');
  return new Failure('invalid_input', `${name ? `"${name}"` : 'Serving over stdin'} takes flags only, and here follows ${quoted}`, {
    fix: { instruction: 'See', command: `${name} --help`.trim() },
  });
}

function leadingWords(argv: readonly string[]): string[] {
  const words: string[] = [];
  for (const word of argv) {
    if (word.startsWith('-')) break;
    words.push(word);
  }
  return words;
}

function commandNamed<Shape extends CommandShape>(words: string[], commands: readonly Shape[]): Shape | undefined {
  for (let count = Math.min(3, words.length); count > 0; count--) {
    const name = words.slice(0, count).join(' ');
    const found = commands.find((command) => command.name === name);
    if (found) return found;
  }
  return undefined;
}

function unknownCommand(words: string[], commands: readonly CommandShape[]): Failure {
  const first = words.slice(0, 2).join(' ');
  const family = commands.filter((command) => command.name.startsWith(`${words[0]} `));
  if (family.length > 0)
    return new Failure(
      'invalid_input',
      `"${words[0]}" needs one of: ${family.map((command) => command.name.slice((words[0] as string).length + 1)).join(', ')}`,
    );
  const [suggestion] = nearest(
    first,
    commands.map((command) => command.name),
    1,
  );
  return new Failure('invalid_input', `There is no command "${words[0]}"`, {
    fix: suggestion ? { instruction: 'Did you mean', command: suggestion } : { instruction: 'See', command: '--help' },
  });
}
