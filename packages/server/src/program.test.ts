import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { launchOf, programOf, type Started } from './program.ts';
import { VERSION } from './version.ts';

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-program-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function file(path: string): string {
  const whole = join(root, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, '');
  return whole;
}

function link(path: string, target: string): string {
  const whole = join(root, path);
  mkdirSync(dirname(whole), { recursive: true });
  symlinkSync(target, whole);
  return whole;
}

function started(script: string, more: Partial<Started> = {}): Started {
  return { script, environment: { PATH: '/usr/bin' }, workingDirectory: '/', platform: 'linux', ...more };
}

describe('a package', () => {
  test('from npx is started by npx, and pinned to its version where it has to survive', () => {
    const script = link('.npm/_npx/abc/node_modules/.bin/millrace', file('.npm/_npx/abc/node_modules/millrace/bin/millrace.js'));
    const here = started(script, { environment: { PATH: `${dirname(script)}:/usr/bin` } });
    expect(programOf('millrace', here)).toBe('npx millrace');
    expect(programOf('flowrag', here)).toBe('npx -p millrace flowrag');
    expect(launchOf(here, '/usr/bin/node')).toEqual({ command: 'npx', args: ['-y', `millrace@${VERSION}`] });
    expect(launchOf({ ...here, platform: 'win32' }, 'node.exe')).toEqual({
      command: 'cmd',
      args: ['/c', 'npx', '-y', `millrace@${VERSION}`],
    });
  });

  test('that is installed globally goes by its name', () => {
    const target = file('lib/node_modules/millrace/bin/millrace.js');
    const script = link('bin/millrace', target);
    link('bin/flowrag', file('lib/node_modules/millrace/bin/flowrag.js'));
    const here = started(script, { environment: { PATH: `/usr/bin:${join(root, 'bin')}` } });
    expect(programOf('millrace', here)).toBe('millrace');
    expect(programOf('flowrag', here)).toBe('flowrag');
    expect(launchOf(here, process.execPath)).toEqual({ command: realpathSync(process.execPath), args: [target] });
  });

  test('that belongs to a project is started by npx inside it, and by its path from elsewhere', () => {
    const target = file('project/node_modules/millrace/bin/millrace.js');
    const script = link('project/node_modules/.bin/millrace', target);
    expect(programOf('millrace', started(script, { workingDirectory: join(root, 'project', 'src') }))).toBe('npx millrace');
    expect(programOf('millrace', started(target))).toBe(`node ${target}`);
  });
});

describe('a checkout', () => {
  test('is started by npx inside it, and by its path from elsewhere', () => {
    const script = file('my clone/bin/millrace.js');
    const linked = file('my clone/packages/server/bin/millrace.js');
    const npx = link('my clone/node_modules/.bin/millrace', linked);
    const inside = { workingDirectory: join(root, 'my clone', 'docs') };
    expect(programOf('millrace', started(script, inside))).toBe('npx millrace');
    expect(programOf('millrace', started(npx, inside))).toBe('npx millrace');
    expect(programOf('millrace', started(script))).toBe(`node "${script}"`);
    expect(launchOf(started(npx, inside), process.execPath).args).toEqual([linked]);
  });

  test('without packages is started by its path', () => {
    const script = file('clone/bin/millrace.js');
    expect(programOf('millrace', started(script, { workingDirectory: join(root, 'clone') }))).toBe(`node ${script}`);
  });
});
