import type { ApprovalKind } from './state.ts';

export interface ToolTraits {
  /** Only looks: may be repeated, and never needs approval for a change. */
  readOnly: boolean;
  /** Doing it twice is the same as doing it once. */
  idempotent: boolean;
  openWorld: boolean;
}

/** Which of the demanded approvals a tool call falls under. */
export function approvalsOf(traits: ToolTraits): ApprovalKind[] {
  return [...(traits.openWorld ? (['external_api_calls'] as const) : []), ...(traits.readOnly ? [] : (['file_modifications'] as const))];
}
