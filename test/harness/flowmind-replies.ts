import type { User } from '@millrace/kernel';

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

/** The calls that most tests of FlowMind are made of. */
export interface FlowmindCalls {
  envelope(tool: string, parameters: unknown, as?: User): Promise<Envelope>;
  /** The result of a call that succeeded; fails the test otherwise. */
  result<Result = Run>(tool: string, parameters: unknown, as?: User): Promise<Result>;
  /** Starts a context. */
  run(uri: string, parameters?: Record<string, unknown>, as?: User): Promise<Run>;
  /** Answers the open question of a run. */
  answer(run: Run, value: unknown, as?: User): Promise<Run>;
}

export function callsThrough(envelope: FlowmindCalls['envelope']): FlowmindCalls {
  const result = async <Result = Run>(tool: string, parameters: unknown, as?: User) => {
    const reply = await envelope(tool, parameters, as);
    if (!reply.success) throw new Error(`${tool} failed: ${JSON.stringify(reply)}`);
    return reply.result as Result;
  };
  const uris = new Map<string, string>();
  return {
    envelope,
    result,
    async run(uri, parameters = {}, as) {
      const run = await result('execute_workflow', { workflow_uri: uri, ...parameters }, as);
      uris.set(run.session_id, uri);
      return run;
    },
    answer({ session_id, question }, value, as) {
      const step_result = { question_id: question?.id, value };
      return result('execute_workflow', { workflow_uri: uris.get(session_id), session_id, step_result }, as);
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: replies are looked at field by field
export type AnyReply = any;
