import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Environment } from '../config/load.ts';
import { appDataOf, type Client, type ClientPlace, clients } from './clients.ts';
import { ConfigurationFile } from './configuration-file.ts';

/** An assistant on this machine, for this user. */
export interface Assistant {
  name: string;
  client: Client;
  file: ConfigurationFile;
  /** Whether it seems to be installed: its configuration, or the folder for it, exists. */
  installed: boolean;
}

export function assistants(environment: Environment): Assistant[] {
  const place = placeOf(environment);
  return Object.entries(clients).map(([name, client]) => {
    const path = client.file(place);
    return { name, client, file: new ConfigurationFile(client, path), installed: isInstalled(path, place) };
  });
}

/** The configuration of a project, for assistants that read one. */
export function projectFile(client: Client & { projectFile: string }, folder: string): ConfigurationFile {
  return new ConfigurationFile(client, join(folder, client.projectFile));
}

function placeOf(environment: Environment): ClientPlace {
  const home = environment.HOME ?? environment.USERPROFILE ?? homedir();
  const { platform } = process;
  return { platform, home, appData: appDataOf(platform, home, environment), environment };
}

function isInstalled(path: string, { home, appData }: ClientPlace): boolean {
  const shared = [home, appData, join(home, '.config')];
  for (let folder = dirname(path); !shared.includes(folder) && folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(folder)) return true;
  }
  return existsSync(path);
}
