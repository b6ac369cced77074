import { randomUUID } from 'node:crypto';
import { brief, Failure, quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import type { Chatflow } from '../client/chatflow.ts';
import { runThroughPauses } from '../prediction/pauses.ts';
import { bodyOf, demandAccepted, demandPermitted, history, uploadOf, uploads } from '../prediction/question.ts';
import { chatflowId } from '../schema.ts';
import { tool } from '../services.ts';

export const runPrediction = tool({
  name: 'run_prediction',
  description:
    'Execute a deployed chatflow with user input. If the flow asks a person, call again with the answer. After a timeout, use get_prediction_result.',
  said: [
    'ask the support chatflow a question',
    'send a message to our flowise chatbot',
    'run the chatflow with this input',
    'what does the bot answer to hello',
  ],
  access: 'write',
  annotations: { title: 'Run prediction', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  asks: true,
  whenCancelled:
    'A run that streams is stopped in Flowise; another one may go on there, and get_prediction_result finds its answer when chat_id was given',
  input: z.strictObject({
    chatflow_id: chatflowId.describe('Chatflow to execute'),
    question: z.string().min(1, 'question must not be empty').describe('User input or question'),
    session_id: quietLimits(z.string().min(1)).optional().describe('Conversation to continue'),
    chat_id: quietLimits(z.string().min(1).max(200)).optional().describe('Chat to continue'),
    history: history.optional(),
    uploads: uploads.optional(),
    overrides: z.record(z.string(), z.unknown()).optional().describe('Node inputs that the flow lets you set'),
    form: z.record(z.string(), z.unknown()).optional().describe('Form fields, in place of the question'),
  }),
  output: z.object({
    text: z.string().describe('Response from chatflow'),
    questionMessageId: z.string().optional().describe('Question message ID'),
    chatMessageId: z.string().optional().describe('Response message ID'),
    sessionId: z.string().optional().describe('Conversation session ID'),
    chatId: z.string().optional(),
    executionId: z.string().optional(),
    usedTools: z.array(z.string()).optional(),
    sourceDocuments: z.array(brief(z.object({ text: z.string(), source: z.string().optional() }))).optional(),
  }),

  async run(input, call) {
    const { services, signal, progress, log } = call;
    const chatflow = await services.flowise.getShared(input.chatflow_id);
    if (services.requireDeployed) demandDeployed(chatflow);
    if (input.overrides) demandPermitted(input.overrides, chatflow);
    const files = input.uploads?.map(uploadOf);
    if (files && files.length > 0) demandAccepted(files, await services.flowise.acceptedUploads(input.chatflow_id, { signal }));
    const body = bodyOf({ ...input, uploads: files });
    const {
      trace: _trace,
      pause: _pause,
      ...answer
    } = await runThroughPauses(call, (resumed) =>
      services.runs.run({
        chatflow,
        chatId: resumed?.chatId ?? input.chat_id ?? randomUUID(),
        body: resumed ? { ...body, humanInput: resumed.humanInput } : body,
        timeoutMs: services.timeoutMs,
        signal,
        progress,
        log,
      }),
    );
    return answer;
  },
});

function demandDeployed({ id, deployed }: Chatflow): void {
  if (deployed) return;
  throw new Failure('invalid_input', 'Chatflow not deployed: it was not run', {
    details: { field: 'chatflow_id', value: id, constraint: 'deployed' },
    fix: { instruction: 'Deploy it with deploy_chatflow first, or set FLOWISE_REQUIRE_DEPLOYED=false to run undeployed flows too' },
  });
}
