import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AuditLog,
  Catalog,
  type Clock,
  type Closed,
  Failure,
  type Identity,
  jsonReply,
  type Limiter,
  type Log,
  nearest,
  type Toolset,
} from '@millrace/kernel';
import { createGenerator, localEmbedder } from '@millrace/models';
import { openStorage, type Storage } from '@millrace/storage';
import type { ToolsetManifest } from '@millrace/toolset';
import { errorBody } from '@millrace/transports';
import { advertisedSchemas } from './advertised.ts';
import { chosenModel } from './config/models.ts';
import { type CoreSettings, TOOLSET_NAMES } from './config/settings.ts';
import { type Configuration, secretValues } from './configuration.ts';
import { createIdentity, type JwtVerifier, keptToken } from './identity.ts';
import { allMigrations, known, toolsets as knownToolsets } from './toolsets.ts';
import { VERSION } from './version.ts';

/** A whole server without its transports. */
export interface Millrace {
  catalog: Catalog;
  storage: Storage;
  identity: Identity;
  clock: Clock;
  /** The server's instructions for assistants. */
  instructions: string;
  close(): Promise<Closed>;
}

export interface ComposeOptions {
  configuration: Configuration;
  log: Log;
  clock?: Clock;
  /** Wraps the audit log, for metrics. */
  observe?: (auditLog: AuditLog) => AuditLog;
  /** Whether others than the process that started this one can call it. */
  served?: boolean;
  /** Toolsets besides those of the server; they are always on. */
  manifests?: readonly ToolsetManifest[];
}

const UNLIMITED: Limiter = { enter: async () => () => {} };

/** The only place where the parts are created and wired together. */
export async function compose(options: ComposeOptions): Promise<Millrace> {
  const { configuration, log } = options;
  const { core, home } = configuration;
  const clock = options.clock ?? { now: () => new Date() };
  const further = (options.manifests ?? []).map(known);
  const storage = await openStorage({
    home,
    databaseUrl: core.databaseUrl,
    clock,
    migrations: [...allMigrations, ...further.flatMap(({ migrations }) => migrations)],
    auditRetentionDays: core.auditDays,
    secrets: secretValues(configuration),
    onError: (error, what) => log.warn({ err: error }, what),
  });
  let catalog: Catalog | undefined;
  try {
    const identity = createIdentity({
      ownerToken: keptToken(core.token, home),
      users: storage.users,
      local: core.databaseUrl === undefined ? { kind: 'owner' } : { kind: 'token', token: core.token },
      verifyJwt: await jwtOf(configuration, storage),
    });
    const dependencies = {
      ...placesOf(configuration),
      storage,
      clock,
      log,
      catalog() {
        if (!catalog) throw new Error('the catalog does not exist yet');
        return catalog;
      },
      egress: { allow: core.egressAllow, deny: core.egressDeny, privateNetworks: core.egressPrivate ?? options.served !== true },
      shared: async () => options.served === true && (await isShared(core, storage)),
      embedder: () => localEmbedder({ folders: modelFolders(home) }),
      async generator() {
        const model = chosenModel(configuration);
        return model && createGenerator(model, configuration.environment);
      },
    };
    const advertised = await advertisedSchemas();
    const enabled = core.toolsets.flatMap((name) => knownToolsets.find((toolset) => toolset.name === name) ?? []);
    const toolsets = await allMade([...enabled, ...further].map(async (toolset) => toolset.create(configuration, dependencies)));
    catalog = new Catalog(toolsets, core, {
      clock,
      log,
      auditLog: options.observe?.(storage.audit) ?? storage.audit,
      identity,
      limiter: core.rateLimits ? storage.limiter : UNLIMITED,
      pendingCalls: storage.pendingCalls,
      jobs: storage.jobs,
      unknownTool: (failure) => jsonReply(errorBody('TOOL_NOT_FOUND', failure.message, failure.details), true, failure),
      program: configuration.program,
      ...(advertised && { advertised }),
    });
    refuseUnknownTools(
      core,
      new Set([...(advertised?.keys() ?? []), ...catalog.toolsets.flatMap(({ tools }) => tools.map(({ name }) => name))]),
      advertised !== undefined,
    );
    const whole = catalog;
    start(whole.toolsets, log);
    return {
      catalog,
      storage,
      identity,
      clock,
      instructions: instructionsOf(whole.toolsets),
      async close() {
        const closed = await whole.close();
        await storage.close();
        return closed;
      },
    };
  } catch (error) {
    await catalog?.close();
    await storage.close();
    throw error;
  }
}

