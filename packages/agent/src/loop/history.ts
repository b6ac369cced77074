import type { ModelMessage } from 'ai';
import { INTERRUPTED_ANSWER } from '../chat-model.ts';
import type { StoredCall, StoredMessage } from '../conversations/conversations.ts';
import type { ToolOutput } from './turn-calls.ts';

const OUTPUT_BUDGET = 60_000;
const LEFT_OUT: ToolOutput = { type: 'text', value: '(omitted: long, and a while ago)' };
const NOT_DONE: ToolOutput = { type: 'json', value: { success: false, note: 'Not done: the answer was interrupted before this call.' } };

const CLOSING: Partial<Record<StoredMessage['status'], string>> = {
  cancelled: '(The person stopped this answer here.)',
  interrupted: INTERRUPTED_ANSWER,
  running: INTERRUPTED_ANSWER,
};

/** What was said and done before this turn, for the model, without old, long results. */
export function historyMessages(history: readonly StoredMessage[]): ModelMessage[] {
  const budget = { left: OUTPUT_BUDGET };
  return history
    .toReversed()
    .map((message) => messagesOf(message, budget))
    .toReversed()
    .flat();
}

function messagesOf(message: StoredMessage, budget: { left: number }): ModelMessage[] {
  if (message.role === 'user') return [{ role: 'user', content: message.text }];
  const messages = stepMessages(message, (call) => affordable(call, budget));
  const closing = message.status === 'failed' ? message.text : CLOSING[message.status];
  if (closing) messages.push({ role: 'assistant', content: closing });
  else if (messages.length === 0 && message.text !== '') messages.push({ role: 'assistant', content: message.text });
  return messages;
}

function affordable(call: StoredCall, budget: { left: number }): ToolOutput {
  const output = outputOfCall(call);
  budget.left -= JSON.stringify(output).length;
  return budget.left < 0 ? LEFT_OUT : output;
}

/** The steps of the turn that continues. */
export function turnMessages(answer: Pick<StoredMessage, 'steps' | 'calls'>): ModelMessage[] {
  return stepMessages(answer, outputOfCall);
}

function stepMessages(answer: Pick<StoredMessage, 'steps' | 'calls'>, outputOf: (call: StoredCall) => ToolOutput): ModelMessage[] {
  return answer.steps.flatMap((step, number) => {
    const said = { role: 'assistant', content: step.content } as ModelMessage;
    const calls = answer.calls.filter((call) => call.step === number);
    const results = calls.map((call) => ({
      type: 'tool-result' as const,
      toolCallId: call.callId,
      toolName: call.tool,
      output: outputOf(call),
    }));
    if (step.content.length === 0) return [];
    return results.length === 0 ? [said] : [said, { role: 'tool', content: results } as ModelMessage];
  });
}

function outputOfCall(call: StoredCall): ToolOutput {
  if (call.output !== undefined) return call.output as ToolOutput;
  return call.status === 'decided' ? NOT_DONE : unknownOutcome(call);
}

/** For a call that started, with no record of how it ended. */
export function unknownOutcome({ startedAt }: StoredCall): ToolOutput {
  return {
    type: 'json',
    value: {
      success: false,
      outcome: 'unknown',
      started_at: startedAt,
      note: 'The server stopped during this call: it may or may not have happened. Check before you repeat it, and tell the person if you cannot.',
    },
  };
}
