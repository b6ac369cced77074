import { randomUUID } from 'node:crypto';
import { Failure, nearest } from '@millrace/kernel';
import { type Availability, engineMissing, type NodeCatalogue, type NodeDescription, type Workflow, type WorkflowNode } from './model.ts';
import { freePosition, nameFromType, quoted, uniqueName } from './nodes.ts';

/** A type that can be added to a workflow; without a catalogue, only its name is known. */
export interface ChosenType {
  type: string;
  description: NodeDescription | undefined;
}

const FULL_TYPE = /^(?:@[\w.-]+\/)?[\w-]+\.[\w-]+$/;
const PACKAGES = ['n8n-nodes-base.', '@n8n/n8n-nodes-langchain.'];

/** The type that a caller means; an unknown one is refused with the nearest. */
export function chooseType(written: string, catalogue: NodeCatalogue, availability: Availability): ChosenType {
  if (!availability.available) {
    if (FULL_TYPE.test(written)) return { type: written, description: undefined };
    throw engineMissing(`Finding the node type ${quoted(written)} (which is not a full type such as n8n-nodes-base.set)`, availability);
  }
  const description = findType(written, catalogue);
  return { type: description.type, description };
}

/** What the catalogue says about the type that a caller means. */
export function findType(written: string, catalogue: NodeCatalogue): NodeDescription {
  for (const type of [written, ...PACKAGES.map((name) => name + written.replace(/^(?:n8n-)?nodes-(?:base|langchain)\./, ''))]) {
    const description = catalogue.get(type);
    if (description) return description;
  }
  const named = catalogue.named?.(written);
  const called = named === undefined ? undefined : catalogue.get(named);
  if (called) return called;
  const close = catalogue.nearest(written);
  throw new Failure('not_found', `There is no node type ${quoted(written)}`, {
    details: { nodeType: written.slice(0, 200), nearest: close },
    fix: { instruction: close.length > 0 ? `Did you mean ${close.join(' or ')}?` : 'node_search finds the types there are' },
  });
}

export interface NodeWish {
  chosen: ChosenType;
  position?: { x: number; y: number } | undefined;
  parameters: Record<string, unknown>;
}

/** Adds a node as n8n's editor would: newest version, default parameters, a name and a place of its own. */
export function addNode(workflow: Workflow, wish: NodeWish, catalogue: NodeCatalogue): WorkflowNode {
  const { type, description } = wish.chosen;
  requireRoom(workflow, type, description);
  const typeVersion = description ? (catalogue.newestVersion(type) ?? description.version) : versionUsed(workflow, type);
  const id = randomUUID();
  const given = webhookParameters(description, wish.parameters, id);
  const node: WorkflowNode = {
    parameters: description ? catalogue.defaultParameters(type, typeVersion, given) : given,
    id,
    name: uniqueName(workflow, description?.defaultName || nameFromType(type)),
    type,
    typeVersion,
    position: [0, 0],
    ...(description?.webhook && { webhookId: id }),
  };
  node.position = wish.position
    ? [wish.position.x, wish.position.y]
    : freePosition(workflow, isAttached(node, catalogue) ? 'below' : 'right');
  workflow.nodes.push(node);
  return node;
}

function requireRoom(workflow: Workflow, type: string, description: NodeDescription | undefined): void {
  const most = description?.maxNodes;
  if (most === undefined) return;
  const present = workflow.nodes.filter((node) => node.type === type);
  if (present.length < most) return;
  throw new Failure('conflict', `A workflow has at most ${most} of ${type}; this one has ${present.map((node) => node.name).join(', ')}`, {
    details: { nodeType: type, nodes: present.map((node) => node.name) },
  });
}

/** Without a catalogue: the version that the workflow uses already, else the first. */
function versionUsed(workflow: Workflow, type: string): number {
  const versions = workflow.nodes.filter((node) => node.type === type).map((node) => node.typeVersion ?? 1);
  return Math.max(1, ...versions);
}

/** A webhook needs a path of its own; the editor makes one up too. */
function webhookParameters(description: NodeDescription | undefined, given: Record<string, unknown>, id: string): Record<string, unknown> {
  const needsPath = description?.webhook && description.parameterNames.includes('path') && given['path'] === undefined;
  return needsPath ? { ...given, path: id } : given;
}

/** Models, memories and tools hang below the node that they serve. */
function isAttached(node: WorkflowNode, catalogue: NodeCatalogue): boolean {
  const outputs = catalogue.outputsOf(node);
  return outputs !== undefined && outputs.length > 0 && outputs.every((port) => port.type !== 'main');
}

/** What belongs to every node, and is not a parameter of its type. */
const SETTINGS = new Set(['name', 'notes', 'disabled', 'onError', 'retryOnFail', 'maxTries', 'credentials', 'position', 'typeVersion']);

/** A remark for each given parameter that the type does not have: n8n drops those silently. */
export function unknownParameters(given: Record<string, unknown>, description: NodeDescription | undefined): string[] {
  if (!description) return [];
  const known = new Set(description.parameterNames);
  return Object.keys(given)
    .filter((name) => !known.has(name))
    .map((name) => {
      const [close] = nearest(name, known, 1);
      const instead = SETTINGS.has(name) ? '; node_update sets it' : close ? `; did you mean ${close}?` : '';
      return `${description.type} has no parameter ${quoted(name)}, and n8n ignores it${instead}`;
    });
}
