import { agentMigrations } from '@millrace/agent/migrations';
import flowise from '@millrace/flowise';
import flowmind from '@millrace/flowmind';
import flowrag from '@millrace/flowrag';
import type { Settings, Toolset } from '@millrace/kernel';
import n8n from '@millrace/n8n';
import type { Migration } from '@millrace/storage';
import todo from '@millrace/todo';
import type { ToolsetDependencies, ToolsetManifest } from '@millrace/toolset';
import { z } from 'zod';
import { resolveSettings } from './config/load.ts';
import type { Configuration } from './configuration.ts';

/** A toolset whose settings are read when it is created. */
export interface KnownToolset extends Omit<ToolsetManifest, 'create' | 'settings' | 'migrations'> {
  settings: Settings;
  migrations: readonly Migration[];
  create(configuration: Configuration, dependencies: Omit<ToolsetDependencies, 'settings'>): Promise<Toolset>;
}

/** Every toolset that this server can start, in the order of the tool list. */
export const toolsets: readonly KnownToolset[] = [known(flowmind), known(n8n), known(flowise), known(flowrag), known(todo)];

export const allMigrations: readonly Migration[] = [...toolsets.flatMap(({ migrations }) => migrations), ...agentMigrations];

const NO_SETTINGS: Settings = { schema: z.strictObject({}), environment: {} };

/** A manifest whose settings are bound to their section of the configuration. */
export function known<Schema extends z.ZodObject>(manifest: ToolsetManifest<Schema>): KnownToolset {
  const { name, settings = NO_SETTINGS, migrations = [] } = manifest;
  return {
    ...manifest,
    settings,
    migrations,
    create({ environment, file, toolsetFlags }, dependencies) {
      const values = resolveSettings(settings, { flags: toolsetFlags[name] ?? {}, environment, file, section: name });
      return manifest.create({ ...dependencies, settings: values as z.output<Schema> });
    },
  };
}
