import { Failure } from '@millrace/kernel';
import type { ChatflowType } from '../client/chatflow.ts';
import type { Credential, Flowise, FlowiseIssue } from '../client/flowise.ts';
import type { NodeCatalogue } from '../nodes/catalogue.ts';
import { type Definitions, isAgentflowNode, isStickyNote } from '../nodes/definition.ts';
import { checkFlow } from './check.ts';
import { errorsIn, type Finding, publishedFinding, quoted, warning } from './findings.ts';
import { type Flow, malformed, parseFlow, readNode } from './flow.ts';
import { hydrate } from './hydrate.ts';

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
    return { definitions: new Map(), unchecked: [warning('not_checked', message)] };
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
    fix: { instruction: 'Fix what details.findings lists; an undeployed flow can be saved as it is' },
  });
}

/** Sentences of Flowise's own check that may be passed on; the names in them are of nodes and their inputs. */
const KNOWN_ISSUES = [
  /^.{1,80} is required$/,
  /^.{1,80} item #\d+: .{1,80} is required$/,
  /^.{1,80} configuration: .{1,80} is required$/,
  /^.{1,80} requires a credential$/,
  /^Connected to non-existent (source|target) node/,
  /^Disconnected edge/,
];

/** It calls every node without an edge unconnected, also the only one of a chatflow and those inside an iteration. */
const LEFT_TO_OUR_CHECK = 'This node is not connected to anything';

/**
 * What Flowise itself finds in a saved flow. Its check is made for agentflows; of a chatflow it says things that do not
 * keep it from running, so there its findings only warn.
 */
export async function flowiseFindings(flowise: Flowise, id: string, type: ChatflowType, signal: AbortSignal): Promise<Finding[]> {
  try {
    const issues = await flowise.validation(id, { signal });
    return issues.flatMap((issue) => findingsOf(issue, type));
  } catch (error) {
    if (signal.aborted || !(error instanceof Failure)) throw error;
    return [warning('not_checked', "Flowise's own check of the flow could not be had")];
  }
}

function findingsOf({ id, issues }: FlowiseIssue, type: ChatflowType): Finding[] {
  const severity = type === 'AGENTFLOW' ? 'error' : 'warning';
  return issues
    .filter((issue) => issue !== LEFT_TO_OUR_CHECK)
    .map((issue) => {
      const known = KNOWN_ISSUES.some((pattern) => pattern.test(issue));
      const message = known ? `Flowise says of ${quoted(id)}: ${quoted(issue)}` : `Flowise finds fault with ${quoted(id)}`;
      return { code: 'flowise', severity, node: id, message };
    });
}

/**
 * What Flowise says again of something that was already found is left out. Of a node of another version it judges by what
 * was required then, so there it only warns.
 */
export function withoutRepeats(own: Finding[], flowise: Finding[]): Finding[] {
  const nodes = new Set(errorsIn(own).map((finding) => finding.node));
  const outdated = new Set(own.filter((finding) => finding.code === 'version_mismatch').map((finding) => finding.node));
  const further = flowise.filter((finding) => finding.code !== 'flowise' || !nodes.has(finding.node));
  return [...own, ...further.map((finding): Finding => (outdated.has(finding.node) ? { ...finding, severity: 'warning' } : finding))];
}
