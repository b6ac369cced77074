import { brief, quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import { traceOf } from '../prediction/result.ts';
import { chatflowId } from '../schema.ts';
import { tool } from '../services.ts';

const status = z.enum(['running', 'finished', 'failed', 'waiting', 'stopped', 'unknown']);

const STATUSES: Record<string, z.output<typeof status>> = {
  INPROGRESS: 'running',
  FINISHED: 'finished',
  ERROR: 'failed',
  TIMEOUT: 'failed',
  STOPPED: 'waiting',
  TERMINATED: 'stopped',
};

export const getPredictionResult = tool({
  name: 'get_prediction_result',
  description: 'Get the answer of a run that outlasted run_prediction, or its status.',
  said: [
    'has the chatflow answered by now',
    'get the result of the prediction that took too long',
    'what came out of the long run in flowise',
  ],
  access: 'read',
  extra: true,
  annotations: { title: 'Get prediction result', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    chatflow_id: chatflowId.describe('Chatflow that was run'),
    chat_id: quietLimits(z.string().min(1)).describe('Named by the TimeoutError'),
  }),
  output: z.object({
    status,
    text: z.string().optional(),
    chatMessageId: z.string().optional(),
    executionId: z.string().optional(),
    trace: z.array(brief(z.object({ node: z.string(), label: z.string(), status: z.string() }))).optional(),
  }),

  async run({ chatflow_id, chat_id }, { services, signal }) {
    const { type } = await services.flowise.get(chatflow_id, { signal });
    const messages = await services.flowise.messages(chatflow_id, chat_id, { signal });
    const answer = messages.at(-1)?.role === 'apiMessage' ? messages.at(-1) : undefined;
    const execution = type === 'AGENTFLOW' ? await services.flowise.execution(chatflow_id, chat_id, { signal }) : undefined;
    return {
      status: execution ? (STATUSES[execution.state] ?? 'unknown') : answer ? 'finished' : 'unknown',
      ...(answer && { text: answer.content, chatMessageId: answer.id }),
      ...(execution && { executionId: execution.id, trace: traceOf(execution.executionData) }),
    };
  },
});