/** Whether people besides the owner of this machine can call tools. */
async function isShared({ host, jwtIssuer }: CoreSettings, { users }: Storage): Promise<boolean> {
  return !isLoopback(host) || jwtIssuer !== undefined || (await users.list()).length > 1;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** Waits for all, also when one is refused: a toolset that is still being made would use a closed storage. */
async function allMade(making: readonly Promise<Toolset>[]): Promise<Toolset[]> {
  const results = await Promise.allSettled(making);
  const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const refused = results.find((result) => result.status === 'rejected');
  if (!refused) return made;
  await Promise.allSettled(made.map((toolset) => toolset.close?.()));
  throw refused.reason;
}

/** Work that needs the complete server, such as resuming abandoned runs; the start does not wait for it. */
function start(toolsets: readonly Toolset[], log: Log): void {
  for (const toolset of toolsets)
    toolset.started?.().catch((error: unknown) => log.warn({ err: error, toolset: toolset.name }, 'could not resume abandoned work'));
}

/** Names that no tool has. Sources know only the tools of the toolsets that are on, and so judge only where all are. */
function refuseUnknownTools({ tools = [], excludeTools, toolsets }: CoreSettings, known: ReadonlySet<string>, knowsAll: boolean): void {
  if (!knowsAll && toolsets.length < TOOLSET_NAMES.length) return;
  const settings = [
    ...tools.map((name) => ({ name, setting: 'MILLRACE_TOOLS or --tools' })),
    ...excludeTools.map((name) => ({ name, setting: 'MILLRACE_EXCLUDE_TOOLS or --exclude-tools' })),
  ];
  for (const { name, setting } of settings) {
    if (known.has(name)) continue;
    const close = nearest(name, known);
    throw new Failure('invalid_input', `No tool is named ${JSON.stringify(name.slice(0, 100))} (${setting})`, {
      details: { setting: 'tools', value: name.slice(0, 100), nearest: close },
      fix: { instruction: close.length > 0 ? `Nearest: ${close.join(', ')}` : 'The README lists all tools' },
    });
  }
}

function placesOf({ home, workspace, workingDirectory, environment, core }: Configuration) {
  return {
    home,
    workspace,
    workingDirectory,
    environment,
    databaseUrl: core.databaseUrl,
    version: VERSION,
    documentation: documentation(),
    modelFolders: modelFolders(home),
  };
}

function modelFolders(home: string): string[] {
  return [join(home, 'models')];
}

/** The product's own pages: beside the bundle, or at the root of a checkout. */
function documentation(): string[] {
  const places = ['..', '../..', '../../..'].map((up) => join(import.meta.dirname, up));
  const root = places.find((place) => existsSync(join(place, 'README.md')) && existsSync(join(place, 'docs')));
  return root === undefined ? [] : ['README.md', 'SECURITY.md', 'docs'].map((name) => join(root, name));
}

function instructionsOf(toolsets: readonly Toolset[]): string {
  const about =
    'Millrace finds, builds and runs workflows, answers from documents and keeps todos. Arguments with as_json_text are open objects: write their keys directly, or all of them as JSON text there.';
  return [about, ...toolsets.map((toolset) => toolset.instructions)].filter(Boolean).join('\n\n');
}

async function jwtOf({ core }: Configuration, storage: Storage): Promise<JwtVerifier | undefined> {
  if (core.jwtIssuer === undefined) return undefined;
  if (core.jwtAudience === undefined) {
    throw new Failure(
      'invalid_input',
      'MILLRACE_JWT_ISSUER is set without MILLRACE_JWT_AUDIENCE: tokens for other services would be accepted',
      {
        details: { setting: 'jwtAudience' },
        fix: { instruction: 'Set MILLRACE_JWT_AUDIENCE to the audience that the issuer puts in tokens for this server' },
      },
    );
  }
  const { jwtVerifier } = await import('./jwt.ts');
  return jwtVerifier({
    issuer: core.jwtIssuer,
    audience: core.jwtAudience,
    keys: core.jwtKeys,
    userOf: (subject, name) => storage.users.ensure(subject, name),
  });
}
