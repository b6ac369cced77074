import { resolve } from 'node:path';
import { Failure } from '@millrace/kernel';
import { makeHome } from '@millrace/storage';
import type { DocumentsFolder } from '@millrace/toolset';
import { writeDotEnv } from '../../config/dot-env.ts';
import type { Configuration } from '../../configuration.ts';
import { assistants } from '../../connect/assistants.ts';
import { type KnownToolset, toolsets } from '../../toolsets.ts';
import { sayFailure } from '../failure.ts';
import { type Answers, answersOf, askedAnswers, type Situation } from '../init/answers.ts';
import { Questions } from '../questions.ts';
import type { CommandContext } from '../server-command.ts';
import { ofToolset } from '../toolset-commands.ts';
import { connect, launchFor } from './connect.ts';
import { run as runDoctor } from './doctor.ts';
import { engineCall, engines } from './engine.ts';

/** Asks everything first and changes things afterwards, so that stopping halfway changes nothing. */
export async function run(context: CommandContext): Promise<number> {
  const { terminal, line } = context;
  const configuration = context.configuration();
  makeHome(configuration.home);
  const situation = await situationOf(configuration);
  terminal.say(`Millrace keeps its data in ${configuration.home}, and your files and settings in ${configuration.workspace}.`);
  const answers = line.input.values.yes === true ? answersOf(line.input, situation) : await asked(context, situation);
  const problems = await apply(context, configuration, answers);
  terminal.say('\nWhat the doctor found:\n');
  const health = await runDoctor(context);
  return problems > 0 ? 1 : health;
}

async function asked({ terminal, line }: CommandContext, situation: Situation): Promise<Answers> {
  if (!terminal.interactive) {
    throw new Failure('invalid_input', 'The guided set-up asks questions, and this is not a terminal', {
      fix: { instruction: 'Use flags instead', command: 'init --yes --docs <folder>' },
    });
  }
  const questions = new Questions(process.stdin, process.stderr);
  try {
    return await askedAnswers(line.input, situation, questions, terminal);
  } finally {
    questions.close();
  }
}

async function situationOf(configuration: Configuration): Promise<Situation> {
  const { home, environment, workingDirectory } = configuration;
  const offered = [...(await engines())].map(async ([name, { offer }]) =>
    offer && !(await offer.isInstalled(home)) ? [{ name, notice: `${offer.purpose}\n${offer.notice}` }] : [],
  );
  return {
    docs: await (await documents())?.folder.current(configuration),
    environment,
    offered: (await Promise.all(offered)).flat(),
    assistants: assistants(environment),
    workingDirectory,
  };
}

/** The toolset that answers from documents. */
async function documents(): Promise<{ owner: KnownToolset; folder: DocumentsFolder } | undefined> {
  const owner = toolsets.find((toolset) => toolset.documents);
  const folder = await owner?.documents?.();
  return owner && folder && { owner, folder };
}

/** Applies the answers one by one. If one fails, it explains why and continues. Returns the number of problems. */
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
  await step(() => setDocuments(context, answers.docs));
  if (Object.keys(answers.secrets).length > 0) {
    await step(() => terminal.say(`Saved in ${writeDotEnv(workspace, answers.secrets)}: ${Object.keys(answers.secrets).join(', ')}.`));
  }
  const known = await engines();
  for (const name of answers.engines) await step(() => known.get(name)?.add(engineCall(context)));
  if (answers.index) await step(() => indexDocuments(context));
  for (const { client, file } of answers.connect) await step(() => connect(context, client, file, launchFor(context.configuration())));
  return problems;
}

async function setDocuments({ terminal, configuration }: CommandContext, docs: string | undefined): Promise<void> {
  const found = await documents();
  if (docs === undefined || !found) return;
  const file = found.folder.set(configuration().workspace, docs);
  terminal.say(`Documents: ${docs} (in ${file}).`);
  const variable = found.owner.settings.environment.docs ?? '';
  const other = configuration().environment[variable];
  if (other && resolve(other) !== docs)
    terminal.say(`${variable} is set to another folder, ${other}, and is used instead: remove it to use the new one.`);
}

async function indexDocuments(context: CommandContext): Promise<void> {
  const found = await documents();
  if (!found || (await found.folder.current(context.configuration())) === undefined) return;
  const { owner, folder } = found;
  const command = (await owner.commands?.())?.find(({ name }) => name === folder.command);
  if (!command) return;
  const index = ofToolset(owner.name, command, `${owner.commandGroup?.word ?? owner.name} ${command.name}`);
  const { run: runIndex } = await index.load();
  const line = { ...context.line, command: index, input: { positionals: [], values: {} } };
  const code = await runIndex({ ...context, line });
  if (code !== 0)
    throw new Failure('storage', 'The documents were not indexed', { fix: { instruction: 'Try again', command: index.name } });
}
