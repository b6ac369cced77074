import { dirname, join, resolve } from 'node:path';
import { type ConfigFile, type Environment, resolveSettings, unknownField } from './config/load.ts';
import { CONFIG_FILE, homeOf, readConfigFile, withDotEnv, workspaceOf } from './config/places.ts';
import { type CoreSettings, coreSettings, TOOLSET_NAMES } from './config/settings.ts';

/** Where the process was started, and with what. */
export interface Start {
  flags: Record<string, string | boolean | string[] | undefined>;
  home: string | undefined;
  config: string | undefined;
  environment: Environment;
  workingDirectory: string;
  /** What people type to start this program. */
  program?: string;
  /** Flags of single toolsets, by toolset and field. */
  toolsetFlags?: Record<string, Record<string, string | undefined>>;
  /** Where .env is looked for first, when not beside the configuration file. */
  secretsFolder?: string;
}

export interface Configuration {
  core: CoreSettings;
  home: string;
  workspace: string;
  file: ConfigFile | undefined;
  environment: Environment;
  workingDirectory: string;
  /** What people type to start this program. */
  program: string;
  toolsetFlags: Record<string, Record<string, string | undefined>>;
}

const OTHER_KEYS = [...TOOLSET_NAMES, 'models', 'agent', '$schema'];
const SECRET_NAME = /(?:^|_)(?:API_?KEY|ACCESS_KEY|PRIVATE_KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE)$/;
const SHORTEST_SECRET = 8;

/** The whole configuration, from all sources. */
export function configure(start: Start): Configuration {
  const { workingDirectory } = start;
  const home = homeOf(start.home, withDotEnv(start.environment, [workingDirectory]), workingDirectory);
  const named = start.config ?? start.environment.MILLRACE_CONFIG;
  const namedWorkspace = (start.flags.workspace as string | undefined) ?? start.environment.MILLRACE_WORKSPACE;
  const guess = workspaceOf(namedWorkspace, workingDirectory, home);
  const path = named === undefined ? join(guess, CONFIG_FILE) : resolve(workingDirectory, named);
  const file = readConfigFile(path, named !== undefined);
  if (file) refuseUnknownKeys(file);
  const environment = withDotEnv(start.environment, [start.secretsFolder ?? dirname(path), workingDirectory]);
  const core = resolveSettings(coreSettings, { flags: start.flags, environment, file, section: undefined });
  const fromFile = namedWorkspace === undefined && core.workspace !== undefined ? resolve(dirname(path), core.workspace) : undefined;
  const { program = 'millrace', toolsetFlags = {} } = start;
  return { core, home, workspace: fromFile ?? guess, file, environment, workingDirectory, program, toolsetFlags };
}

/** The keys, tokens and passwords that were configured. Shorter ones are words that may stand anywhere. */
export function secretValues({ core, environment }: Configuration): string[] {
  const values = [
    core.token,
    core.databaseUrl,
    ...Object.keys(environment).flatMap((name) => (SECRET_NAME.test(name) ? environment[name] : [])),
  ];
  return [...new Set(values)].filter((value) => value !== undefined && value.length >= SHORTEST_SECRET) as string[];
}

function refuseUnknownKeys(file: ConfigFile): void {
  const known = [...Object.keys(coreSettings.schema.shape), ...OTHER_KEYS];
  for (const [key, value] of Object.entries(file.content)) if (!known.includes(key)) throw unknownField(file.path, key, value, key, known);
}
