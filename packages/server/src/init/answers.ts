import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type CommandInput, Failure, nearest, type Terminal } from '@millrace/kernel';
import type { Questions } from '../cli/questions.ts';
import type { Assistant } from '../connect/assistants.ts';

/** What is to be set up; undefined leaves a thing as it is. */
export interface Answers {
  docs: string | undefined;
  /** Variables for the .env of the workspace. */
  secrets: Record<string, string>;
  engine: boolean;
  index: boolean;
  connect: Assistant[];
}

/** How things are before anything is asked. */
export interface Situation {
  docs: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  engineInstalled: boolean;
  engineNotice: string;
  assistants: Assistant[];
  workingDirectory: string;
}

const SERVICES = [
  {
    title: 'Flowise',
    flags: ['flowise-url', 'flowise-key'],
    variables: ['FLOWISE_API_URL', 'FLOWISE_API_KEY'],
    example: 'http://localhost:3000',
  },
  { title: 'n8n', flags: ['n8n-url', 'n8n-key'], variables: ['N8N_API_URL', 'N8N_API_KEY'], example: 'http://localhost:5678' },
] as const;

/** The flags, and the defaults where there is none. */
export function answersOf({ values }: CommandInput, situation: Situation): Answers {
  const text = (flag: string) => values[flag] as string | undefined;
  const docs = text('docs');
  return {
    docs: docs === undefined ? undefined : folder(docs, situation.workingDirectory),
    secrets: Object.fromEntries(
      SERVICES.flatMap(({ flags, variables }) =>
        flags.flatMap((flag, index) => {
          const value = text(flag);
          return value === undefined ? [] : [[variables[index] as string, index === 0 ? address(value, `--${flag}`) : value]];
        }),
      ),
    ),
    engine: values.engine === true,
    index: values.index !== false,
    connect: chosen(text('connect'), situation.assistants),
  };
}

/** The same, asked for one by one; what a flag has answered is not asked. */
export async function askedAnswers(input: CommandInput, situation: Situation, questions: Questions, terminal: Terminal): Promise<Answers> {
  const { values } = input;
  const given = answersOf({ ...input, values: { connect: 'none', ...values } }, situation);
  const docs = given.docs ?? (await askForFolder(situation, questions, terminal));
  const secrets = { ...given.secrets, ...(await askForServices(given.secrets, situation, questions, terminal)) };
  const engine = values.engine === undefined ? await askForEngine(situation, questions, terminal) : given.engine;
  const connect = values.connect === undefined ? await askForAssistants(situation, questions, terminal) : given.connect;
  const hasDocuments = (docs ?? situation.docs) !== undefined;
  const index = given.index && hasDocuments && (await questions.confirm('Index the documents now?', true));
  return { docs, secrets, engine, index, connect };
}

async function askForFolder(situation: Situation, questions: Questions, terminal: Terminal): Promise<string | undefined> {
  terminal.say('\nDocuments: a folder with Markdown, text, PDF or Word files that your assistant may search. Enter leaves this as it is.');
  for (;;) {
    const typed = await questions.text('Folder', situation.docs ?? '');
    if (typed === '' || typed === situation.docs) return undefined;
    try {
      return folder(typed, situation.workingDirectory);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      terminal.say(error.message);
    }
  }
}

async function askForServices(
  given: Record<string, string>,
  { environment }: Situation,
  questions: Questions,
  terminal: Terminal,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { title, variables, example } of SERVICES) {
    const [urlName, keyName] = variables;
    if (given[urlName] !== undefined) continue;
    terminal.say(`\n${title}: the address of yours, such as ${example}. Enter leaves this as it is.`);
    const url = await askForAddress(environment[urlName] ?? '', questions, terminal);
    if (url === undefined) continue;
    if (url !== environment[urlName]) found[urlName] = url;
    const key = given[keyName] ?? (await questions.secret(`API key${environment[keyName] ? ', Enter keeps the one you have' : ''}`));
    if (key !== '') found[keyName] = key;
  }
  return found;
}

async function askForAddress(current: string, questions: Questions, terminal: Terminal): Promise<string | undefined> {
  for (;;) {
    const typed = await questions.text('Address', current);
    if (typed === '') return undefined;
    try {
      return address(typed, 'The address');
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      terminal.say(error.message);
    }
  }
}

async function askForEngine({ engineInstalled, engineNotice }: Situation, questions: Questions, terminal: Terminal): Promise<boolean> {
  if (engineInstalled) return false;
  terminal.say(`\nThe n8n engine checks and runs workflows on this machine, without an n8n server.\n${engineNotice}`);
  return questions.confirm('Install it now?', false);
}

async function askForAssistants({ assistants }: Situation, questions: Questions, terminal: Terminal): Promise<Assistant[]> {
  const found = assistants.filter(({ installed }) => installed);
  terminal.say(found.length === 0 ? '\nNo assistant was found on this machine.' : '\nAssistants on this machine:');
  const connect: Assistant[] = [];
  for (const assistant of found) {
    const again = assistant.file.connection().state === 'connected' ? ' again' : '';
    if (await questions.confirm(`Connect ${assistant.client.title}${again}?`, true)) connect.push(assistant);
  }
  return connect;
}

function chosen(names: string | undefined, assistants: Assistant[]): Assistant[] {
  if (names === undefined || names === 'all') return assistants.filter(({ installed }) => installed);
  if (names === 'none') return [];
  return names.split(',').map((written) => {
    const name = written.trim();
    const found = assistants.find((assistant) => assistant.name === name);
    if (found) return found;
    const known = assistants.map((assistant) => assistant.name);
    const [suggestion] = nearest(name, known, 1);
    throw new Failure('invalid_input', `"${name}" is not an assistant that Millrace knows`, {
      fix: { instruction: suggestion ? `Did you mean ${suggestion}?` : `Use all, none or some of: ${known.join(', ')}` },
    });
  });
}

function folder(typed: string, workingDirectory: string): string {
  const path = resolve(
    workingDirectory,
    typed.replace(/^~(?=$|[\\/])/, () => homedir()),
  );
  if (existsSync(path) && statSync(path).isDirectory()) return join(path);
  throw new Failure('invalid_input', `${path} is not a folder`, { fix: { instruction: 'Name a folder that exists' } });
}

function address(typed: string, what: string): string {
  if (URL.canParse(typed) && /^https?:\/\//.test(typed)) return typed;
  throw new Failure('invalid_input', `${what} must begin with http:// or https://, not "${typed.slice(0, 100)}"`);
}
