import { join } from 'node:path';
import type { N8nNodeType, Packages } from '../n8n-packages.ts';
import { withoutLongWaits } from './waits.ts';

const BASE = 'n8n-nodes-base';

interface KnownNode {
  className: string;
  sourcePath: string;
}

/** What n8n's engine asks about the types of a workflow's nodes. */
export interface WorkflowNodeTypes {
  getByName(type: string): N8nNodeType;
  getByNameAndVersion(type: string, version?: number): N8nNodeType;
  getKnownTypes(): unknown;
}

/** n8n's node types, loaded when a workflow has them. */
export class EngineNodeTypes {
  readonly #packages: Packages;
  readonly #known: Record<string, KnownNode>;
  readonly #instances = new Map<string, unknown>();
  readonly #prepared = new WeakSet<N8nNodeType>();
  constructor(packages: Packages) {
    this.#packages = packages;
    this.#known = packages.require(`${BASE}/dist/known/nodes.json`) as Record<string, KnownNode>;
  }

  /** As one workflow sees them: types that it has, but does not run, are only described. */
  describing(descriptions: Record<string, unknown>): WorkflowNodeTypes {
    const getByNameAndVersion = (type: string, version?: number) => {
      const description = descriptions[`${type} ${version ?? ''}`];
      return description ? describedOnly(type, description as N8nNodeType['description']) : this.#find(type, version);
    };
    return { getByName: getByNameAndVersion, getByNameAndVersion, getKnownTypes: () => this.#known };
  }

  #find(type: string, version?: number): N8nNodeType {
    const instance = this.#instance(type);
    const found = this.#packages.workflow.NodeHelpers.getVersionedNodeType(instance, version);
    if (!found) throw new Error(`${type} has no version ${version}`);
    this.#prepare(type, found);
    return found;
  }

  #instance(type: string): unknown {
    const made = this.#instances.get(type);
    if (made) return made;
    const known = type.startsWith(`${BASE}.`) ? this.#known[type.slice(BASE.length + 1)] : undefined;
    if (!known) throw new Error(`The node type ${type} is not part of the engine pack`);
    const file = this.#packages.require(join(this.#packages.folder, 'node_modules', BASE, known.sourcePath)) as Record<
      string,
      new () => unknown
    >;
    const Node = file[known.className] as new () => unknown;
    const instance = new Node();
    this.#instances.set(type, instance);
    return instance;
  }

  /** n8n gives declarative nodes their execute method when it loads them; long waits are skipped. */
  #prepare(type: string, found: N8nNodeType): void {
    if (this.#prepared.has(found)) return;
    this.#prepared.add(found);
    const { RoutingNode } = this.#packages.core;
    if (!found.execute && !found.poll && !found.trigger && found.description.requestDefaults) {
      found.execute = async function (this: unknown) {
        return (await new RoutingNode(this, found).runNode()) ?? [];
      };
    }
    if (type === `${BASE}.wait` && found.execute) found.execute = withoutLongWaits(found.execute);
  }
}

function describedOnly(type: string, description: N8nNodeType['description']): N8nNodeType {
  return {
    description,
    async execute(this: unknown) {
      // The old execution order asks triggers that did not begin the run for what a Merge still lacks: they hand on what they get.
      if ((description['group'] as string[] | undefined)?.includes('trigger'))
        return [(this as { getInputData(): unknown[] }).getInputData()];
      throw new Error(`${type} cannot run in the embedded engine: pin the data of this node`);
    },
  };
}
