import { Failure, isRecord, jsonIn, recordOf } from '@millrace/kernel';
import type { LoadedWorkflow } from '../document/files/listing.ts';
import type { Workflow, WorkflowNode } from '../document/workflow/model.ts';
import type { CallableWorkflows, CalledName } from './engine.ts';

export const EXECUTE_WORKFLOW = 'n8n-nodes-base.executeWorkflow';

/** What an Execute Workflow node calls: a workflow by name, one that is written into it, or what only the run will tell. */
export type Call = { kind: 'named'; named: CalledName } | { kind: 'written'; workflow: Workflow } | { kind: 'later' };

/** Marks what stands in a node's workflowId as the path of a file. */
const FILE = 'file:';

export function callOf({ parameters = {} }: WorkflowNode): Call {
  const source = parameters['source'] ?? 'database';
  if (source === 'parameter') return written(parameters['workflowJson']);
  const path = source === 'localFile' ? parameters['workflowPath'] : undefined;
  if (typeof path === 'string' && path !== '' && !path.startsWith('=')) return { kind: 'named', named: { path } };
  const named = source === 'database' ? namedBy(idOf(parameters), cachedName(parameters)) : undefined;
  return named ? { kind: 'named', named } : { kind: 'later' };
}

/** What the engine asks for: the id that the node gave, which may be a path, and the name that the editor showed for it. */
export function namedBy(id: unknown, name: string | undefined): CalledName | undefined {
  const text = typeof id === 'number' ? String(id) : id;
  if (typeof text !== 'string' || text.trim() === '' || text.startsWith('=')) return undefined;
  if (text.startsWith(FILE)) return { path: text.slice(FILE.length) };
  return { id: text, ...(name !== undefined && { name }) };
}

function cachedName(parameters: Record<string, unknown>): string | undefined {
  const name = isRecord(parameters['workflowId']) ? parameters['workflowId']['cachedResultName'] : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** The engine's process reads no files of the machine: it is handed a file's workflow as it is handed those with an id. */
export function withoutFileSource(node: Record<string, unknown>): Record<string, unknown> {
  const parameters = recordOf(node['parameters']);
  if (node['type'] !== EXECUTE_WORKFLOW || parameters['source'] !== 'localFile') return node;
  const path = String(parameters['workflowPath'] ?? '');
  const value = path.startsWith('=') ? `=${FILE}${path.slice(1)}` : `${FILE}${path}`;
  const workflowId = Number(node['typeVersion']) > 1 ? { __rl: true, mode: 'id', value } : value;
  return { ...node, parameters: { ...parameters, source: 'database', workflowId } };
}

function idOf(parameters: Record<string, unknown>): unknown {
  const id = parameters['workflowId'];
  return isRecord(id) ? id['value'] : id;
}

function written(json: unknown): Call {
  if (typeof json !== 'string' || json.startsWith('=')) return { kind: 'later' };
  const workflow = jsonIn(json);
  return isWorkflow(workflow) ? { kind: 'written', workflow } : { kind: 'later' };
}

export function isWorkflow(value: unknown): value is Workflow {
  return isRecord(value) && Array.isArray(value['nodes']);
}

/**
 * The workflow files as what other workflows call: an id may be the file's own, or the one that it has on the instance, where
 * `deployedAs` finds the file that was deployed there or pulled from there.
 */
export function callableFiles(
  load: (named: string) => Promise<LoadedWorkflow>,
  deployedAs: (remoteId: string) => Promise<string | undefined>,
): CallableWorkflows {
  return {
    async find({ id, name, path }) {
      const deployed = id === undefined ? undefined : await deployedAs(id);
      let missing: unknown;
      for (const named of [path, id, deployed, name]) {
        if (named === undefined) continue;
        try {
          return (await load(named)).workflow;
        } catch (error) {
          if (!(error instanceof Failure && error.code === 'not_found')) throw error;
          missing ??= error;
        }
      }
      throw missing ?? new Failure('not_found', 'The node does not say which workflow it calls');
    },
  };
}
