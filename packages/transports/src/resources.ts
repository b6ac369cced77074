import { type Catalog, type Entry, type JsonSchema, nearest } from '@millrace/kernel';
import { ResourceNotFoundError } from '@modelcontextprotocol/server';

const SCHEME = 'millrace://tools/';

export const resourceTemplates = [
  {
    uriTemplate: `${SCHEME}{name}`,
    name: 'tool-documentation',
    title: 'Tool documentation',
    description: 'What a tool does, its arguments and what it answers',
    mimeType: 'text/markdown',
  },
];

/** Every resource: the toolsets' own, and a page for each tool. */
export function toolPages(catalog: Catalog) {
  return [
    ...catalog.resources().map(({ uri, name, title, description, mimeType }) => ({ uri, name, title, description, mimeType })),
    ...catalog.entries().map(({ tool }) => ({
      uri: `${SCHEME}${tool.name}`,
      name: tool.name,
      title: tool.annotations.title,
      description: `How to use ${tool.name}`,
      mimeType: 'text/markdown',
    })),
  ];
}

export async function readResource(catalog: Catalog, uri: string) {
  const resource = catalog.resources().find((candidate) => candidate.uri === uri);
  if (resource) return { contents: [{ uri, mimeType: resource.mimeType, text: await resource.read() }] };
  const entry = uri.startsWith(SCHEME) ? catalog.find(uri.slice(SCHEME.length)) : undefined;
  if (!entry) throw new ResourceNotFoundError(uri, `There is no resource ${uri.slice(0, 200)}`);
  return { contents: [{ uri, mimeType: 'text/markdown', text: toolPage(entry) }] };
}

const MAX_SUGGESTIONS = 100;

/** Completion of the one argument with a known set: the name of a tool. */
export function suggest(catalog: Catalog, params: { ref: { type: string; uri?: string }; argument: { name: string; value: string } }) {
  const { ref, argument } = params;
  if (ref.type !== 'ref/resource' || ref.uri !== `${SCHEME}{name}` || argument.name !== 'name') return { completion: { values: [] } };
  const names = catalog.entries().map(({ tool }) => tool.name);
  const matching = names.filter((name) => name.startsWith(argument.value));
  const values = matching.length > 0 ? matching : nearest(argument.value, names, 5);
  return { completion: { values: values.slice(0, MAX_SUGGESTIONS), total: values.length, hasMore: values.length > MAX_SUGGESTIONS } };
}

export function toolPage({ tool, toolset, inputSchema }: Entry): string {
  const lines = [
    `# ${tool.name}`,
    '',
    tool.description,
    '',
    `Toolset: ${toolset.title}. ${tool.access === 'write' ? 'Changes things.' : 'Reads only.'}`,
  ];
  const properties = Object.entries((inputSchema.properties ?? {}) as Record<string, JsonSchema>);
  const required = new Set((inputSchema.required as string[] | undefined) ?? []);
  if (properties.length === 0) return [...lines, '', 'It takes no arguments.', ''].join('\n');
  lines.push('', '## Arguments', '', '| name | type | required | meaning |', '|---|---|---|---|');
  for (const [name, schema] of properties) {
    lines.push(`| ${name} | ${typeOf(schema)} | ${required.has(name) ? 'yes' : 'no'} | ${meaning(schema)} |`);
  }
  return [...lines, ''].join('\n');
}

function typeOf(schema: JsonSchema): string {
  if (Array.isArray(schema.enum)) return schema.enum.map(String).join(', ');
  return String(schema.type ?? 'any');
}

function meaning(schema: JsonSchema): string {
  const fallback = schema.default === undefined ? '' : ` (default: ${JSON.stringify(schema.default)})`;
  return `${String(schema.description ?? '').replaceAll('|', '\\|')}${fallback}`;
}
