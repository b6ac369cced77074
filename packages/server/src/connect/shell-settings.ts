import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { PROVIDERS } from '@millrace/models';
import type { Environment } from '../config/load.ts';
import { chosenModel, modelSettings } from '../config/models.ts';
import { coreSettings } from '../config/settings.ts';
import type { Configuration } from '../configuration.ts';
import { toolsets } from '../toolsets.ts';

/** What an entry carries itself. */
const IN_THE_ENTRY = ['MILLRACE_HOME', 'MILLRACE_WORKSPACE', 'MILLRACE_CONFIG'];

/** Settings that only this shell has: a server that an assistant starts would not see them. */
export async function settingsOfThisShell(shell: Environment, configuration: Configuration): Promise<Record<string, string>> {
  const dotEnv = join(configuration.workspace, '.env');
  const kept: Environment = existsSync(dotEnv) ? parseEnv(readFileSync(dotEnv, 'utf8')) : {};
  const names = (await settingNames(configuration)).filter((name) => !IN_THE_ENTRY.includes(name) && kept[name] === undefined);
  return Object.fromEntries(names.flatMap((name) => (shell[name] ? [[name, shell[name]]] : [])));
}

async function settingNames(configuration: Configuration): Promise<string[]> {
  const sections = toolsets.map(({ settings }) => settings);
  const settings = [coreSettings, modelSettings, ...sections].flatMap(({ environment }) => Object.values(environment));
  const provider = chosenModel(configuration)?.provider;
  const keys = provider === undefined ? [] : PROVIDERS[provider].required.flat();
  return [...new Set([...settings, ...keys])];
}
