import { describe, expect, test } from 'vitest';
import { readCommandLine } from './command-line.ts';
import { commands, stdioCommand } from './commands.ts';

const read = (...argv: string[]) => readCommandLine(argv, commands, stdioCommand);

describe('the command line', () => {
  test('without words serves stdio, with the settings of its flags', () => {
    expect(read()).toMatchObject({ command: { name: '' }, settings: {} });
    expect(read('--toolsets', 'todo', '--read-only', '--home', '/h')).toMatchObject({
      command: { name: '' },
      settings: { toolsets: 'todo', readOnly: true },
      home: '/h',
    });
    expect(read('--no-rate-limits').settings).toEqual({ rateLimits: false });
  });

  test('finds commands of one and two words, with their flags and what follows', () => {
    expect(read('serve', '--port', '1')).toMatchObject({ command: { name: 'serve' }, settings: { port: '1' } });
    expect(read('user', 'add', 'ann', '--level', 'advanced')).toMatchObject({
      command: { name: 'user add' },
      input: { positionals: ['ann'], values: { level: 'advanced' } },
    });
    expect(read('connect', 'claude', '--write').input).toEqual({ positionals: ['claude'], values: { write: true } });
  });

  test('explains what is wrong with it', () => {
    expect(() => read('serv')).toThrow(
      expect.objectContaining({ message: 'There is no command "serv"', fix: { instruction: 'Did you mean', command: 'serve' } }),
    );
    expect(() => read('user')).toThrow('"user" needs one of: add, list, level, revoke');
    expect(() => read('serve', '--prot', '1')).toThrow('There is no flag --prot. Did you mean --port?');
    expect(() => read('serve', '--port')).toThrow(/--port/);
    expect(() => read('serve', '--port', '1', 'extra')).toThrow('"serve" takes flags only, and here follows "extra"');
    const shape = { name: 'try', summary: '', usage: '[workflow...] [--update | --dry]', options: {} };
    expect(readCommandLine(['try', 'a', 'b'], [shape], shape).input.positionals).toEqual(['a', 'b']);
    expect(() => read('--port', '1', 'serve')).toThrow('takes flags only, and here follows "serve"');
  });
});
