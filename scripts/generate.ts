// Writes what is derived from the code: the tables of the READMEs, server.json, the schemas of the configuration and of
// contexts, the nodes of the flow language, what each tool advertises. With --check it writes nothing and fails when
// something is out of date.
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Entry, Settings } from '@millrace/kernel';
import { z } from 'zod';
import { agentSettings } from '../packages/server/src/agent-settings.ts';
import { commands } from '../packages/server/src/cli/commands.ts';
import type { ServerCommand } from '../packages/server/src/cli/server-command.ts';
import { toolsetCommands } from '../packages/server/src/cli/toolset-commands.ts';
import { compose, type Millrace } from '../packages/server/src/compose.ts';
import { modelSettings } from '../packages/server/src/config/models.ts';
import { coreSettings } from '../packages/server/src/config/settings.ts';
import { configure } from '../packages/server/src/configuration.ts';
import { toolsets } from '../packages/server/src/toolsets.ts';
import { contextJsonSchema } from '../toolsets/flowmind/contexts/schema.ts';
import { nodeTable } from '../toolsets/flowmind/flow/nodes/registry.ts';
import { installLinks } from './release/install-links.ts';
import { serverJson } from './release/server-json.ts';

const root = join(import.meta.dirname, '..');
const checking = process.argv.includes('--check');
const log = { debug() {}, info() {}, warn() {}, error() {} };

async function withEverything<Result>(work: (millrace: Millrace) => Result): Promise<Result> {
  const home = mkdtempSync(join(tmpdir(), 'millrace-generate-'));
  const configuration = configure({ flags: {}, home: undefined, config: undefined, environment: { HOME: home }, workingDirectory: home });
  const millrace = await compose({ configuration, log });
  try {
    return work(millrace);
  } finally {
    await millrace.close();
    rmSync(home, { recursive: true, force: true });
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function advertisement({ tool, inputSchema, outputSchema }: Entry): string {
  const { name, description, access, annotations, extra, limits } = tool;
  return json({
    name,
    description,
    access,
    ...(extra && { extra }),
    ...(limits && { limits }),
    annotations,
    inputSchema,
    outputSchema,
  });
}

function toolTable({ catalog }: Millrace): string {
  return catalog.toolsets
    .map((toolset) => {
      const rows = catalog
        .entries()
        .filter((entry) => entry.toolset === toolset)
        .map(
          ({ tool }) =>
            `| \`${tool.name}\` | ${tool.description.split(/(?<=[.!?])\s/)[0]?.replaceAll('|', '\\|')} | ${tool.access}${tool.extra ? ', extra' : ''} |`,
        );
      return [`### ${toolset.title}`, '', '| tool | what it does | access |', '|---|---|---|', ...rows].join('\n');
    })
    .join('\n\n');
}

interface Section {
  name: string;
  settings: Settings;
}

const toolsetSections: Section[] = [{ name: 'models', settings: modelSettings }, { name: 'agent', settings: agentSettings }, ...toolsets];

function settingsTable(toolsets: Section[]): string {
  const rows = [{ name: '', settings: coreSettings as Settings }, ...toolsets].flatMap(({ name, settings }) =>
    Object.entries(settings.schema.shape as Record<string, z.ZodType>).map(([field, schema]) => {
      const key = settings.secrets?.includes(field) ? '(environment only)' : `\`${name === '' ? '' : `${name}.`}${field}\``;
      const fallback = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).default;
      const shown = fallback === undefined ? '' : `\`${JSON.stringify(fallback)}\``;
      return `| ${key} | ${variablesOf(field, settings)} | ${shown} | ${(schema.description ?? '').replaceAll('|', '\\|')} |`;
    }),
  );
  return ['| setting | environment | default | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

/** Also those of single fields within a section. */
function variablesOf(field: string, { environment }: Settings): string {
  const paths = Object.keys(environment).filter((path) => path === field || path.startsWith(`${field}.`));
  return paths.map((path) => `\`${environment[path]}\``).join(', ');
}

function configurationSchema(toolsets: Section[]): string {
  const parts = Object.fromEntries(
    toolsets.map(({ name, settings }) => [name, withoutSecrets(settings.schema, settings.secrets).optional()]),
  );
  const whole = withoutSecrets(coreSettings.schema, coreSettings.secrets).extend({ $schema: z.string().optional(), ...parts });
  return json({ title: 'millrace.config.json', ...z.toJSONSchema(whole, { io: 'input', unrepresentable: 'any' }) });
}

function withoutSecrets(schema: z.ZodObject, secrets: readonly string[] = []): z.ZodObject {
  return schema.omit(Object.fromEntries(secrets.map((field) => [field, true])) as Record<string, true>);
}

function commandTable(all: readonly ServerCommand[]): string {
  return [
    '| command | what it does |',
    '|---|---|',
    ...all.map(
      ({ name, usage, summary }) =>
        `| \`${['millrace', name, usage].filter(Boolean).join(' ').replaceAll('|', '\\|')}\` | ${summary.replaceAll('|', '\\|')} |`,
    ),
  ].join('\n');
}

/** Replaces the text between two markers. */
function inMarkers(text: string, marker: string, content: string): string {
  const [start, end] = [`<!-- ${marker}: generated -->`, `<!-- /${marker} -->`];
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < 0) throw new Error(`There are no markers for ${marker}`);
  return `${text.slice(0, from + start.length)}\n${content}\n${text.slice(to)}`;
}

const allCommands = [...commands, ...(await toolsetCommands())];
const files = await withEverything((millrace) => {
  const made = new Map<string, string>();
  for (const entry of millrace.catalog.entries())
    made.set(`toolsets/${entry.toolset.name}/tools/__tools__/${entry.tool.name}.json`, advertisement(entry));
  made.set('docs/millrace.config.schema.json', configurationSchema(toolsetSections));
  made.set('docs/context.schema.json', json(contextJsonSchema()));
  const language = readFileSync(join(root, 'docs/flowmind-language.md'), 'utf8');
  made.set('docs/flowmind-language.md', inMarkers(language, 'nodes', nodeTable()));
  made.set('server.json', json(serverJson([coreSettings, ...toolsetSections.map(({ settings }) => settings)])));
  const published = readFileSync(join(root, 'packages/server/README.md'), 'utf8');
  made.set('packages/server/README.md', inMarkers(inMarkers(published, 'install', installLinks()), 'tools', toolTable(millrace)));
  let readme = readFileSync(join(root, 'README.md'), 'utf8');
  readme = inMarkers(readme, 'tools', toolTable(millrace));
  readme = inMarkers(readme, 'commands', commandTable(allCommands));
  made.set('README.md', inMarkers(readme, 'settings', settingsTable(toolsetSections)));
  return made;
});

const outdated: string[] = [];
for (const [path, content] of files) {
  const full = join(root, path);
  if (existsSync(full) && readFileSync(full, 'utf8') === content) continue;
  outdated.push(path);
  if (checking) continue;
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, content);
}
for (const path of globSync('toolsets/*/tools/__tools__/*.json', { cwd: root })) {
  if (files.has(path)) continue;
  outdated.push(`${path} (no such tool)`);
  if (!checking) rmSync(join(root, path));
}
if (checking && outdated.length > 0) {
  process.stderr.write(`Out of date, run npm run generate:\n${outdated.map((path) => `  ${path}`).join('\n')}\n`);
  process.exitCode = 1;
}
process.exit();
