import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, parse, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { Failure, isRecord } from '@millrace/kernel';
import { type ConfigFile, configurationError, type Environment } from './load.ts';

export const CONFIG_FILE = 'millrace.config.json';

/** MILLRACE_HOME, or ~/.millrace. */
export function homeOf(flag: string | undefined, environment: Environment, workingDirectory: string): string {
  const named = flag ?? environment.MILLRACE_HOME;
  if (named) return resolve(workingDirectory, named);
  const home = environment.HOME ?? environment.USERPROFILE ?? systemHome();
  if (!home || !isAbsolute(home) || parse(home).root === home) {
    throw new Failure('unavailable', 'There is no home directory to keep data in', {
      fix: { instruction: 'Set MILLRACE_HOME to a folder you own, for example MILLRACE_HOME=/srv/millrace' },
    });
  }
  return join(home, '.millrace');
}

function systemHome(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

/** The named workspace, or the nearest parent folder with a configuration file, or one below the home; never the root. */
export function workspaceOf(named: string | undefined, workingDirectory: string, home: string): string {
  if (named) {
    const chosen = resolve(workingDirectory, named);
    if (parse(chosen).root !== chosen) return chosen;
    throw new Failure('invalid_input', `${chosen} cannot be the workspace`, {
      fix: { instruction: 'Name a folder below it with --workspace or MILLRACE_WORKSPACE' },
    });
  }
  return upwards(workingDirectory) ?? join(home, 'workspace');
}

function upwards(from: string): string | undefined {
  for (let folder = from; parse(folder).root !== folder; folder = dirname(folder)) {
    if (existsSync(join(folder, CONFIG_FILE))) return folder;
  }
  return undefined;
}

export function readConfigFile(path: string, required: boolean): ConfigFile | undefined {
  if (!existsSync(path)) {
    if (!required) return undefined;
    throw new Failure('not_found', `There is no configuration file ${path}`, { fix: { instruction: 'Check --config, or leave it out' } });
  }
  if (!statSync(path).isFile()) throw configurationError(path, '', 'a folder', 'it must be a file');
  const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new Failure('invalid_input', `${path} is not valid JSON: ${(error as Error).message}`, { details: { file: path }, cause: error });
  }
  if (!isRecord(content)) throw configurationError(path, '', content, 'it must be an object');
  return { path, content };
}

/** The process environment, then .env beside the configuration, then .env in the working directory: the first value wins. */
export function withDotEnv(environment: Environment, folders: readonly string[]): Environment {
  const merged: Record<string, string | undefined> = { ...environment };
  for (const folder of new Set(folders)) {
    const path = join(folder, '.env');
    if (!existsSync(path)) continue;
    for (const [key, value] of Object.entries(parseEnv(readFileSync(path, 'utf8')))) {
      if (merged[key] === undefined || merged[key] === '') merged[key] = value;
    }
  }
  return merged;
}
