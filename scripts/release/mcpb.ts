import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packExtension } from '@anthropic-ai/mcpb/cli';
import { version } from './manifest.ts';
import { hostPlatform } from './natives.ts';

const root = join(import.meta.dirname, '../..');

interface Question {
  variable: string;
  type: 'directory' | 'string';
  title: string;
  description: string;
  sensitive?: boolean;
}

/** What Claude Desktop asks for when the extension is installed; every answer may be left empty. */
const QUESTIONS: Record<string, Question> = {
  documents: {
    variable: 'MILLRACE_FLOWRAG_DOCS',
    type: 'directory',
    title: 'Documents folder',
    description: 'The folder of documents that your assistant may index and search.',
  },
  flowise_url: {
    variable: 'FLOWISE_API_URL',
    type: 'string',
    title: 'Flowise address',
    description: 'The address of your Flowise, such as http://localhost:3000.',
  },
  flowise_key: {
    variable: 'FLOWISE_API_KEY',
    type: 'string',
    title: 'Flowise API key',
    description: 'From the page "API Keys" of your Flowise.',
    sensitive: true,
  },
  n8n_url: {
    variable: 'N8N_API_URL',
    type: 'string',
    title: 'n8n address',
    description: 'The address of your n8n, such as http://localhost:5678. Building and testing workflows works without one.',
  },
  n8n_key: {
    variable: 'N8N_API_KEY',
    type: 'string',
    title: 'n8n API key',
    description: 'From Settings, n8n API, in your n8n.',
    sensitive: true,
  },
};

/** The desktop extension for this platform: the built package with a manifest beside it. Returns the file's path. */
export async function packMcpb(to: string): Promise<string> {
  const path = join(to, `millrace-${version}-${hostPlatform().target}.mcpb`);
  const work = mkdtempSync(join(tmpdir(), 'millrace-mcpb-'));
  try {
    cpSync(join(root, 'dist'), work, { recursive: true });
    writeFileSync(join(work, 'manifest.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
    if (!(await packExtension({ extensionPath: work, outputPath: path, silent: true }))) throw new Error(`${path} could not be packed`);
    return path;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function manifest(): object {
  const { name, description, license, homepage, repository, engines, keywords } = JSON.parse(
    readFileSync(join(root, 'dist/package.json'), 'utf8'),
  );
  const questions = Object.entries(QUESTIONS);
  return {
    manifest_version: '0.3',
    name,
    display_name: 'Millrace',
    version,
    description,
    author: { name: 'The Millrace authors' },
    license,
    homepage,
    repository,
    keywords,
    server: {
      type: 'node',
      entry_point: 'bin/millrace.js',
      mcp_config: {
        command: 'node',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the host fills it in
        args: ['${__dirname}/bin/millrace.js'],
        env: Object.fromEntries(questions.map(([key, { variable }]) => [variable, `\${user_config.${key}}`])),
      },
    },
    tools_generated: true,
    // An unanswered question without a default would reach the server as the text of its placeholder.
    user_config: Object.fromEntries(
      questions.map(([key, { variable: _, ...question }]) => [key, { ...question, required: false, default: '' }]),
    ),
    compatibility: { platforms: [process.platform], runtimes: { node: engines.node } },
  };
}
