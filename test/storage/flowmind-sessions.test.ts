import type { Store } from '@millrace/storage';
import { expect, test } from 'vitest';
import { type FlowmindTables, sessionMigrations } from '../../toolsets/flowmind/migrations.ts';
import { flowmind, workshop } from '../../toolsets/flowmind/testing/fixture.ts';
import { verifies } from '../requirements.ts';
import { onEachDatabase } from './databases.ts';

const FLOW = `
metadata: {id: flow, description: x}
flow:
  - step: Think
    instruction: "Think, \${name}"
    store_as: thought
  - call: note_down
    with: {text: "after \${thought}"}
  - persist_state: {key: last, value: "\${thought}"}
  - step: Again
  - restore_state: {key: last, into: last}
  - return: "\${last}"
`;

onEachDatabase('sessions', (database) => {
  const replica = async () => {
    const { store } = await database().open({ migrations: sessionMigrations });
    const { toolset, done } = workshop();
    const flow = await flowmind({
      contexts: [FLOW],
      toolsets: [toolset],
      store: store as unknown as Store<FlowmindTables>,
      now: () => database().clock.now(),
    });
    return { ...flow, done };
  };

  verifies('flowmind-execute-session-durable', 'continue in another replica, with any text in them', async () => {
    const [one, two] = [await replica(), await replica()];
    const name = "O'Neil \u0000 \ud83d\ude00 \ud800 '; DROP TABLE flowmind_sessions --";
    const begun = await one.run('workflow://flow', { initial_variables: { name } });
    expect(begun.status).toBe('awaiting_step');
    const parameters = { workflow_uri: 'workflow://flow', session_id: begun.session_id };
    const next = await two.result('execute_workflow', {
      ...parameters,
      step_result: { question_id: begun.question?.id, value: 'x \u0000' },
    });
    expect(next).toMatchObject({ status: 'awaiting_step', current_step: 'Again' });
    const ended = await one.result('execute_workflow', { ...parameters, step_result: { question_id: next.question?.id, value: 'y' } });
    expect(ended).toMatchObject({ status: 'completed', output: 'x \u0000' });
    expect([one.done, two.done]).toEqual([[], ['after x \u0000']]);
    expect((await two.services.sessions.trace(begun.session_id))?.lines.map((line) => line.kind)).toEqual([
      'started',
      'asked',
      'answered',
      'began',
      'done',
      'asked',
      'answered',
      'done',
    ]);
  });

  test('make one transition when two replicas are answered at once', async () => {
    const [one, two] = [await replica(), await replica()];
    for (let round = 0; round < 10; round++) {
      const begun = await one.run('workflow://flow');
      const parameters = {
        workflow_uri: 'workflow://flow',
        session_id: begun.session_id,
        step_result: { question_id: begun.question?.id, value: `r${round}` },
      };
      const replies = await Promise.all([one.result('execute_workflow', parameters), two.result('execute_workflow', parameters)]);
      expect(replies.map((reply) => reply.session_id)).toEqual([begun.session_id, begun.session_id]);
      expect([...one.done, ...two.done].filter((line) => line === `after r${round}`)).toHaveLength(1);
    }
  });

  test('that ended are forgotten after 90 days; those that wait for a person are kept', async () => {
    const one = await replica();
    const ended = await one.run('workflow://flow');
    await one.services.sessions.cancel(ended.session_id);
    const open = await one.run('workflow://flow');
    await one.services.sessions.recover();
    expect(await one.services.sessions.trace(ended.session_id)).toBeDefined();
    database().clock.advance(91 * 24 * 60 * 60 * 1000);
    await one.services.sessions.recover();
    expect(await one.services.sessions.trace(ended.session_id)).toBeUndefined();
    expect((await one.services.sessions.list({ limit: 10 })).map((session) => session.id)).toEqual([open.session_id]);
    const shown = await one.result('execute_workflow', { workflow_uri: 'workflow://flow', session_id: open.session_id });
    await one.result('execute_workflow', {
      workflow_uri: 'workflow://flow',
      session_id: open.session_id,
      step_result: { question_id: shown.question?.id, value: 'late' },
    });
    expect(one.done).toContain('after late');
  });

  test('composed workflows are kept per user', async () => {
    const [one, two] = [await replica(), await replica()];
    const composed = {
      name: 'both',
      flow_type: 'sequential',
      components: [
        { uri: 'workflow://flow', role: 'primary' },
        { uri: 'tool://workshop/note-down', role: 'support', configuration: { text: 'x' } },
      ],
    };
    await one.result('compose_workflow', composed);
    await one.result('compose_workflow', { ...composed, description: 'again' });
    expect(await two.run('workflow://both')).toMatchObject({ status: 'awaiting_step' });
  });
});
