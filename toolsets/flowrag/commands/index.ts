import type { Command } from '@millrace/kernel';
import type { FlowragServices } from '../services.ts';
import { flowragEntities } from '../tools/flowrag-entities.ts';
import { flowragPath } from '../tools/flowrag-path.ts';
import { flowragRelations } from '../tools/flowrag-relations.ts';
import { flowragSearch } from '../tools/flowrag-search.ts';
import { flowragStats } from '../tools/flowrag-stats.ts';
import { flowragTrace } from '../tools/flowrag-trace.ts';
import { evalCommand } from './eval-command.ts';
import { indexCommand } from './index-command.ts';
import { mergeCommand } from './merge-command.ts';
import { numberOf, toolCommand } from './tool-command.ts';

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
