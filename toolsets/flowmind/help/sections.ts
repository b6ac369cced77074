import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { absent, type Entry, type JsonSchema } from '@millrace/kernel';
import { ERROR_CODES } from '../codes.ts';
import { requiredOf, schemaOf } from './example.ts';

/** A piece of documentation that answers something. */
export interface Section {
  /** Where it is: `docs/flowmind.md#sessions`, `tool:create_todo`, `error:RATE_LIMITED`. */
  id: string;
  title: string;
  text: string;
  /** The tool it is about. */
  tool?: string;
}

const MOST_TEXT = 2_000;
const MOST_FILE = 500_000;

/** The sections of Markdown files; a folder stands for all of them in it. What cannot be read is left out. */
export async function documentationSections(paths: readonly string[]): Promise<Section[]> {
  const files = (await Promise.all(paths.map((path) => markdownBelow(path).catch(absent)))).flatMap((found) => found ?? []);
  const sections = await Promise.all(
    files.map(async ({ file, location }) => sectionsOf(await readFile(file, 'utf8'), location).slice(0, 200)),
  );
  return sections.flat();
}

async function markdownBelow(path: string): Promise<{ file: string; location: string }[]> {
  const found = await stat(path);
  if (found.isFile()) return found.size <= MOST_FILE ? [{ file: path, location: basename(path) }] : [];
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({ file, location: join(basename(path), relative(path, file)) }));
}

/** One section a heading, down to the third level; its title is the path of headings. */
export function sectionsOf(markdown: string, location: string): Section[] {
  const sections: Section[] = [];
  const trail: string[] = [];
  let lines: string[] = [];
  let fenced = false;
  const close = () => {
    const text = lines.join('\n').trim();
    const heading = trail.at(-1);
    if (text && heading) sections.push({ id: `${location}#${anchor(heading)}`, title: trail.join(' › '), text: text.slice(0, MOST_TEXT) });
    lines = [];
  };
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) fenced = !fenced;
    const heading = fenced ? null : /^(#{1,3})\s+(.+?)\s*#*$/.exec(line);
    if (!heading) {
      lines.push(line);
      continue;
    }
    close();
    const [, marks = '', title = ''] = heading;
    trail.splice(marks.length - 1);
    trail.push(title.replaceAll(/[`*]/g, ''));
  }
  close();
  return sections;
}

function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');
}

/** What a tool advertises, in words. */
export function toolSection({ tool, inputSchema }: Entry): Section {
  const required = new Set(requiredOf(inputSchema));
  const lines = Object.entries(schemaOf(inputSchema.properties)).map(
    ([name, schema]) => `- ${name}${required.has(name) ? ' (required)' : ''}: ${about(schemaOf(schema))}`,
  );
  return {
    id: `tool:${tool.name}`,
    title: `${tool.name}: ${tool.annotations.title}`,
    text: [tool.description, ...(lines.length > 0 ? ['Arguments:', ...lines] : ['It takes no arguments.'])].join('\n').slice(0, MOST_TEXT),
    tool: tool.name,
  };
}

function about(schema: JsonSchema): string {
  const values = Array.isArray(schema.enum) ? `one of ${schema.enum.join(', ')}` : String(schema.type ?? 'any value');
  const description = typeof schema.description === 'string' ? `, ${schema.description.split('\n')[0]}` : '';
  return `${values}${description}`;
}

export function errorSections(): Section[] {
  return Object.entries(ERROR_CODES).map(([code, meaning]) => ({
    id: `error:${code}`,
    title: `Error ${code}`,
    text: `${code}: ${meaning}.`,
  }));
}
