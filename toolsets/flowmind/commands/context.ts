import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { absent, type Command, type CommandInput, type Terminal } from '@millrace/kernel';
import { type ContextFile, contextFilesBelow, type ParsedFile, parseFile } from '../contexts/context-files.ts';

/** Checks context files without loading them into a server. */
export const contextLint: Command = {
  name: 'context lint',
  summary: 'Check context files and report errors with their lines',
  usage: '<path...> [--json]',
  options: { json: { type: 'boolean', description: 'Print the issues as JSON' } },

  async run({ positionals, values }: CommandInput, terminal: Terminal): Promise<number> {
    if (positionals.length === 0) {
      terminal.say(`Name at least one file or folder: ${terminal.program} context lint contexts/`);
      return 2;
    }
    const parsed = (await Promise.all(positionals.map((path) => parsedBelow(path, terminal)))).flat();
    if (values['json'] === true)
      terminal.out(
        JSON.stringify(
          parsed.map(({ path, definition, issues }) => ({ file: path, uri: definition?.uri ?? null, issues })),
          null,
          2,
        ),
      );
    else for (const file of parsed) for (const line of findings(file)) terminal.out(line);
    const errors =
      parsed.flatMap((file) => file.issues).filter((issue) => issue.severity === 'error').length + duplicates(parsed, terminal);
    terminal.say(`${parsed.length} ${parsed.length === 1 ? 'context' : 'contexts'}, ${errors} ${errors === 1 ? 'error' : 'errors'}`);
    return errors > 0 || parsed.length === 0 ? 1 : 0;
  },
};

async function parsedBelow(path: string, terminal: Terminal): Promise<ParsedFile[]> {
  const place = resolve(path);
  const below = await filesBelow(place);
  if (!below) {
    terminal.say(`${path} cannot be read`);
    return [];
  }
  return Promise.all(below.files.map((file) => parseFile(file, below.root, 'workspace')));
}

async function filesBelow(place: string): Promise<{ files: ContextFile[]; root: string } | undefined> {
  const found = await stat(place).catch(absent);
  if (!found) return undefined;
  if (!found.isDirectory()) return { files: [{ path: place, stamp: '', updatedAt: found.mtime }], root: dirname(place) };
  const files = await contextFilesBelow(place).catch(absent);
  return files && { files, root: place };
}

function findings({ path, issues }: ParsedFile): string[] {
  return issues.map((issue) => `${path}:${issue.line}:${issue.column} ${issue.severity}: ${issue.message}`);
}

function duplicates(parsed: readonly ParsedFile[], terminal: Terminal): number {
  const first = new Map<string, string>();
  let count = 0;
  for (const { path, definition } of parsed) {
    if (!definition) continue;
    const earlier = first.get(definition.uri);
    if (earlier === undefined) first.set(definition.uri, path);
    else {
      count++;
      terminal.out(`${path}:1:1 error: ${definition.uri} is also defined in ${earlier}`);
    }
  }
  return count;
}

/** For editors: `context schema > context.schema.json`. */
export const contextSchema: Command = {
  name: 'context schema',
  summary: 'Print the JSON schema of context files, for editors',
  usage: '',
  options: {},

  async run(_input, terminal) {
    const { contextJsonSchema } = await import('../contexts/schema.ts');
    terminal.out(JSON.stringify(contextJsonSchema(), null, 2));
    return 0;
  },
};
