import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/harness/process.ts';
import { verifies } from '../../../test/requirements.ts';
import { globalOptions } from './cli/command-line.ts';
import { flagName } from './config/load.ts';
import { coreSettings } from './config/settings.ts';
import { configure, type Start, secretValues } from './configuration.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

function start(change: Partial<Start> = {}): Start {
  return { flags: {}, home: undefined, config: undefined, environment: { HOME: folder.path }, workingDirectory: folder.path, ...change };
}

function write(path: string, content: unknown): string {
  const full = join(folder.path, path);
  mkdirSync(join(full, '..'), { recursive: true });
  writeFileSync(full, typeof content === 'string' ? content : JSON.stringify(content));
  return full;
}

describe('settings', () => {
  verifies('kernel-config-priority', 'come from flags, then the environment, then the file, then the defaults', () => {
    expect(configure(start()).core.port).toBe(4747);
    write('millrace.config.json', { port: 1000 });
    expect(configure(start()).core.port).toBe(1000);
    const environment = { HOME: folder.path, MILLRACE_PORT: '2000' };
    expect(configure(start({ environment })).core.port).toBe(2000);
    expect(configure(start({ environment, flags: { port: '3000' } })).core.port).toBe(3000);
  });

  verifies('kernel-config-priority', 'have an environment variable for every flag', () => {
    const flags = Object.keys(globalOptions).filter((flag) => flag !== 'home' && flag !== 'config');
    const twins = Object.keys(coreSettings.environment).map(flagName);
    expect(flags.filter((flag) => !twins.includes(flag))).toEqual([]);
    expect(globalOptions.home?.description).toContain('MILLRACE_HOME');
    expect(globalOptions.config?.description).toContain('MILLRACE_CONFIG');
  });

  test('of every type can be given as text', () => {
    const environment = { HOME: folder.path, MILLRACE_READ_ONLY: '1', MILLRACE_TOOLSETS: 'todo, flowrag', MILLRACE_RATE_LIMITS: 'off' };
    expect(configure(start({ environment })).core).toMatchObject({ readOnly: true, toolsets: ['todo', 'flowrag'], rateLimits: false });
  });

  test('that are wrong name the source, the value and the remedy', () => {
    expect(() => configure(start({ flags: { port: 'abc' } }))).toThrow('--port is "abc": it must be a number');
    expect(() => configure(start({ environment: { HOME: folder.path, MILLRACE_TOOLSETS: 'todos' } }))).toThrow(
      /^MILLRACE_TOOLSETS contains "todos": use one of flowmind, /,
    );
    const path = write('millrace.config.json', { port: 99999 });
    expect(() => configure(start())).toThrow(`${path}: port is 99999: it must be at most 65535`);
    write('millrace.config.json', { prot: 1 });
    expect(() => configure(start())).toThrow('there is no setting "prot". Did you mean port?');
    write('millrace.config.json', '{broken');
    expect(() => configure(start())).toThrow(/is not valid JSON/);
    expect(() => configure(start({ config: 'missing.json' }))).toThrow(/There is no configuration file/);
  });

  test('that are secret are refused in a file and never shown', () => {
    write('millrace.config.json', { token: 'a-very-secret-token' });
    expect(() => configure(start())).toThrow(/set MILLRACE_TOKEN/);
    expect(() => configure(start())).not.toThrow(/a-very-secret-token/);
    write('millrace.config.json', {});
    expect(() => configure(start({ environment: { HOME: folder.path, MILLRACE_TOKEN: 'short' } }))).toThrow(
      'MILLRACE_TOKEN cannot be used: it must have at least 16 characters',
    );
  });
});

describe('.env', () => {
  test('is read beside the configuration, then in the working directory; the environment wins', () => {
    write('work/.env', 'MILLRACE_PORT=1\nMILLRACE_HOST=10.0.0.1\nMILLRACE_AUDIT_DAYS=3\n');
    write('conf/.env', 'MILLRACE_PORT=2\nMILLRACE_HOST="10.0.0.2"\n');
    const config = write('conf/millrace.config.json', {});
    const { core } = configure(
      start({ config, workingDirectory: join(folder.path, 'work'), environment: { HOME: folder.path, MILLRACE_PORT: '3' } }),
    );
    expect(core).toMatchObject({ port: 3, host: '10.0.0.2', auditDays: 3 });
  });
});

describe('the workspace', () => {
  verifies(
    'kernel-workspace',
    'is the named one, or the nearest parent with a configuration, or one below the home, never the root',
    () => {
      const home = join(folder.path, '.millrace');
      mkdirSync(join(folder.path, 'project/deep/er'), { recursive: true });
      const deep = join(folder.path, 'project/deep/er');
      expect(configure(start({ workingDirectory: deep })).workspace).toBe(join(home, 'workspace'));
      write('project/millrace.config.json', {});
      expect(configure(start({ workingDirectory: deep })).workspace).toBe(join(folder.path, 'project'));
      expect(configure(start({ workingDirectory: deep, environment: { HOME: folder.path, MILLRACE_WORKSPACE: '/srv/w' } })).workspace).toBe(
        '/srv/w',
      );
      expect(configure(start({ workingDirectory: deep, flags: { workspace: 'here' } })).workspace).toBe(join(deep, 'here'));
      expect(configure(start({ workingDirectory: '/' })).workspace).toBe(join(home, 'workspace'));
      expect(() => configure(start({ flags: { workspace: '/' } }))).toThrow('/ cannot be the workspace');
    },
  );

  test('named in the configuration file counts from the file', () => {
    write('project/millrace.config.json', { workspace: 'w' });
    expect(configure(start({ workingDirectory: join(folder.path, 'project') })).workspace).toBe(join(folder.path, 'project/w'));
  });
});

describe('the home', () => {
  test('is MILLRACE_HOME or below the home directory; without either, the error explains what to do', () => {
    expect(configure(start()).home).toBe(join(folder.path, '.millrace'));
    expect(configure(start({ environment: { MILLRACE_HOME: '/srv/m' } })).home).toBe('/srv/m');
    expect(configure(start({ home: 'mine' })).home).toBe(join(folder.path, 'mine'));
    expect(() => configure(start({ environment: { HOME: '/' } }))).toThrow('There is no home directory');
  });
});

test('the keys, tokens and passwords of the environment are secrets, unless they are too short to tell from words', () => {
  const environment = {
    HOME: folder.path,
    N8N_API_KEY: 'n8n-key-1',
    FLOWISE_PASSWORD: 'short',
    MILLRACE_TOKEN: 'token-1234567890',
    MAX_TOKENS: '12345678',
  };
  expect(secretValues(configure(start({ environment })))).toEqual(['token-1234567890', 'n8n-key-1']);
});
