import { clip } from '@millrace/kernel';

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

export function errorsIn(findings: readonly Finding[]): Finding[] {
  return findings.filter((finding) => finding.severity === 'error');
}

const LONGEST_QUOTE = 80;

/** Text of a flow inside a sentence of ours: marked as such and short. */
export function quoted(text: string): string {
  return `"${clip(text.replace(/[\p{Cc}"]+/gu, ' ').trim(), LONGEST_QUOTE)}"`;
}
