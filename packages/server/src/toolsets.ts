import { join } from 'node:path';
import { migrations as flowiseMigrations } from '@millrace/flowise/migrations';
import type { CatalogPorts, Context, Entry, Log, Settings, Toolset } from '@millrace/kernel';
import { n8nMigrations } from '@millrace/n8n/migrations';
import type { Migration, Storage } from '@millrace/storage';
import { todoMigrations } from '@millrace/todo/migrations';
import type { z } from 'zod';
import { resolveSettings } from './config/load.ts';
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

/** A toolset with its code loaded. */
interface LoadedToolset<Schema extends z.ZodObject> {
  settings: Settings<Schema>;
  // biome-ignore lint/suspicious/noExplicitAny: every toolset has its own services
  make(values: z.output<Schema>, surroundings: Surroundings): Promise<Toolset<any>> | Toolset<any>;
}

interface ToolsetEntry {
  /** Always applied: a toolset that is off today may be on tomorrow. */
  migrations: readonly Migration[];
  settings(): Promise<Settings>;
  make(surroundings: Surroundings): Promise<Toolset>;
}

/** The code of a toolset is loaded only when it is enabled. */
function entry<Schema extends z.ZodObject>(
  name: string,
  migrations: readonly Migration[],
  load: () => Promise<LoadedToolset<Schema>>,
): ToolsetEntry {
  return {
    migrations,
    settings: async () => (await load()).settings,
    async make(surroundings) {
      const { settings, make } = await load();
      const { environment, file, toolsetFlags } = surroundings.configuration;
      return make(resolveSettings(settings, { flags: toolsetFlags[name] ?? {}, environment, file, section: name }), surroundings);
    },
  };
}

export const toolsetEntries: Record<string, ToolsetEntry> = {
  n8n: entry('n8n', n8nMigrations, async () => {
    const [{ n8nSettings, n8nToolset }, { openPack }] = await Promise.all([import('@millrace/n8n'), import('@millrace/n8n/pack')]);
    return {
      settings: n8nSettings,
      make(settings, { configuration: { home, workspace }, storage: { store }, clock, log }) {
        const { apiUrl: url, apiKey } = settings;
        const instance = url !== undefined && apiKey !== undefined ? { url, apiKey } : undefined;
        return n8nToolset({
          home,
          workspace,
          settings,
          store,
          clock,
          log,
          pack: openPack({ home, store, clock, log, ...(instance && { instance }) }),
        });
      },
    };
  }),

  flowise: entry('flowise', flowiseMigrations, async () => {
    const { flowiseSettings, flowiseToolset } = await import('@millrace/flowise');
    return {
      settings: flowiseSettings,
      make: (settings, { storage, clock, log }) => flowiseToolset({ settings, store: storage.store, clock, log }),
    };
  }),

  flowrag: entry('flowrag', [], async () => {
    const { flowragSettings, flowragToolset, readConfiguration } = await import('@millrace/flowrag');
    return {
      settings: flowragSettings,
      async make({ config, data, docs }, { configuration, clock, log }) {
        const { workingDirectory, workspace, environment, home, core } = configuration;
        const named = { ...(config !== undefined && { config }), ...(data !== undefined && { data }), ...(docs !== undefined && { docs }) };
        return flowragToolset({
          configuration: await readConfiguration({ ...named, workingFolder: workingDirectory, home: workspace }),
          environment,
          modelFolders: [join(home, 'models')],
          clock,
          log,
          ...(core.databaseUrl !== undefined && { databaseUrl: core.databaseUrl }),
        });
      },
    };
  }),

  todo: entry('todo', todoMigrations, async () => {
    const { todoSettings, todoToolset } = await import('@millrace/todo');
    return {
      settings: todoSettings,
      make: ({ timeZone }, { storage, clock }) => todoToolset({ store: storage.store, clock, timeZone }),
    };
  }),
};

export const allMigrations: readonly Migration[] = Object.values(toolsetEntries).flatMap((toolset) => toolset.migrations);
