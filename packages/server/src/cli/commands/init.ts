import { join } from 'node:path';
import { CONFIGURATION_FILE, flowragCommands, readConfiguration } from '@millrace/flowrag';
import { Failure } from '@millrace/kernel';
import { makeHome } from '@millrace/storage';
import { writeDotEnv } from '../../config/dot-env.ts';
import type { Configuration } from '../../configuration.ts';
import { assistants } from '../../connect/assistants.ts';
import { type Answers, answersOf, askedAnswers, type Situation } from '../../init/answers.ts';
import { writeDocumentsFolder } from '../../init/documents.ts';
import { sayFailure } from '../failure.ts';
import { Questions } from '../questions.ts';
import type { CommandContext } from '../server-command.ts';
import { ofToolset } from '../toolset-commands.ts';
import { connect, launchFor } from './connect.ts';
import { run as runDoctor } from './doctor.ts';
import { addN8n } from './engine.ts';

/** Asks everything first and changes things afterwards, so that stopping in between loses nothing. */
export async function run(context: CommandContext): Promise<number> {
  const { terminal, line } = context;
  const configuration = context.configuration();
  makeHome(configuration.home);
  const situation = await situationOf(configuration);
  terminal.say(`Millrace keeps its data in ${configuration.home}, and your files and settings in ${configuration.workspace}.`);
  const answers = line.input.values.yes === true ? answersOf(line.input, situation) : await asked(context, situation);
  const problems = await apply(context, configuration, answers);
  terminal.say('\nThe doctor says:\n');
  const health = await runDoctor(context);
  return problems > 0 ? 1 : health;
}

async function asked({ terminal, line }: CommandContext, situation: Situation): Promise<Answers> {
  if (!terminal.interactive) {
    throw new Failure('invalid_input', 'The guided set-up asks questions, and this is not a terminal', {
      fix: { instruction: 'Answer with flags', command: 'init --yes --docs <folder>' },
    });
  }
  const questions = new Questions(process.stdin, process.stderr);
  try {
    return await askedAnswers(line.input, situation, questions, terminal);
  } finally {
    questions.close();
  }
}

async function situationOf({ home, workspace, environment, workingDirectory }: Configuration): Promise<Situation> {
  const { licenceNotice, packStatus, PINNED_VERSION } = await import('@millrace/n8n/pack');
  const { docs } = await readConfiguration({ workingFolder: workingDirectory, home: workspace });
  return {
    docs,
    environment,
    engineInstalled: (await packStatus(home)).installed.length > 0,
    engineNotice: licenceNotice(PINNED_VERSION),
    assistants: assistants(environment),
    workingDirectory,
  };
}

/** Does one thing after the other; what cannot be done is explained, and the rest is done all the same. Answers the number of problems. */
async function apply(context: CommandContext, configuration: Configuration, answers: Answers): Promise<number> {
  const { terminal } = context;
  const { workspace } = configuration;
  let problems = 0;
  const step = async (work: () => unknown) => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      problems += 1;
      sayFailure('init', error, terminal);
    }
  };
  terminal.say('');
  if (answers.docs !== undefined) await step(() => setDocuments(context, workspace, answers.docs as string));
  if (Object.keys(answers.secrets).length > 0) {
    await step(() => terminal.say(`Saved in ${writeDotEnv(workspace, answers.secrets)}: ${Object.keys(answers.secrets).join(', ')}.`));
  }
  if (answers.engine) await step(() => addN8n(context));
  if (answers.index) await step(() => indexDocuments(context));
  for (const { client, file } of answers.connect) await step(() => connect(context, client, file, launchFor(context.configuration())));
  return problems;
}

function setDocuments({ terminal }: CommandContext, workspace: string, docs: string): void {
  const path = join(workspace, CONFIGURATION_FILE);
  writeDocumentsFolder(path, docs);
  terminal.say(`Documents: ${docs} (in ${path}).`);
}

async function indexDocuments(context: CommandContext): Promise<void> {
  const { workspace, workingDirectory } = context.configuration();
  const { docs } = await readConfiguration({ workingFolder: workingDirectory, home: workspace });
  const command = flowragCommands.find(({ name }) => name === 'index');
  if (docs === undefined || !command) return;
  const index = ofToolset('flowrag', command, 'flowrag index');
  const { run: runIndex } = await index.load();
  const line = { ...context.line, command: index, input: { positionals: [], values: {} } };
  const code = await runIndex({ ...context, line });
  if (code !== 0)
    throw new Failure('storage', 'The documents were not indexed', { fix: { instruction: 'Try again', command: 'flowrag index' } });
}
