import { Failure, isRecord, jsonIn } from '@millrace/kernel';
import type { OpenedPack } from '../catalogue/types/opened-pack.ts';
import type { LoadedWorkflow } from '../document/files/listing.ts';
import type { Workflow, WorkflowNode } from '../document/workflow/model.ts';
import type { CallableWorkflows, CalledName } from './engine.ts';
import type { Obstacle } from './obstacles.ts';
import { EXECUTE_WORKFLOW, FILE, planCalled, type RunPlan } from './plan.ts';
import type { CallAnswer, CallRequest } from './protocol.ts';

/** What an Execute Workflow node calls: a workflow by name, one that is written into it, or what only the run will tell. */
type Call = { kind: 'named'; named: CalledName } | { kind: 'written'; workflow: Workflow } | { kind: 'later' };

function callOf({ parameters = {} }: WorkflowNode): Call {
  const source = parameters['source'] ?? 'database';
  if (source === 'parameter') return written(parameters['workflowJson']);
  const path = source === 'localFile' ? parameters['workflowPath'] : undefined;
  if (typeof path === 'string' && path !== '' && !path.startsWith('=')) return { kind: 'named', named: { path } };
  const named = source === 'database' ? namedBy(idOf(parameters), cachedName(parameters)) : undefined;
  return named ? { kind: 'named', named } : { kind: 'later' };
}

/** What the engine asks for: the id that the node gave, which may be a path, and the name that the editor showed for it. */
function namedBy(id: unknown, name: string | undefined): CalledName | undefined {
  const text = typeof id === 'number' ? String(id) : id;
  if (typeof text !== 'string' || text.trim() === '' || text.startsWith('=')) return undefined;
  if (text.startsWith(FILE)) return { path: text.slice(FILE.length) };
  return { id: text, ...(name !== undefined && { name }) };
}

function cachedName(parameters: Record<string, unknown>): string | undefined {
  const name = isRecord(parameters['workflowId']) ? parameters['workflowId']['cachedResultName'] : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
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

function isWorkflow(value: unknown): value is Workflow {
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

/** Workflows are looked through this deep for what cannot run; deeper ones say so when they are called. */
const DEPTH = 10;

/** Finds the workflows that a workflow calls: before its run for what would hinder them, and during it to run them. */
export class CallPlanner {
  readonly #pack: OpenedPack;
  readonly #callable: CallableWorkflows | undefined;

  constructor(pack: OpenedPack, callable: CallableWorkflows | undefined) {
    this.#pack = pack;
    this.#callable = callable;
  }

  /** What hinders the workflows that these nodes call, as obstacles of the nodes. */
  async obstacles(executed: readonly WorkflowNode[]): Promise<Obstacle[]> {
    return this.#obstacles(executed, new Set(), 0);
  }

  /** The order for a call that a running workflow makes. */
  async plan({ id, name, written }: CallRequest): Promise<CallAnswer> {
    try {
      const workflow = written === undefined ? await this.#find(namedBy(id, name)) : written;
      if (!isWorkflow(workflow)) throw new Failure('invalid_input', 'What the node calls is not an n8n workflow');
      const { order, obstacles } = planCalled(this.#pack, workflow);
      const [first] = obstacles;
      if (!first) return { ok: true, order };
      throw new Failure(
        'unavailable',
        `${quoted(workflow)} cannot be called here: its node ${JSON.stringify(first.node)}: ${first.reason}`,
        { fix: { instruction: 'Pin what the calling node returns, or the data of that node in its file' } },
      );
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { ok: false, message: error.message, ...(error.fix && { description: error.fix.instruction }) };
    }
  }

  async #obstacles(executed: readonly WorkflowNode[], seen: Set<string>, depth: number): Promise<Obstacle[]> {
    const found: Obstacle[] = [];
    for (const node of executed) {
      if (node.type !== EXECUTE_WORKFLOW) continue;
      const reason = await this.#obstacleOf(node, seen, depth);
      if (reason !== undefined) found.push({ node: node.name, reason });
    }
    return found;
  }

  async #obstacleOf(node: WorkflowNode, seen: Set<string>, depth: number): Promise<string | undefined> {
    const call = callOf(node);
    if (call.kind === 'later' || depth >= DEPTH) return undefined;
    let workflow: Workflow;
    let plan: RunPlan;
    try {
      if (call.kind === 'named' && alreadySeen(call.named, seen)) return undefined;
      workflow = call.kind === 'named' ? await this.#find(call.named) : call.workflow;
      plan = planCalled(this.#pack, workflow);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return `it calls another workflow: ${error.message}`;
    }
    const [first] = [...plan.obstacles, ...(await this.#obstacles(plan.executed, seen, depth + 1))];
    return first && `it calls ${quoted(workflow)}, whose node ${JSON.stringify(first.node)} cannot run here: ${first.reason}`;
  }

  async #find(named: CalledName | undefined): Promise<Workflow> {
    if (!named) throw new Failure('invalid_input', 'The node does not say which workflow it calls');
    if (!this.#callable) throw new Failure('unavailable', 'Workflow files are not at hand for this run');
    return this.#callable.find(named);
  }
}

function alreadySeen(named: CalledName, seen: Set<string>): boolean {
  const key = JSON.stringify([named.id, named.path]);
  if (seen.has(key)) return true;
  seen.add(key);
  return false;
}

function quoted({ name, id }: Workflow): string {
  return JSON.stringify((name ?? id ?? 'the workflow').slice(0, 100));
}
