import { join } from 'node:path';
import type { N8nNodeType, Packages } from '../n8n-packages.ts';

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

/** A wait up to this long is real, as long as the waits of the run stay below the total; others are skipped. */
const LONGEST_MS = 2_000;
const LONGEST_TOTAL_MS = 5_000;

const UNITS: Record<string, number> = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

/** How long one run has waited, with all that it calls. */
export interface Patience {
  waitedMs: number;
}

interface WaitContext {
  additionalData: { patience?: Patience; sendDataToUI(type: string, data: unknown): void };
  getNodeParameter(name: string, index: number): unknown;
  getInputData(): unknown[];
  getNode(): { name: string };
}

type Execute = NonNullable<N8nNodeType['execute']>;

/** The Wait node, but a wait that would slow a test down is skipped, and logged. */
export function withoutLongWaits(wait: Execute): Execute {
  return async function (this: unknown, ...parameters: unknown[]) {
    // Newer nodes are given their context as an argument, older ones as `this`.
    const context = (hasParameters(parameters[0]) ? parameters[0] : this) as WaitContext;
    const milliseconds = waitOf(context);
    if (milliseconds === undefined) return wait.call(this, ...parameters);
    const patience = context.additionalData.patience ?? { waitedMs: 0 };
    if (milliseconds > LONGEST_MS || patience.waitedMs + milliseconds > LONGEST_TOTAL_MS) {
      const message = `would wait for ${inWords(milliseconds)} here; a test continues at once`;
      context.additionalData.sendDataToUI('sendConsoleMessage', { source: context.getNode().name, messages: [message] });
      return [context.getInputData()];
    }
    patience.waitedMs += milliseconds;
    return wait.call(this, ...parameters);
  };
}

/** The milliseconds that the node waits; undefined when it waits for something else, or n8n will report its mistake. */
function waitOf(context: WaitContext): number | undefined {
  const resume = context.getNodeParameter('resume', 0);
  if (resume === 'timeInterval') {
    const amount = Number(context.getNodeParameter('amount', 0)) * (UNITS[String(context.getNodeParameter('unit', 0))] ?? Number.NaN);
    return amount >= 0 ? amount : undefined;
  }
  const time = resume === 'specificTime' ? Date.parse(String(context.getNodeParameter('dateTime', 0))) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - Date.now());
}

function inWords(milliseconds: number): string {
  for (const [unit, length] of Object.entries(UNITS).toReversed()) {
    if (milliseconds >= length) return `${Math.round((milliseconds / length) * 10) / 10} ${unit}`;
  }
  return `${milliseconds} ms`;
}

function hasParameters(value: unknown): value is WaitContext {
  return typeof (value as Partial<WaitContext> | undefined)?.getNodeParameter === 'function';
}
