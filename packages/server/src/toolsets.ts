import type { CatalogPorts, Context, Entry, Log, Settings, Toolset } from '@millrace/kernel';
import type { Migration, Storage } from '@millrace/storage';
import { migrations as todoMigrations } from '@millrace/todo/migrations';
import type { Configuration } from './configuration.ts';

/** What a toolset may need to be made. */
export interface Surroundings {
  configuration: Configuration;
  storage: Storage;
  clock: CatalogPorts['clock'];
  log: Log;
  /** Known once the catalog is made, after the toolsets. */
  catalog(): { contexts(): Promise<Context[]>; entries(): Entry[] };
}

interface ToolsetEntry {
  settings?: Settings;
  migrations: readonly Migration[];
  /** Loads the toolset's code only when it is enabled. */
  // biome-ignore lint/suspicious/noExplicitAny: every toolset has its own services
  make(surroundings: Surroundings): Promise<Toolset<any>>;
}

/** Every toolset that there is. Their migrations always apply: a toolset that is off today may be on tomorrow. */
export const toolsetEntries: Record<string, ToolsetEntry> = {
  todo: {
    migrations: todoMigrations,
    async make({ storage, clock }) {
      const { todoToolset } = await import('@millrace/todo');
      return todoToolset({ store: storage.store, clock });
    },
  },
};

export const allMigrations: readonly Migration[] = Object.values(toolsetEntries).flatMap((entry) => entry.migrations);
