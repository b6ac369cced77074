import type { Check } from '@millrace/kernel';
import type { Environment } from '../config/load.ts';
import { type Assistant, assistants } from '../connect/assistants.ts';
import { startProblem } from '../connect/starts.ts';

/** Which assistants are connected, and whether their server still starts. */
export async function assistantChecks(environment: Environment): Promise<Check[]> {
  const known = assistants(environment);
  const checks = (await Promise.all(known.map((assistant) => checkOf(assistant, environment)))).filter((check) => check !== undefined);
  if (checks.some(({ state }) => state !== 'optional')) return checks;
  return [
    ...checks,
    { name: 'assistants', state: 'optional', detail: 'none is connected', fix: { instruction: 'Connect one', command: 'connect' } },
  ];
}

async function checkOf({ name, client, file, installed }: Assistant, environment: Environment): Promise<Check | undefined> {
  const connection = file.connection();
  const again = { instruction: 'Connect it again', command: `connect ${name} --write` };
  switch (connection.state) {
    case 'unreadable': {
      const fix = { instruction: `Correct ${file.path}` };
      return { name: client.title, state: 'broken', detail: `its configuration cannot be read: ${connection.reason}`, fix };
    }
    case 'absent':
      if (!installed) return undefined;
      return { name: client.title, state: 'optional', detail: 'installed, not connected', fix: { ...again, instruction: 'Connect it' } };
    case 'connected': {
      if (!connection.launch) return { name: client.title, state: 'ok', detail: 'connected over HTTP' };
      const problem = await startProblem(connection.launch, environment);
      if (problem === undefined) return { name: client.title, state: 'ok', detail: 'connected, and its server starts' };
      return { name: client.title, state: 'broken', detail: `connected, but its server does not start: ${problem}`, fix: again };
    }
  }
}
