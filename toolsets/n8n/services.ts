import type { EgressRules } from '@millrace/http';
import type { Clock, Log } from '@millrace/kernel';
import type { Store } from '@millrace/storage';
import { PackCatalogue } from './catalogue/catalogue.ts';
import { type NodeFinder, PackFinder } from './catalogue/finder.ts';
import { PackReader } from './catalogue/pack/pack-reader.ts';
import { type Validator, WorkflowValidator } from './catalogue/validation/validator.ts';
import type { Workflows } from './document/files/workflows.ts';
import type { NodeCatalogue } from './document/workflow/node-catalogue.ts';
import type { Level } from './engine/confinement/sandbox.ts';
import { EmbeddedEngine, type EngineLimits } from './engine/embedded-engine.ts';
import type { CallableWorkflows, Engine } from './engine/engine.ts';
import { FallbackEngine } from './engine/fallback-engine.ts';
import { type RunHistory, type RunTables, StoredRuns } from './engine/run-history.ts';
import { InstanceClient } from './remote/client.ts';
import type { Deployments } from './remote/deployments.ts';
import type { InstanceAddress } from './remote/instance.ts';
import { InstanceEngine } from './remote/instance-engine.ts';
import { instanceCatalogue } from './remote/instance-types.ts';

/** What the tools of this toolset work with. */
export interface Services {
  workflows: Workflows;
  catalogue: NodeCatalogue;
  validator: Validator;
  engine: Engine;
  search: NodeFinder;
  /** The runs that test_workflow made. */
  runs: RunHistory;
  deployments: Deployments;
  /** What a workflow under test may call. */
  callable: CallableWorkflows;
}

export interface PackOptions {
  /** MILLRACE_HOME. */
  home: string;
  /** A version of n8n among those installed; the pinned one, or the newest, when left out. */
  version?: string;
  /** Runs what the embedded engine cannot. */
  instance?: InstanceAddress;
  /** Who may sign in there: then its nodes are the catalogue where no pack is installed. */
  instanceLogin?: { email: string; password: string };
  /** The token of its MCP server: then that runs what the embedded engine cannot. */
  instanceMcpToken?: string;
  limits?: Partial<EngineLimits>;
  /** Where workflows may send requests; everywhere when left out. */
  egress?: EgressRules;
  /** Whether workflows run at a level of confinement; at each when left out. */
  mayRun?(level: Level): Promise<boolean>;
  store: Store<RunTables>;
  clock: Clock;
  log: Log;
}

/** Everything that comes with the engine pack. */
export interface Pack {
  catalogue: NodeCatalogue;
  search: NodeFinder;
  validator: Validator;
  engine: Engine;
  runs: RunHistory;
  close(): Promise<void>;
}

/** Cheap: nothing is read or started before it is needed. */
export function openPack(options: PackOptions): Pack {
  const { home, version, instance, instanceLogin, instanceMcpToken, limits, store, clock, log } = options;
  const login = instance && instanceLogin && { url: instance.url, ...instanceLogin };
  const reader = new PackReader({
    home,
    version,
    log,
    instanceCatalogue: login && (() => instanceCatalogue(home, login, clock.now(), log)),
  });
  const embedded = new EmbeddedEngine(reader, limits, {
    ...(options.egress && { egress: options.egress }),
    ...(options.mayRun && { mayRun: options.mayRun }),
  });
  const access = { mcpToken: instanceMcpToken, login: instanceLogin };
  const engine = new FallbackEngine(embedded, instance && new InstanceEngine(new InstanceClient(instance), reader, access));
  return {
    catalogue: new PackCatalogue(reader),
    search: new PackFinder(reader),
    validator: new WorkflowValidator(reader),
    engine,
    runs: new StoredRuns(store, clock),
    async close() {
      await engine.close();
      reader.close();
    },
  };
}
