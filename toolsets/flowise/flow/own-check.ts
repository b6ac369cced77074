import { Failure } from '@millrace/kernel';
import type { ChatflowType } from '../client/chatflow.ts';
import type { Flowise, FlowiseIssue } from '../client/flowise.ts';
import type { Finding } from './findings.ts';
import { quoted } from './findings.ts';

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
    return [{ code: 'not_checked', severity: 'warning', message: "Flowise's own check of the flow could not be had" }];
  }
}

function findingsOf({ id, issues }: FlowiseIssue, type: ChatflowType): Finding[] {
  const severity = type === 'AGENTFLOW' ? 'error' : 'warning';
  return issues
    .filter((issue) => issue !== LEFT_TO_OUR_CHECK)
    .map((issue) => {
      const known = KNOWN_ISSUES.some((pattern) => pattern.test(issue));
      return {
        code: 'flowise',
        severity,
        node: id,
        message: known ? `Flowise says of ${quoted(id)}: ${quoted(issue)}` : `Flowise finds fault with ${quoted(id)}`,
      };
    });
}

/**
 * What Flowise says again of something that was already found is left out. Of a node of another version it judges by what
 * was required then, so there it only warns.
 */
export function withoutRepeats(own: Finding[], flowise: Finding[]): Finding[] {
  const nodes = new Set(own.filter((finding) => finding.severity === 'error').map((finding) => finding.node));
  const outdated = new Set(own.filter((finding) => finding.code === 'version_mismatch').map((finding) => finding.node));
  const further = flowise.filter((finding) => finding.code !== 'flowise' || !nodes.has(finding.node));
  return [...own, ...further.map((finding): Finding => (outdated.has(finding.node) ? { ...finding, severity: 'warning' } : finding))];
}
