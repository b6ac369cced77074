import type { TurnResult } from '@millrace/agent';
import { Failure, type User } from '@millrace/kernel';
import { openAgent } from '../../agent-assembly.ts';
import { type AgentChoice, agentChoice, toolsetsFor } from '../../agent-settings.ts';
import { ChatTerminal, harmless } from '../../agent-terminal.ts';
import { compose } from '../../compose.ts';
import { createLog } from '../../log.ts';
import type { CommandContext } from '../server-command.ts';

interface Question {
  message: string | undefined;
  conversation: string | undefined;
  json: boolean;
}

/** One answer with -m or --retry, otherwise a conversation in the terminal. */
export async function run(context: CommandContext): Promise<number> {
  const { values } = context.line.input;
  const given = context.configuration();
  const choice = agentChoice(given);
  const configuration = { ...given, core: { ...given.core, toolsets: toolsetsFor(choice, given) } };
  const log = createLog(configuration.core.logLevel === 'info' ? 'error' : configuration.core.logLevel);
  const millrace = await compose({ configuration, log });
  const agent = await openAgent(millrace, configuration, log);
  const { signal } = context.terminal;
  try {
    const user = await millrace.identity.identify({ kind: 'local' });
    const conversation = values.conversation as string | undefined;
    if (values.message === undefined && values.retry !== true) {
      return await ChatTerminal.run({
        agent,
        user,
        conversation,
        signal,
        model: nameOf(choice),
        input: process.stdin,
        output: process.stdout,
      });
    }
    const message = values.retry === true ? undefined : await messageOf(String(values.message));
    return await answerOnce(context, agent, user, { message, conversation, json: values.json === true });
  } finally {
    await agent.close();
    await millrace.close();
  }
}

function nameOf({ model }: AgentChoice): string {
  return model === 'rules' ? 'without a language model: todos only' : `${model.provider}${model.model ? `, ${model.model}` : ''}`;
}

/** A dash reads stdin, for messages that are too long for a command line. */
async function messageOf(given: string): Promise<string> {
  if (given !== '-') return given;
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function answerOnce(
  context: CommandContext,
  agent: Awaited<ReturnType<typeof openAgent>>,
  user: User,
  question: Question,
): Promise<number> {
  const { terminal } = context;
  try {
    const { message, conversation } = question;
    const result = await agent.turn({ user, message, conversation, signal: terminal.signal });
    const retry = `\nYour message is saved. To try again: ${terminal.program} chat --conversation ${result.conversation} --retry`;
    const reply = result.mayPass ? result.reply + retry : result.reply;
    terminal.out(question.json ? JSON.stringify(asJson({ ...result, reply })) : harmless(reply));
    return result.status === 'done' ? 0 : 1;
  } catch (error) {
    if (!(error instanceof Failure) || !question.json) throw error;
    const reply = `${error.message}.${error.fix ? ` ${error.fix.instruction}.` : ''}`;
    terminal.out(JSON.stringify({ conversation: question.conversation ?? null, reply, tool_calls: [] }));
    return 1;
  }
}

function asJson({ conversation, reply, toolCalls }: TurnResult) {
  return { conversation, reply, tool_calls: toolCalls };
}
