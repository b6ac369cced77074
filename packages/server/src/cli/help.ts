import { type CommandShape, globalOptions } from './command-line.ts';

export function overview(program: string, commands: readonly CommandShape[]): string {
  const lines = commands.map((command) => ({
    call: [program, command.name, wanted(command.usage)].filter(Boolean).join(' '),
    summary: command.summary,
  }));
  const width = Math.max(...lines.map(({ call }) => call.length));
  return [
    'Millrace: one MCP server through which an assistant finds, builds, runs, grounds and keeps track of work.',
    '',
    'Commands:',
    ...lines.map(({ call, summary }) => `  ${call.padEnd(width)}  ${summary}`),
    '',
    'Flags of every command (flags win over the environment, which wins over millrace.config.json):',
    ...optionLines(globalOptions),
    '',
    `${program} <command> --help says more about one of them.`,
  ].join('\n');
}

/** What a command cannot do without: its usage up to the first optional part. */
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
