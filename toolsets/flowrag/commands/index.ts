import { readFile } from 'node:fs/promises';
import { type Command, Failure, isSystemError } from '@millrace/kernel';
import type { FlowragServices } from '../services.ts';
import { flowragEntities } from '../tools/flowrag-entities.ts';
import { flowragPath } from '../tools/flowrag-path.ts';
import { flowragRelations } from '../tools/flowrag-relations.ts';
import { flowragSearch } from '../tools/flowrag-search.ts';
import { flowragStats } from '../tools/flowrag-stats.ts';
import { flowragTrace } from '../tools/flowrag-trace.ts';
import { indexCommand } from './index-command.ts';
import { command, JSON_OPTION, numberOf, requireData, toolCommand } from './tool-command.ts';

const mergeCommand = command({
  name: 'merge',
  summary: 'Say that two names mean one entity; it stays so through every re-index',
  usage: '<name> <into>',
  async run({ positionals: [alias, name] }, terminal, services) {
    if (!alias?.trim() || !name?.trim()) throw new Failure('invalid_input', `Which names? ${terminal.program} merge <name> <into>`);
    const unknown = await services.indexing.merge({ alias, name });
    terminal.out([`"${alias}" now means "${name}".`, ...unknownLines(unknown, alias)].join('\n'));
    return 0;
  },
});

function unknownLines(unknown: readonly string[], alias: string): string[] {
  if (unknown.length === 0) return [];
  const nobody = `No indexed document mentions ${unknown.map((name) => `"${name}"`).join(' or ')}`;
  return [
    unknown.includes(alias) ? `${nobody} yet: the merge takes effect when one does.` : `${nobody}: "${alias}" is shown under that name.`,
  ];
}

const evalCommand = command({
  name: 'eval',
  summary: 'Measure retrieval on questions with known documents: nDCG@10, recall@10, all-gold@10 per mode',
  usage: '<questions.jsonl>',
  options: JSON_OPTION,
  async run({ positionals: [path], values }, terminal, services) {
    if (path === undefined) throw new Failure('invalid_input', `Which questions? ${terminal.program} eval <questions.jsonl>`);
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      throw isSystemError(error) ? new Failure('not_found', `${path} cannot be read`, { cause: error }) : error;
    });
    const { evalTable, evaluate, readQuestions } = await import('../eval/evaluate.ts');
    const questions = readQuestions(text, path);
    requireData(services);
    const [store, embedder] = [await services.collection(), await services.models.embedder()];
    const progress = (done: number, total?: number) => terminal.status(`${done} of ${total ?? questions.length}`);
    const report = await evaluate({ store, embedder, questions, signal: terminal.signal, progress });
    terminal.status('');
    terminal.out(values.json ? JSON.stringify(report, null, 2) : evalTable(report));
    return 0;
  },
});

export { PLACES } from './tool-command.ts';

/** The words after `flowrag`; `mcp` is the server's own. */
export const flowragCommands: readonly Command<FlowragServices>[] = [
  indexCommand,
  toolCommand({
    name: 'search',
    summary: 'Search the documents',
    usage: '<query...> [--mode hybrid|local|global|naive] [--limit 5]',
    options: {
      mode: { type: 'string', description: 'hybrid (default), local, global or naive' },
      limit: { type: 'string', description: 'How many results (default 5)' },
      'token-budget': { type: 'string', description: 'The most tokens of all snippets together' },
    },
    tool: flowragSearch,
    parameters: ({ positionals, values }) => ({
      query: positionals.join(' '),
      mode: values.mode,
      limit: numberOf(values.limit),
      tokenBudget: numberOf(values['token-budget']),
    }),
  }),
  toolCommand({
    name: 'entities',
    summary: 'List entities',
    usage: '[query] [--type SERVICE] [--limit 20]',
    options: {
      type: { type: 'string', description: 'Only entities of this type' },
      limit: { type: 'string', description: 'How many (default 20)' },
    },
    tool: flowragEntities,
    parameters: ({ positionals, values }) => ({ query: positionals[0], type: values.type, limit: numberOf(values.limit) }),
  }),
  toolCommand({
    name: 'relations',
    summary: 'Show the relations of an entity',
    usage: '<entity> [--direction in|out|both]',
    options: { direction: { type: 'string', description: 'in, out or both (default)' } },
    tool: flowragRelations,
    parameters: ({ positionals, values }) => ({ entity: positionals.join(' '), direction: values.direction }),
  }),
  toolCommand({
    name: 'trace',
    summary: 'Trace data flow from an entity',
    usage: '<entity> --direction upstream|downstream [--inferred]',
    options: {
      direction: { type: 'string', description: 'upstream or downstream (default)' },
      inferred: { type: 'boolean', description: 'Also follow relations that were guessed' },
    },
    tool: flowragTrace,
    parameters: ({ positionals, values }) => ({
      entity: positionals.join(' '),
      direction: values.direction ?? 'downstream',
      inferred: values.inferred,
    }),
  }),
  toolCommand({
    name: 'path',
    summary: 'Find the shortest path between two entities',
    usage: '<from> <to> [--max-depth 5] [--inferred]',
    options: {
      'max-depth': { type: 'string', description: 'The most hops (default 5)' },
      inferred: { type: 'boolean', description: 'Also follow relations that were guessed' },
    },
    tool: flowragPath,
    parameters: ({ positionals: [from = '', to = ''], values }) => ({
      from,
      to,
      maxDepth: numberOf(values['max-depth']),
      inferred: values.inferred,
    }),
  }),
  toolCommand({ name: 'stats', summary: 'Show what the index holds', usage: '', tool: flowragStats, parameters: () => ({}) }),
  mergeCommand,
  evalCommand,
];
