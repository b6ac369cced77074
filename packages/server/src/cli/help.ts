import { type CommandShape, globalOptions } from './command-line.ts';

export interface Overview {
  /** What people type before a command. */
  program: string;
  /** What the program is, in a sentence. */
  about: string;
  commands: readonly CommandShape[];
  /** Flags that every command takes. */
  options: CommandShape['options'];
  /** The file that these flags override. */
  configFile: string;
}

export function millraceOverview(program: string, commands: readonly CommandShape[]): string {
  const about = 'Millrace: one MCP server for workflows, documents and todos.';
  return overview({ program, about, commands, options: globalOptions, configFile: 'millrace.config.json' });
}

export function overview({ program, about, commands, options, configFile }: Overview): string {
  const lines = commands.map((command) => ({
    call: [program, command.name, wanted(command.usage)].filter(Boolean).join(' '),
    summary: command.summary,
  }));
  const width = Math.max(...lines.map(({ call }) => call.length));
  return [
    about,
    '',
    'Commands:',
    ...lines.map(({ call, summary }) => `  ${call.padEnd(width)}  ${summary}`),
    '',
    `Flags of every command (flags win over the environment, which wins over ${configFile}):`,
    ...optionLines(options),
    '',
    `More about one command: ${program} <command> --help`,
  ].join('\n');
}

/** The required part of a command: its usage up to the first optional part. */
function wanted(usage: string): string {
  return usage.split(/ ?\[/)[0] ?? '';
}

export function commandHelp(program: string, command: CommandShape): string {
  const own = Object.keys(command.options).length > 0 ? ['', 'Flags:', ...optionLines(command.options)] : [];
  return [usageOf(program, command), '', command.summary, ...own, '', `The flags of every command work here too: ${program} --help`].join(
    '\n',
  );
}

function usageOf(program: string, command: CommandShape): string {
  return [program, command.name, command.usage].filter(Boolean).join(' ');
}

function optionLines(options: CommandShape['options']): string[] {
  const names = Object.entries(options).map(([name, option]) => ({
    name: `${option.short ? `-${option.short}, ` : ''}--${name}${option.type === 'string' ? ' <value>' : ''}`,
    description: option.description,
  }));
  const width = Math.max(...names.map(({ name }) => name.length));
  return names.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`);
}
