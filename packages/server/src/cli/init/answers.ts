import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type CommandInput, Failure, nearest, type Terminal } from '@millrace/kernel';
import type { Assistant } from '../../connect/assistants.ts';
import { toolsets } from '../../toolsets.ts';
import type { Questions } from '../questions.ts';

/** What to set up; undefined leaves a setting as is. */
export interface Answers {
  docs: string | undefined;
  /** Variables for the .env of the workspace. */
  secrets: Record<string, string>;
  /** Engines to install. */
  engines: string[];
  index: boolean;
  connect: Assistant[];
}

/** The state before the first question. */
export interface Situation {
  docs: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  /** Engines that can be installed. */
  offered: readonly { name: string; notice: string }[];
  assistants: Assistant[];
  workingDirectory: string;
}

/** A server that a toolset talks to: the flags of `init` that name it, and the variables that store them. */
export interface Service {
  title: string;
  example: string;
  flags: readonly [url: string, key: string];
  variables: readonly [url: string, key: string];
}

export const SERVICES: readonly Service[] = toolsets
  .flatMap(({ name, access, settings: { environment } }): Service[] =>
    access && environment.apiUrl !== undefined && environment.apiKey !== undefined
      ? [{ ...access, flags: [`${name}-url`, `${name}-key`], variables: [environment.apiUrl, environment.apiKey] }]
      : [],
  )
  .sort((a, b) => a.title.localeCompare(b.title));

/** The flags, with defaults for those not given. */
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
    engines: values.engine === true ? situation.offered.map(({ name }) => name) : [],
    index: values.index !== false,
    connect: chosen(text('connect'), situation.assistants),
  };
}

/** The same, asked one by one; a flag replaces its question. */
export async function askedAnswers(input: CommandInput, situation: Situation, questions: Questions, terminal: Terminal): Promise<Answers> {
  const { values } = input;
  const given = answersOf({ ...input, values: { connect: 'none', ...values } }, situation);
  const docs = given.docs ?? (await askForFolder(situation, questions, terminal));
  const secrets = { ...given.secrets, ...(await askForServices(given.secrets, situation, questions, terminal)) };
  const engines = values.engine === undefined ? await askForEngines(situation, questions, terminal) : given.engines;
  const connect = values.connect === undefined ? await askForAssistants(situation, questions, terminal) : given.connect;
  const hasDocuments = (docs ?? situation.docs) !== undefined;
  const index = given.index && hasDocuments && (await questions.confirm('Index the documents now?', true));
  return { docs, secrets, engines, index, connect };
}

async function askForFolder(situation: Situation, questions: Questions, terminal: Terminal): Promise<string | undefined> {
  terminal.say(
    '\nDocuments: a folder with Markdown, text, PDF or Word files that your assistant may search. Press Enter to leave this as is.',
  );
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
    terminal.say(`\n${title}: your address, such as ${example}. Press Enter to leave this as is.`);
    const url = await askForAddress(environment[urlName] ?? '', questions, terminal);
    if (url === undefined) continue;
    if (url !== environment[urlName]) found[urlName] = url;
    const key =
      given[keyName] ?? (await questions.secret(`API key${environment[keyName] ? ', or press Enter to keep the current one' : ''}`));
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

async function askForEngines({ offered }: Situation, questions: Questions, terminal: Terminal): Promise<string[]> {
  const wanted: string[] = [];
  for (const { name, notice } of offered) {
    terminal.say(`\n${notice}`);
    if (await questions.confirm('Install it now?', false)) wanted.push(name);
  }
  return wanted;
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
