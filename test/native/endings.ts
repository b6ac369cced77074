import { randomUUID } from 'node:crypto';
import type { Answer } from '../harness/process.ts';
import type { Ended, Lane, Running } from './lane.ts';

export interface Outcome {
  ended: Ended;
  /** What was not as it should be. */
  problems: string[];
}

type Ending = (lane: Lane) => Promise<Outcome>;

const BROKEN_OFF = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** All ways to end a program while its model runs. */
export const endings: [name: string, ending: Ending][] = [
  ['a server that indexes gets SIGTERM', indexing((server) => server.signalled('SIGTERM'), 143)],
  ['a server that indexes gets SIGINT', indexing((server) => server.signalled('SIGINT'), 130)],
  ['the client of a server that indexes closes stdin', indexing((server) => server.closed(), 1)],
  ['the client of a server that indexes is killed', indexing(clientKilled, 1)],
  ['a server that indexes is killed', indexing((server) => server.signalled('SIGKILL'), 'SIGKILL')],
  ['an index run is cancelled', cancelled],
  ['the process of the model is killed', modelKilled],
  ['flowrag index gets SIGTERM', commandSignalled('SIGTERM')],
  ['flowrag index gets SIGINT', commandSignalled('SIGINT')],
  ['flowrag index gets SIGHUP', commandSignalled('SIGHUP')],
  ['flowrag search ends by itself', searched],
  ['a server that answers field_request gets SIGTERM', requested],
];

function expected(ended: Ended, wanted: number | NodeJS.Signals): string[] {
  const end = ended.signal ?? ended.code;
  return end === wanted ? [] : [`it ended with ${end} instead of ${wanted}: ${ended.stderr.slice(-500)}`];
}

function index(server: Running): Promise<Answer> {
  return server.program.callTool('flowrag_index', { force: true });
}

function indexing(end: (server: Running) => Promise<Ended>, wanted: number | NodeJS.Signals): Ending {
  return async (lane) => {
    const server = lane.server();
    void index(server);
    await server.atWork();
    const ended = await end(server);
    return { ended, problems: expected(ended, wanted) };
  };
}

/** A killed process closes all of its pipes at once. */
function clientKilled(server: Running): Promise<Ended> {
  const { stdin, stdout } = server.program.child;
  return server.endedBy(() => {
    stdin.destroy();
    stdout.destroy();
  });
}

async function cancelled(lane: Lane): Promise<Outcome> {
  const server = lane.server();
  void index(server);
  await server.atWork();
  server.program.notify('notifications/cancelled', { requestId: 1 });
  const problems = await stillSearches(server);
  const ended = await server.closed();
  return { ended, problems: [...problems, ...expected(ended, 0)] };
}

async function modelKilled(lane: Lane): Promise<Outcome> {
  const server = lane.server();
  const answer = index(server);
  await server.atWork();
  // One that has nothing to do at this moment is replaced without a word.
  const kills = setInterval(() => server.killSessions(), 100);
  const failed = textOf(await answer);
  clearInterval(kills);
  const problems = failed.includes('ended unexpectedly (ended by SIGKILL)') ? [] : [`the index answered: ${failed}`];
  problems.push(...(await stillSearches(server)));
  const ended = await server.closed();
  return { ended, problems: [...problems, ...expected(ended, 0)] };
}

async function stillSearches(server: Running): Promise<string[]> {
  const answer = await server.program.callTool('flowrag_search', { query: 'billing of orders' });
  return answer.result && !answer.result.isError ? [] : [`a later search answered: ${textOf(answer)}`];
}

function commandSignalled(signal: keyof typeof BROKEN_OFF): Ending {
  return async (lane) => {
    const command = lane.flowrag('index', '--force');
    await command.atWork();
    const ended = await command.signalled(signal);
    return { ended, problems: expected(ended, BROKEN_OFF[signal]) };
  };
}

async function searched(lane: Lane): Promise<Outcome> {
  const command = lane.flowrag('search', 'billing of orders');
  await command.atWork();
  const ended = await command.endedBy(() => {});
  return { ended: { ...ended, ms: 0 }, problems: expected(ended, 0) };
}

/** A call that could still be answered was not broken off. */
async function requested(lane: Lane): Promise<Outcome> {
  const server = lane.server();
  // New words: the vector of a request that is already known would not be computed again.
  const query = `Remind me to pay invoice ${randomUUID()} of the caterer.`;
  const answer = server.program.callTool('field_request', { query, confidence_level: 0.8 });
  await server.atWork();
  const ended = await server.signalled('SIGTERM');
  const answered = (await answer).result?.isError !== true && (await answer).result !== undefined;
  return { ended, problems: expected(ended, answered ? 0 : 143) };
}

function textOf({ result, error }: Answer): string {
  const [content] = (result?.content ?? []) as { text?: string }[];
  return content?.text ?? error?.message ?? 'nothing';
}
