import type { EgressRules } from '@millrace/http';
import type { Clock, Log, ToolDefinition } from '@millrace/kernel';
import type { Store } from '@millrace/storage';
import type { z } from 'zod';
import { PackCatalogue, PackFinder } from './catalogue/catalogue.ts';
import { PackReader } from './catalogue/pack/pack-reader.ts';
import { packValidator, type Validator } from './catalogue/validation/validator.ts';
import type { Workflows } from './document/files/workflows.ts';
import type { NodeCatalogue } from './document/workflow/model.ts';
import { EmbeddedEngine } from './engine/embedded-engine.ts';
import type { CallableWorkflows, Engine } from './engine/engine.ts';
import { type RunTables, StoredRuns } from './engine/run-history.ts';
import { InstanceClient } from './remote/client.ts';
import type { Deployments } from './remote/deployments.ts';
import { InstanceEngine } from './remote/instance-engine.ts';
import { instanceCatalogue } from './remote/instance-types.ts';
import type { n8nSettings } from './settings.ts';

/** Everything that comes with the engine pack. */
export interface Pack {
  catalogue: NodeCatalogue;
  search: Pick<PackFinder, 'find'>;
  validator: Validator;
  engine: Engine;
  /** The runs that test_workflow made. */
  runs: Pick<StoredRuns, 'keep' | 'list'>;
  close(): Promise<void>;
}

/** What the tools of this toolset work with. */
export interface Services extends Omit<Pack, 'close'> {
  workflows: Workflows;
  deployments: Deployments;
  /** What a workflow under test may call. */
  callable: CallableWorkflows;
}

export interface PackOptions {
  /** Where installed packs are. */
  home: string;
  settings: z.output<typeof n8nSettings.schema>;
  store: Store<RunTables>;
  clock: Clock;
  log: Log;
  /** Where workflows may send requests; everywhere when left out. */
  egress?: EgressRules;
  /** Whether people besides the owner of this machine can call tools. */
  shared?(): Promise<boolean>;
}

/** The instance's public API, where one is configured. */
export function instanceClient({ apiUrl: url, apiKey }: PackOptions['settings']): InstanceClient | undefined {
  return url !== undefined && apiKey !== undefined ? new InstanceClient({ url, apiKey }) : undefined;
}

/** Cheap: nothing is read or started before it is needed. */
export function openPack({ home, settings, store, clock, log, egress, shared }: PackOptions): Pack {
  const { version, email, password, mcpToken } = settings;
  const client = instanceClient(settings);
  const login = email !== undefined && password !== undefined ? { email, password } : undefined;
  const reader = new PackReader({
    home,
    version,
    log,
    // Where no pack is installed, the nodes of the instance are the catalogue.
    instanceCatalogue: client && login && (() => instanceCatalogue(home, client.instance, login, clock.now(), log)),
  });
  const limits = { processes: settings.engineProcesses, memoryMb: settings.engineMemory };
  const embedded = new EmbeddedEngine(reader, limits, {
    ...(egress && { egress }),
    mayRun: async (level) => level === 'full' || settings.unconfined || !(await shared?.()),
  });
  return {
    catalogue: new PackCatalogue(reader),
    search: new PackFinder(reader),
    validator: packValidator(reader),
    engine: client ? withFallback(embedded, new InstanceEngine(client, reader, { mcpToken, login })) : embedded,
    runs: new StoredRuns(store, clock),
    async close() {
      await embedded.close();
      reader.close();
    },
  };
}

/** Runs in the embedded engine, and on the configured instance what the embedded engine cannot run. */
function withFallback(embedded: EmbeddedEngine, instance: Engine): Engine {
  return {
    async ready() {
      const own = await embedded.ready();
      return own.available ? own : instance.ready();
    },
    async run(workflow, input, options) {
      const { available } = await embedded.ready();
      const runsHere = available && (await embedded.obstacles(workflow, input, options.callable)).length === 0;
      return (runsHere ? embedded : instance).run(workflow, input, options);
    },
  };
}

export type N8nTool<Input extends z.ZodObject, Output extends z.ZodType> = ToolDefinition<Services, Input, Output> & {
  /** Its published reply begins with `success`. */
  acknowledges?: true;
};

export function tool<Input extends z.ZodObject, Output extends z.ZodType>(definition: N8nTool<Input, Output>): N8nTool<Input, Output> {
  return definition;
}
