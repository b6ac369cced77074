import { expect, test } from 'vitest';
import { flowmind, memoryStore, workshop } from '../testing/fixture.ts';

const NOTES = `
metadata: {id: notes, description: Writes two notes}
flow:
  - step: Think
    instruction: Think about it
    store_as: thought
  - call: note_down
    with: {text: "after \${thought}"}
  - step: Think again
    instruction: Think once more
  - return: done
`;

test('a long run answers that it is still running, and another call attaches to it', async () => {
  const { toolset, done, gate } = workshop();
  let open = () => {};
  gate.open = new Promise<void>((resolve) => {
    open = resolve;
  });
  const { run, result } = await flowmind({
    contexts: ['{metadata: {id: long, description: x}, flow: [{call: work_long, with: {text: it}}, {return: done}]}'],
    toolsets: [toolset],
    patienceMs: 50,
  });
  const begun = await run('workflow://long', { execution_mode: 'autonomous' });
  expect(begun).toMatchObject({ status: 'paused', reason: 'running', next_action: { parameters: { session_id: begun.session_id } } });
  const parameters = { workflow_uri: 'workflow://long', session_id: begun.session_id };
  expect(await result('execute_workflow', parameters)).toMatchObject({ status: 'paused', reason: 'running' });
  const attached = result('execute_workflow', parameters);
  open();
  expect(await attached).toMatchObject({ status: 'completed', output: 'done' });
  expect(done).toEqual(['began it', 'ended it']);
});

test('an autonomous run that ended with its process is resumed by the next one', async () => {
  const store = await memoryStore();
  const generator = (generate: () => Promise<never>) => ({ provider: 'test', model: 'test', generate });
  const never = generator(() => new Promise<never>(() => {}));
  const first = await flowmind({ contexts: [NOTES], toolsets: [workshop().toolset], store, generator: never, patienceMs: 20 });
  const begun = await first.run('workflow://notes', { execution_mode: 'autonomous' });
  expect(begun).toMatchObject({ status: 'paused', reason: 'running' });
  const prompt = generator(async () => ({ value: { answer: 'thought', confidence: 1 }, tokens: { input: 1, output: 1 } }) as never);
  await first.services.sessions.close();
  const { toolset, done } = workshop();
  const second = await flowmind({ contexts: [], toolsets: [toolset], store, generator: prompt });
  await expect.poll(() => second.services.sessions.recover()).toBe(1);
  await expect.poll(async () => (await second.services.sessions.list({ limit: 1 }))[0]?.status).toBe('completed');
  expect(done).toEqual(['after thought']);
});
