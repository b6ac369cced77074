import { Failure } from '@millrace/kernel';
import type { ChatflowType } from '../client/chatflow.ts';
import type { Credential } from '../client/flowise.ts';
import type { NodeCatalogue } from '../nodes/catalogue.ts';
import { type Definitions, isAgentflowNode, isStickyNote } from '../nodes/definition.ts';
import { publishedFinding } from '../schema.ts';
import { checkFlow } from './check.ts';
import { errorsIn, type Finding } from './findings.ts';
import { type Flow, malformed, parseFlow } from './flow-data.ts';
import { hydrate } from './hydrate.ts';
import { readNode } from './node.ts';

export interface PreparedFlow {
  type: ChatflowType;
  /** Hydrated, as it is saved. */
  flowData: string;
  flow: Flow;
  findings: Finding[];
}

/** Minimal nodes grow by some tens of kilobytes each: this many are far below what Flowise takes. */
const MOST_HYDRATED_CHARACTERS = 20 * 1024 * 1024;

/** Flow data as it was written, read, filled in and checked. */
export async function prepareFlow(text: string, type: ChatflowType | undefined, nodes: NodeCatalogue): Promise<PreparedFlow> {
  const given = parseFlow(text);
  const { definitions, unchecked } = await definitionsFor(given, nodes);
  const { flow, guessed } = hydrate(given, definitions);
  const flowData = JSON.stringify(flow);
  if (flowData.length > MOST_HYDRATED_CHARACTERS) throw malformed('has too many nodes: filled in, it is too large for Flowise', 'maxItems');
  const kind = type ?? typeOf(flow, definitions);
  const findings = unchecked ?? [...guessed, ...checkFlow(flow, kind, definitions, await credentialsFor(flow, definitions, nodes))];
  return { type: kind, flowData, flow, findings };
}

/** What is wrong with a flow that is already saved. */
export async function checkSaved(flowData: string, type: ChatflowType, nodes: NodeCatalogue): Promise<Finding[]> {
  const flow = parseFlow(flowData);
  const { definitions, unchecked } = await definitionsFor(flow, nodes);
  return unchecked ?? checkFlow(flow, type, definitions, await credentialsFor(flow, definitions, nodes));
}

/** A flow that cannot be checked is not refused for it: the findings say so. */
async function definitionsFor(flow: Flow, nodes: NodeCatalogue): Promise<{ definitions: Definitions; unchecked?: Finding[] }> {
  try {
    return { definitions: await nodes.definitions(flow.nodes.map((node) => readNode(node).name)) };
  } catch (error) {
    if (!(error instanceof Failure) || (error.code !== 'forbidden' && error.code !== 'upstream')) throw error;
    const message = 'The node definitions of this Flowise could not be read, so the flow was neither filled in nor checked';
    return { definitions: new Map(), unchecked: [{ code: 'not_checked', severity: 'warning', message }] };
  }
}

async function credentialsFor(flow: Flow, definitions: Definitions, nodes: NodeCatalogue): Promise<Credential[] | undefined> {
  const mayNameOne = flow.nodes.some((node) => {
    const definition = definitions.get(readNode(node).name);
    return definition?.credential !== undefined || definition?.inputs.some((input) => input.loadConfig);
  });
  if (!mayNameOne) return [];
  try {
    return await nodes.credentials();
  } catch (error) {
    if (error instanceof Failure && (error.code === 'forbidden' || error.code === 'upstream')) return undefined;
    throw error;
  }
}

function typeOf(flow: Flow, definitions: Definitions): ChatflowType {
  const nodes = flow.nodes.map((node) => readNode(node).name).filter((name) => !isStickyNote(name));
  const agentflow = nodes
    .map((name) => definitions.get(name))
    .every((definition) => definition !== undefined && isAgentflowNode(definition));
  return agentflow && nodes.length > 0 ? 'AGENTFLOW' : 'CHATFLOW';
}

/** A deployed flow must be able to run: with errors it stays as it was. */
export function refuseErrors(findings: readonly Finding[], what: string): void {
  const errors = errorsIn(findings);
  if (errors.length === 0) return;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  throw new Failure('invalid_input', `The flow cannot run, so it was not ${what}: ${errors[0]?.message}${more}`, {
    details: { field: 'flow_data', value: null, constraint: 'findings', findings: findings.map(publishedFinding) },
    fix: { instruction: 'Mend what details.findings lists; an undeployed flow can be saved as it is' },
  });
}
