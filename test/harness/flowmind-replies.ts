/** What execute_workflow answers with. */
export interface Run {
  session_id: string;
  status: string;
  reason: string | null;
  current_step: string | null;
  instruction: string | null;
  context: { uri: string; agent: string | null; persona: string | null; breadcrumbs: string[] } | null;
  question: { id: string; text: string; schema: Record<string, unknown> } | null;
  variables: Record<string, unknown>;
  output: unknown;
  steps_done: number;
  next_action: { tool: string; parameters: Record<string, unknown> } | null;
  error: { code: string; message: string; step: string } | null;
  notice: string | null;
}

export interface Envelope {
  success: boolean;
  result?: Run;
  error?: { code: string; message: string; fix: { instruction: string; example: unknown; why: string } };
  guidance?: Record<string, unknown>;
  teaching?: Record<string, unknown>;
  next_actions?: unknown[];
  _performance?: Record<string, number>;
  _insights?: unknown;
  _unlocks?: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: replies are looked at field by field
export type AnyReply = any;
