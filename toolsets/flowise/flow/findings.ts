import { clip } from '@millrace/kernel';
import type { ChatflowType } from '../client/chatflow.ts';
import type { Credential } from '../client/flowise.ts';
import type { Definitions, NodeDefinition } from '../nodes/definition.ts';
import type { FlowEdge, ReadNode } from './flow.ts';

/** A flow with its nodes read and its definitions found. */
export interface CheckedFlow {
  type: ChatflowType;
  nodes: CheckedNode[];
  edges: FlowEdge[];
  definitions: Definitions;
  /** Undefined when the key may not list them. */
  credentials: readonly Credential[] | undefined;
}

export interface CheckedNode extends ReadNode {
  definition: NodeDefinition | undefined;
}

/** One thing that is wrong, or odd, about a flow. */
export interface Finding {
  code:
    | 'empty_flow'
    | 'unnamed_node'
    | 'unknown_node'
    | 'wrong_flow_type'
    | 'no_start'
    | 'several_starts'
    | 'no_ending'
    | 'duplicate_id'
    | 'id_mismatch'
    | 'dangling_edge'
    | 'wrong_handle'
    | 'guessed_output'
    | 'cycle'
    | 'unconnected_node'
    | 'missing_connection'
    | 'missing_value'
    | 'missing_credential'
    | 'unknown_credential'
    | 'version_mismatch'
    | 'flowise'
    | 'not_checked';
  /** Errors keep a flow from running; warnings do not. */
  severity: 'error' | 'warning';
  /** The id of the node it is about. */
  node?: string;
  message: string;
  fix?: string;
}

type About = Pick<Finding, 'node' | 'fix'>;

export function error(code: Finding['code'], message: string, about: About = {}): Finding {
  return { code, severity: 'error', message, ...about };
}

export function warning(code: Finding['code'], message: string, about: About = {}): Finding {
  return { code, severity: 'warning', message, ...about };
}

export function errorsIn(findings: readonly Finding[]): Finding[] {
  return findings.filter((finding) => finding.severity === 'error');
}

/** A finding as it is published. */
export function publishedFinding({ code, severity, node, message, fix }: Finding) {
  return { code, severity, ...(node && { node: quoted(node).slice(1, -1) }), message, ...(fix && { fix }) };
}

const LONGEST_QUOTE = 80;

/** Text of a flow inside a sentence of ours: marked as such and short. */
export function quoted(text: string): string {
  return `"${clip(text.replace(/[\p{Cc}"]+/gu, ' ').trim(), LONGEST_QUOTE)}"`;
}
