import type { FlowmindToolset } from '@millrace/flowmind';
import {
  type AuditLog,
  type Authorization,
  Catalog,
  type Clock,
  type Closed,
  Failure,
  type Identity,
  type Limiter,
  type Log,
  nearest,
  type Toolset,
} from '@millrace/kernel';
import { openStorage, type Storage } from '@millrace/storage';
import { advertisedSchemas } from './advertised.ts';
import { type CoreSettings, TOOLSETS } from './config/settings.ts';
import { type Configuration, secretValues } from './configuration.ts';
import { createIdentity, type JwtVerifier, keptToken } from './identity.ts';
import { allMigrations, type Surroundings, toolsetEntries } from './toolsets.ts';

/** A whole server without its transports. */
export interface Millrace {
  catalog: Catalog;
  storage: Storage;
  identity: Identity;
  clock: Clock;
  /** What an assistant is told about this server. */
  instructions: string;
  close(): Promise<Closed>;
}

export interface ComposeOptions {
  configuration: Configuration;
  log: Log;
  clock?: Clock;
  /** Wraps the audit log, for metrics. */
  observe?: (auditLog: AuditLog) => AuditLog;
  /** Further toolsets, for tests. */
  extraToolsets?: readonly Toolset[];
}

const UNLIMITED: Limiter = { enter: async () => () => {} };

/** The only place where the parts are made and put together. */
export async function compose(options: ComposeOptions): Promise<Millrace> {
  const { configuration, log } = options;
  const { core, home } = configuration;
  const clock = options.clock ?? { now: () => new Date() };
  const storage = await openStorage({
    home,
    databaseUrl: core.databaseUrl,
    clock,
    migrations: allMigrations,
    auditRetentionDays: core.auditDays,
    secrets: secretValues(configuration),
    onError: (error, what) => log.warn({ err: error }, what),
  });
  try {
    const identity = createIdentity({
      ownerToken: keptToken(core.token, home),
      users: storage.users,
      local: core.databaseUrl === undefined ? { kind: 'owner' } : { kind: 'token', token: core.token },
      verifyJwt: await jwtOf(configuration, storage),
    });
    let catalog: Catalog | undefined;
    const surroundings: Surroundings = {
      configuration,
      storage,
      clock,
      log,
      catalog() {
        if (!catalog) throw new Error('the catalog is not made yet');
        return catalog;
      },
    };
    const advertised = await advertisedSchemas();
    const toolsets = await Promise.all(core.toolsets.flatMap((name) => toolsetEntries[name]?.make(surroundings) ?? []));
    catalog = new Catalog([...toolsets, ...(options.extraToolsets ?? [])], core, {
      clock,
      log,
      auditLog: options.observe?.(storage.audit) ?? storage.audit,
      identity,
      limiter: core.rateLimits ? storage.limiter : UNLIMITED,
      authorization: { readOnly: core.readOnly, ...levelsOf(toolsets) },
      pendingCalls: storage.pendingCalls,
      jobs: storage.jobs,
      program: configuration.program,
      ...(advertised && { advertised }),
    });
    refuseUnknownTools(
      core,
      new Set([...(advertised?.keys() ?? []), ...catalog.toolsets.flatMap(({ tools }) => tools.map(({ name }) => name))]),
      advertised !== undefined,
    );
    const whole = catalog;
    takeUpLeftRuns(toolsets, log);
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
    await storage.close();
    throw error;
  }
}

/** Names that no tool has. Sources know only the tools of the toolsets that are on, and so judge only where all are. */
function refuseUnknownTools({ tools = [], excludeTools, toolsets }: CoreSettings, known: ReadonlySet<string>, knowsAll: boolean): void {
  if (!knowsAll && toolsets.length < TOOLSETS.length) return;
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

/** Autonomous runs that a killed process left behind go on here; the start does not wait for them. */
function takeUpLeftRuns(toolsets: readonly Toolset[], log: Log): void {
  void flowmindOf(toolsets)
    ?.recover()
    .catch((error: unknown) => log.warn({ err: error }, 'runs that were left behind could not be taken up'));
}

function flowmindOf(toolsets: readonly Toolset[]): FlowmindToolset | undefined {
  return toolsets.find((toolset): toolset is FlowmindToolset => toolset.name === 'flowmind');
}

/** Levels belong to FlowMind: it knows what users have earned. Without it, they have what they were given. */
function levelsOf(toolsets: readonly Toolset[]): Pick<Authorization, 'levelOf' | 'unlockHint'> {
  const flowmind = flowmindOf(toolsets);
  if (!flowmind) return { levelOf: (user) => user.level };
  const { levels } = flowmind;
  return { levelOf: (user) => levels.levelOf(user), unlockHint: (user, needed) => levels.unlockHint(user, needed) };
}

function instructionsOf(toolsets: readonly Toolset[]): string {
  const about =
    'Millrace finds, builds and runs workflows, answers from documents and keeps todos. Arguments with as_json_text are open objects: write their keys directly, or all of them as JSON text there.';
  return [about, ...toolsets.map((toolset) => toolset.instructions)].filter(Boolean).join('\n\n');
}

async function jwtOf({ core }: Configuration, storage: Storage): Promise<JwtVerifier | undefined> {
  if (core.jwtIssuer === undefined) return undefined;
  const { jwtVerifier } = await import('./jwt.ts');
  return jwtVerifier({
    issuer: core.jwtIssuer,
    audience: core.jwtAudience,
    keys: core.jwtKeys,
    userOf: (subject, name) => storage.users.ensure(subject, name),
  });
}
