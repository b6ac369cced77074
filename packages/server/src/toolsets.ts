import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { agentMigrations } from '@millrace/agent/migrations';
import { migrations as flowiseMigrations } from '@millrace/flowise/migrations';
import { flowmindMigrations } from '@millrace/flowmind/migrations';
import type { Catalog, CatalogPorts, Log, Settings, Toolset } from '@millrace/kernel';
import { createGenerator, localEmbedder } from '@millrace/models';
import { n8nMigrations } from '@millrace/n8n/migrations';
import type { Migration, Storage } from '@millrace/storage';
import { todoMigrations } from '@millrace/todo/migrations';
import type { z } from 'zod';
import { resolveSettings } from './config/load.ts';
import { chosenModel } from './config/models.ts';
import type { Configuration } from './configuration.ts';
import { VERSION } from './version.ts';

/** What a toolset may need to be made. */
export interface Surroundings {
  configuration: Configuration;
  storage: Storage;
  clock: CatalogPorts['clock'];
  log: Log;
  /** Known once the catalog is made, after the toolsets. */
  catalog(): Catalog;
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
  flowmind: entry('flowmind', flowmindMigrations, async () => {
    const { flowmindSettings, flowmindToolset } = await import('@millrace/flowmind');
    return {
      settings: flowmindSettings,
      async make(settings, { configuration, storage, clock, log, catalog }) {
        const { home, workspace, environment } = configuration;
        const model = chosenModel(configuration);
        return flowmindToolset({
          ...settings,
          store: storage.store,
          counter: storage.counters,
          catalog,
          clock,
          log,
          workspace,
          version: VERSION,
          documentation: documentation(),
          signingKey: await storage.keys.get('judgement'),
          embedder: await localEmbedder({ folders: [join(home, 'models')] }),
          generator: model && (await createGenerator(model, environment)),
        });
      },
    };
  }),

  n8n: entry('n8n', n8nMigrations, async () => {
    const { n8nSettings, n8nToolset } = await import('@millrace/n8n');
    return {
      settings: n8nSettings,
      make: (settings, { configuration: { home, workspace }, storage: { store }, clock, log }) =>
        n8nToolset({ home, workspace, settings, store, clock, log }),
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

export const allMigrations: readonly Migration[] = [
  ...Object.values(toolsetEntries).flatMap((toolset) => toolset.migrations),
  ...agentMigrations,
];

/** The product's own pages, which get_help answers from: beside the bundle, or at the root of a checkout. */
function documentation(): string[] {
  const places = ['..', '../..', '../../..'].map((up) => join(import.meta.dirname, up));
  const root = places.find((place) => existsSync(join(place, 'README.md')) && existsSync(join(place, 'docs')));
  return root === undefined ? [] : ['README.md', 'SECURITY.md', 'docs'].map((name) => join(root, name));
}
