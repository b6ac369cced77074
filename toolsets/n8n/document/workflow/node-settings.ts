import { Failure } from '@millrace/kernel';
import { edgeInWords, edgesOf } from './connections.ts';
import type { Workflow, WorkflowNode } from './model.ts';
import type { NodeCatalogue } from './node-catalogue.ts';

/** What n8n keeps of every node, whatever its type. */
export interface NodeSettings {
  disabled?: boolean;
  position?: { x: number; y: number };
  onError?: NonNullable<WorkflowNode['onError']>;
  retryOnFail?: boolean;
  maxTries?: number;
  waitBetweenTries?: number;
  alwaysOutputData?: boolean;
  executeOnce?: boolean;
  notes?: string;
  notesInFlow?: boolean;
  credentials?: Record<string, { id: string | null; name: string } | null>;
}

/** Sets what is given. What n8n takes for granted is left out of the file, as its editor does. */
export function changeSettings(node: WorkflowNode, { position, credentials, ...plain }: NodeSettings): void {
  if (position) node.position = [position.x, position.y];
  if (credentials) changeCredentials(node, credentials);
  for (const [name, value] of Object.entries(plain)) {
    if (value === undefined) continue;
    if (value === false || value === '' || value === 'stopWorkflow') delete node[name];
    else node[name] = value;
  }
  // The older spelling of the same thing would contradict it.
  if (plain.onError !== undefined) delete node['continueOnFail'];
}

function changeCredentials(node: WorkflowNode, given: NonNullable<NodeSettings['credentials']>): void {
  const kept = Object.entries({ ...node.credentials, ...given }).filter(([, credential]) => credential !== null);
  if (kept.length > 0) node.credentials = Object.fromEntries(kept);
  else delete node.credentials;
}

/** n8n takes a file with a version that it does not have, and then cannot run it. */
export function requireVersion(node: WorkflowNode, version: number, catalogue: NodeCatalogue): void {
  const newest = catalogue.newestVersion(node.type);
  if (newest === undefined || catalogue.get(node.type, version)) return;
  throw new Failure('invalid_input', `${node.type} has no version ${version}; the newest is ${newest}`, {
    details: { field: 'typeVersion', newest },
    fix: { instruction: `Use ${newest}`, example: { typeVersion: newest } },
  });
}

/** Connections that leave from an output which the node has no longer. */
export function strayConnections(workflow: Workflow, node: WorkflowNode, catalogue: NodeCatalogue): string[] {
  const outputs = catalogue.outputsOf(node, workflow);
  if (!outputs || outputs.length === 0) return [];
  const has = (type: string, index: number) => outputs.some((port) => port.type === type && port.index === index);
  return edgesOf(workflow)
    .filter((edge) => edge.source === node.name && !has(edge.output.type, edge.output.index))
    .map((edge) => `${edgeInWords(edge)} leaves from an output that ${node.name} does not have: remove it with connection_remove`);
}
