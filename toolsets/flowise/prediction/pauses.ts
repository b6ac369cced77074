import type { Call } from '@millrace/kernel';
import { z } from 'zod';
import { quoted } from '../flow/findings.ts';
import type { Pause, RunResult } from './result.ts';

const LONGEST_QUESTION = 2_000;
const MOST_ROUNDS = 20;

/** A person's decision at a pause, in Flowise's format. */
interface HumanInput {
  type: 'proceed' | 'reject';
  startNodeId: string;
  feedback: string;
}

type Asking = Pick<Call<unknown>, 'ask' | 'once'>;
type RunOnce = (humanInput?: { chatId: string; humanInput: HumanInput }) => Promise<RunResult>;

/** Runs a flow to its end, asking a person wherever it stops for one. */
export async function runThroughPauses(call: Asking, run: RunOnce): Promise<RunResult> {
  let result = await firstRun(call, run);
  for (let round = 1; result.pause && round <= MOST_ROUNDS; round++) {
    const { pause, chatId } = result;
    const answer = await call.ask(questionOf(pause, result.text), answerTo(pause));
    const humanInput: HumanInput = { type: answer.decision, startNodeId: pause.nodeId, feedback: feedbackIn(answer) };
    result = await call.once(`resumed-${round}`, () => run({ chatId, humanInput }));
  }
  return result;
}

/** A run that does not pause leaves no journal behind: only a pause has to be remembered. */
async function firstRun(call: Asking, run: RunOnce): Promise<RunResult> {
  const finished = new Finished();
  try {
    return await call.once('run', async () => {
      const result = await run();
      if (result.pause) return result;
      finished.result = result;
      throw finished;
    });
  } catch (error) {
    if (error === finished && finished.result) return finished.result;
    throw error;
  }
}

class Finished extends Error {
  result: RunResult | undefined;
}

function questionOf(pause: Pause, text: string): string {
  const asked = text.trim().slice(0, LONGEST_QUESTION);
  return `The flow waits at ${quoted(pause.label)} for a decision. It says: ${asked || '(nothing)'}`;
}

function answerTo({ wantsFeedback }: Pause) {
  const decision = z.enum(['proceed', 'reject']).describe('Let the flow continue, or send it the other way');
  const plain = z.object({ decision });
  return wantsFeedback ? plain.extend({ feedback: z.string().optional().describe('A word to the flow about the decision') }) : plain;
}

function feedbackIn(answer: object): string {
  return 'feedback' in answer && typeof answer.feedback === 'string' ? answer.feedback : '';
}
