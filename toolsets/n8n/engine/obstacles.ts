import { resolvedParameters } from '../catalogue/types/node-ports.ts';
import type { OpenedPack } from '../catalogue/types/opened-pack.ts';
import { hasCredential, neededCredentials } from '../catalogue/validation/parameters.ts';
import type { Workflow, WorkflowNode } from '../document/workflow/model.ts';

/** A node that the embedded engine cannot run, and why. */
export interface Obstacle {
  node: string;
  reason: string;
  /** What such a node gives, to be pinned in its place. */
  example?: Record<string, unknown>;
}

const BASE = 'n8n-nodes-base.';

/** Nodes that would act on the machine, or need what the pack leaves out. */
const NOT_RUN_HERE: Record<string, string> = {
  'n8n-nodes-base.executeCommand': 'it runs commands on the machine',
  'n8n-nodes-base.ssh': 'it runs commands on a machine',
  'n8n-nodes-base.localFileTrigger': 'it watches files of the machine',
  'n8n-nodes-base.readWriteFile': 'it reads and writes files of the machine',
  'n8n-nodes-base.readBinaryFile': 'it reads files of the machine',
  'n8n-nodes-base.readBinaryFiles': 'it reads files of the machine',
  'n8n-nodes-base.writeBinaryFile': 'it writes files of the machine',
  'n8n-nodes-base.git': 'it needs git',
  'n8n-nodes-base.editImage': 'it needs a program for images',
  'n8n-nodes-base.dataTable': 'it needs the tables of an n8n instance',
};

const LANGCHAIN = '@n8n/n8n-nodes-langchain.';

/** What the AI nodes that people use most give. */
const AI_OUTPUTS: Record<string, Record<string, unknown>> = {
  [`${LANGCHAIN}agent`]: { output: 'What the agent answers' },
  [`${LANGCHAIN}chainLlm`]: { text: 'What the model answers' },
  [`${LANGCHAIN}chainSummarization`]: { output: { text: 'The summary' } },
  [`${LANGCHAIN}informationExtractor`]: { output: { name: 'What was found' } },
  [`${LANGCHAIN}openAi`]: { message: { role: 'assistant', content: 'What the model answers' } },
};

/** Why this node cannot run here; undefined when it can. */
export function obstacleOf(pack: OpenedPack, node: WorkflowNode, workflow: Workflow): Obstacle | undefined {
  const because = (reason: string): Obstacle => ({ node: node.name, reason });
  const type = pack.types.get(node.type, node.typeVersion);
  if (!type) return pack.types.find(node.type) ? undefined : because(`its type ${node.type.slice(0, 100)} is not part of the engine pack`);
  const unsafe = NOT_RUN_HERE[node.type];
  if (unsafe) return because(unsafe);
  if (!node.type.startsWith(BASE) || type.entry.variant !== 'plain')
    return { ...because(aiReason(pack, node, workflow)), ...(AI_OUTPUTS[node.type] && { example: AI_OUTPUTS[node.type] }) };
  if (isPython(node)) return because('it is written in Python, and the embedded engine runs JavaScript only');
  const needed = neededCredentials(pack, type, node, resolvedParameters(pack, type, node));
  if (needed.length > 0)
    return because(
      `it needs the credential ${needed.join(' or ')}${needed.some((name) => hasCredential(node, name)) ? ', which is on the instance' : ''}`,
    );
  return undefined;
}

/** AI nodes run on an instance only; what is connected to them and needs a credential is named. */
function aiReason(pack: OpenedPack, { name }: WorkflowNode, workflow: Workflow): string {
  const lacking = workflow.nodes.flatMap((node) => {
    const isPartOf = Object.entries(workflow.connections[node.name] ?? {}).some(
      ([kind, slots]) => kind !== 'main' && slots.some((slot) => slot?.some((target) => target.node === name)),
    );
    const type = isPartOf ? pack.types.get(node.type, node.typeVersion) : undefined;
    const needed = type ? neededCredentials(pack, type, node, resolvedParameters(pack, type, node)) : [];
    return needed.length > 0 ? [`${JSON.stringify(node.name)} (${needed.join(' or ')})`] : [];
  });
  const because = lacking.length > 0 ? `, with the credentials of ${lacking.slice(0, 5).join(', ')}` : '';
  return `AI nodes run on an n8n instance only${because}`;
}

function isPython({ type, parameters }: WorkflowNode): boolean {
  return type === 'n8n-nodes-base.code' && String(parameters?.['language'] ?? '').startsWith('python');
}
