import type { Clock, Log } from '@millrace/kernel';
import type { Store } from '@millrace/storage';
import { PackCatalogue } from '../catalogue/catalogue.ts';
import { PackFinder } from '../catalogue/finder.ts';
import { EmbeddedEngine, type EngineLimits } from '../engine/embedded-engine.ts';
import { EngineLadder } from '../engine/engine-ladder.ts';
import { InstanceEngine } from '../engine/instance/instance-engine.ts';
import { RunsInMemory, type RunTables, StoredRuns } from '../engine/run-history.ts';
import type { Engine, NodeCatalogue, NodeFinder, RunHistory, Validator } from '../ports.ts';
import type { InstanceAddress } from '../remote/address.ts';
import { InstanceClient } from '../remote/client.ts';
import { WorkflowValidator } from '../validation/validator.ts';
import { PackReader } from './opened-pack.ts';

export { type InstallOptions, installN8nPack } from './install.ts';
export { licenceNotice } from './notice.ts';
export { PINNED_VERSION } from './places.ts';
export { type InstalledPack, type PackStatus, packStatus } from './status.ts';

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
  store?: Store<RunTables>;
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
export function openPack({ home, version, instance, instanceLogin, instanceMcpToken, limits, store, clock, log }: PackOptions): Pack {
  const reader = new PackReader({
    home,
    version,
    log,
    ...(instance && instanceLogin && { instance: { url: instance.url, ...instanceLogin } }),
  });
  const embedded = new EmbeddedEngine(reader, limits);
  const access = { mcpToken: instanceMcpToken, login: instanceLogin };
  const engine = new EngineLadder(embedded, instance && new InstanceEngine(new InstanceClient(instance), reader, access));
  return {
    catalogue: new PackCatalogue(reader),
    search: new PackFinder(reader),
    validator: new WorkflowValidator(reader),
    engine,
    runs: store ? new StoredRuns(store, clock) : new RunsInMemory(clock),
    async close() {
      await engine.close();
      reader.close();
    },
  };
}
