import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openFlowmind, workshop } from '../../harness/flowmind.ts';
import { user } from '../../harness/millrace.ts';
import { verifies } from '../../requirements.ts';

const GREETING = `
metadata: {id: greeting, description: Greets somebody}
variables:
  who: {type: string, required: true, description: Whom to greet}
flow:
  - step: Greet
    persona: You are a friendly host.
    instruction: "Greet \${who}"
    store_as: greeting
  - ask: "Was \${who} happy?"
    type: boolean
    store_as: happy
  - if: happy
    then: [{return: {text: "\${greeting}", ok: true}}]
    else: [{return: {ok: false}}]
`;

const NOTES = `
metadata: {id: notes, description: Writes two notes}
flow:
  - call: note_down
    with: {text: one}
    store_as: first
  - step: Think
    instruction: Think about it
  - call: note_down
    with: {text: two}
  - return: done
`;

verifies('flowmind-execute-uri-pattern', 'a workflow_uri of another pattern is refused', async () => {
  const { envelope } = await openFlowmind({ contexts: [GREETING] });
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc.webUrl(),
        fc.constantFrom('tool://todo/create-todo', 'workflow://UPPER', 'workflow://a//b', 'workflow://a/', 'workflow://'),
      ),
      async (uri) => {
        fc.pre(!/^(workflow|agent|pattern):\/\/[a-z0-9-]+(\/[a-z0-9-]+)*$/.test(uri));
        const reply = await envelope('execute_workflow', { workflow_uri: uri });
        expect(reply.success).toBe(false);
        expect(reply.error?.code).toBe('INVALID_ARGUMENTS');
      },
    ),
    { numRuns: 50 },
  );
  expect((await envelope('execute_workflow', {})).error?.message).toBe('workflow_uri is required');
});

verifies('flowmind-execute-unknown-uri', 'an unknown context offers the nearest ones', async () => {
  const { envelope } = await openFlowmind({ contexts: [GREETING] });
  const reply = await envelope('execute_workflow', { workflow_uri: 'workflow://greetings' });
  expect(reply).toMatchObject({
    success: false,
    error: {
      code: 'CONTEXT_NOT_FOUND',
      message: 'There is no context workflow://greetings',
      fix: { example: { workflow_uri: 'workflow://greeting' } },
    },
    guidance: { nearest: ['workflow://greeting'] },
  });
});

verifies('flowmind-execute-initial-variables', 'a session starts with any variables that it is given', async () => {
  const { run } = await openFlowmind({ contexts: [GREETING] });
  const given = { who: 'Ann', 'a key': [1, { b: null }], n: 0 };
  expect((await run('workflow://greeting', { initial_variables: given })).variables).toEqual(given);
});

verifies('flowmind-execute-mode-enum', 'the mode is one of three, and interactive when not given', async () => {
  const { envelope, run, services } = await openFlowmind({ contexts: [NOTES], toolsets: [workshop().toolset] });
  const wrong = await envelope('execute_workflow', { workflow_uri: 'workflow://notes', execution_mode: 'fast' });
  expect(wrong.error?.code).toBe('INVALID_ARGUMENTS');
  const { session_id } = await run('workflow://notes');
  expect((await services.sessions.trace(session_id))?.session.mode).toBe('interactive');
  for (const execution_mode of ['interactive', 'autonomous', 'step_confirm']) {
    const begun = await run('workflow://notes', { execution_mode });
    expect((await services.sessions.trace(begun.session_id))?.session.mode).toBe(execution_mode);
  }
});

verifies(
  ['flowmind-execute-interactive', 'flowmind-execute-result', 'flowmind-execute-continue'],
  'an interactive run pauses for a step and for an answer, and continues with them',
  async () => {
    const { run, answer } = await openFlowmind({ contexts: [GREETING] });
    const begun = await run('workflow://greeting', { initial_variables: { who: 'Ann' } });
    expect(begun).toEqual({
      session_id: expect.any(String),
      status: 'awaiting_step',
      reason: 'step',
      current_step: 'Greet',
      instruction: 'Greet "Ann"',
      context: {
        uri: 'workflow://greeting',
        name: 'Greeting',
        agent: null,
        persona: 'You are a friendly host.',
        deliverables: [],
        success_criteria: [],
        breadcrumbs: ['workflow://greeting'],
      },
      question: { id: expect.any(String), text: expect.any(String), schema: expect.any(Object) },
      variables: { who: 'Ann' },
      output: null,
      steps_done: 0,
      next_action: {
        tool: 'execute_workflow',
        parameters: {
          workflow_uri: 'workflow://greeting',
          session_id: begun.session_id,
          step_result: { question_id: begun.question?.id, value: expect.any(String) },
        },
      },
      error: null,
      notice: null,
    });
    const asked = await answer(begun, 'Hello Ann');
    expect(asked).toMatchObject({
      status: 'awaiting_answer',
      question: { text: 'Was Ann happy?', schema: { type: 'boolean' } },
      steps_done: 1,
    });
    const ended = await answer(asked, true);
    expect(ended).toMatchObject({
      status: 'completed',
      output: { text: 'Hello Ann', ok: true },
      steps_done: 2,
      question: null,
      next_action: null,
    });
  },
);

verifies('flowmind-execute-new-session', 'without a session_id, or with an empty one, a new session starts', async () => {
  const { run } = await openFlowmind({ contexts: [GREETING] });
  const given = { initial_variables: { who: 'Ann' } };
  const [first, second] = [await run('workflow://greeting', given), await run('workflow://greeting', { ...given, session_id: '' })];
  expect(first.session_id).toMatch(/^[0-9a-f-]{36}$/);
  expect(second.session_id).toMatch(/^[0-9a-f-]{36}$/);
  expect(first.session_id).not.toBe(second.session_id);
});

verifies('flowmind-execute-session-owner', "another user's session is answered as if it did not exist", async () => {
  const { run, envelope } = await openFlowmind({ contexts: [GREETING] });
  const [ann, bob] = [user('ann', 'advanced'), user('bob', 'advanced')];
  const mine = await run('workflow://greeting', { initial_variables: { who: 'x' } }, ann);
  const parameters = { workflow_uri: 'workflow://greeting', session_id: mine.session_id };
  const foreign = await envelope('execute_workflow', parameters, bob);
  const made = await envelope(
    'execute_workflow',
    { ...parameters, session_id: mine.session_id.replace(/^./, (c) => (c === '0' ? '1' : '0')) },
    bob,
  );
  expect(foreign.error?.code).toBe('SESSION_NOT_FOUND');
  const plain = (reply: unknown) => JSON.stringify(reply).replaceAll(/[0-9a-f-]{36}/g, '');
  expect(plain(foreign)).toBe(plain(made));
  const answered = await envelope('execute_workflow', { ...parameters, step_result: { question_id: mine.question?.id, value: 'x' } }, bob);
  expect(answered.error?.code).toBe('SESSION_NOT_FOUND');
  expect((await envelope('execute_workflow', parameters, ann)).result?.status).toBe('awaiting_step');
});

verifies('flowmind-execute-autonomous', 'an autonomous run goes to its end by itself', async () => {
  const { toolset, done } = workshop();
  const { run } = await openFlowmind({
    contexts: [
      `
metadata: {id: alone, description: Runs alone}
flow:
  - call: look_up
    with: {text: it}
    store_as: found
  - ask: Which colour?
    default: blue
    store_as: colour
  - for_each: "x in [1, 2]"
    do: [{call: note_down, with: {text: "\${colour} \${x}"}}]
  - return: "\${found.said}"
`,
    ],
    toolsets: [toolset],
  });
  expect(await run('workflow://alone', { execution_mode: 'autonomous' })).toMatchObject({ status: 'completed', output: 'found it' });
  expect(done).toEqual(['blue 1', 'blue 2']);
});

const generated = (answer: string, confidence: number) => () => ({ answer, confidence });

verifies('flowmind-execute-model-required', 'an autonomous run without a model pauses where a step needs one', async () => {
  const { run, answer, envelope } = await openFlowmind({ contexts: [NOTES], toolsets: [workshop().toolset] });
  const paused = await run('workflow://notes', { execution_mode: 'autonomous' });
  expect(paused).toMatchObject({ status: 'paused', reason: 'model_required', current_step: 'Think', instruction: 'Think about it' });
  const again = await envelope('execute_workflow', { workflow_uri: 'workflow://notes', session_id: paused.session_id });
  expect(again.result).toMatchObject({ status: 'paused', reason: 'model_required' });
  expect(await answer(paused, 'I thought')).toMatchObject({ status: 'completed', output: 'done' });
});

test('an autonomous run lets a model do its steps', async () => {
  const { run } = await openFlowmind({ contexts: [NOTES], toolsets: [workshop().toolset], model: generated('thought', 0.9) });
  expect(await run('workflow://notes', { execution_mode: 'autonomous' })).toMatchObject({ status: 'completed', output: 'done' });
});

verifies('flowmind-execute-step-confirm', 'step_confirm asks before each major step', async () => {
  const { toolset, done } = workshop();
  const { run, answer } = await openFlowmind({ contexts: [NOTES], toolsets: [toolset] });
  const first = await run('workflow://notes', { execution_mode: 'step_confirm' });
  expect(first).toMatchObject({ status: 'awaiting_approval', question: { schema: { type: 'boolean' } } });
  expect(done).toEqual([]);
  const second = await answer(first, true);
  expect(done).toEqual(['one']);
  expect(second).toMatchObject({ status: 'awaiting_approval', current_step: 'Think' });
  const thinking = await answer(second, 'yes');
  expect(thinking.status).toBe('awaiting_step');
  const third = await answer(thinking, 'thought');
  expect(third.status).toBe('awaiting_approval');
  expect(await answer(third, false)).toMatchObject({ status: 'cancelled', reason: 'declined' });
  expect(done).toEqual(['one']);
});

const JUDGED = `
metadata: {id: judged, description: Decides by words}
flow:
  - if_semantic: the user seems frustrated
    then: [{call: note_down, with: {text: calm}}, {return: calmed}]
    else: [{return: nothing}]
`;

verifies('flowmind-execute-min-confidence', 'an autonomous run does not act on a decision with less confidence', async () => {
  const { toolset, done } = workshop();
  const { run, envelope, answer } = await openFlowmind({ contexts: [JUDGED], toolsets: [toolset] });
  const given = { execution_mode: 'autonomous', initial_variables: { message: 'I am so frustrated' } };
  const paused = await run('workflow://judged', { ...given, confidence_override: { min_confidence: 0.99 } });
  expect(paused).toMatchObject({ status: 'paused', reason: 'low_confidence' });
  expect(done).toEqual([]);
  expect(await answer(paused, true)).toMatchObject({ status: 'completed', output: 'calmed' });
  expect((await run('workflow://judged', { ...given, confidence_override: { min_confidence: 0.5 } })).output).toBe('calmed');
  const wrong = await envelope('execute_workflow', { workflow_uri: 'workflow://judged', confidence_override: { min_confidence: 1.1 } });
  expect(wrong.error?.code).toBe('INVALID_ARGUMENTS');
});

verifies('flowmind-execute-confirmation-below', 'an action with less confidence waits for approval', async () => {
  const { toolset, done } = workshop();
  const { run, envelope, answer } = await openFlowmind({ contexts: [JUDGED], toolsets: [toolset] });
  const given = { initial_variables: { message: 'I am so frustrated' }, confidence_override: { require_confirmation_below: 0.99 } };
  const asked = await run('workflow://judged', given);
  expect(asked).toMatchObject({ status: 'awaiting_approval', reason: 'confirmation' });
  expect(done).toEqual([]);
  expect((await answer(asked, true)).output).toBe('calmed');
  expect((await answer(await run('workflow://judged', given), false)).output).toBe('nothing');
  const wrong = await envelope('execute_workflow', {
    workflow_uri: 'workflow://judged',
    confidence_override: { require_confirmation_below: -0.1 },
  });
  expect(wrong.error?.code).toBe('INVALID_ARGUMENTS');
});

test('a result of a model that is uncertain waits for approval', async () => {
  const { run, answer } = await openFlowmind({ contexts: [NOTES], toolsets: [workshop().toolset], model: generated('maybe', 0.3) });
  const asked = await run('workflow://notes', { execution_mode: 'autonomous', confidence_override: { require_confirmation_below: 0.5 } });
  expect(asked).toMatchObject({ status: 'awaiting_approval', reason: 'confirmation' });
  expect(await answer(asked, true)).toMatchObject({ status: 'completed' });
});

verifies('flowmind-execute-max-steps', 'a run that reaches max_steps pauses and asks', async () => {
  const { toolset, done } = workshop();
  const { run, answer, envelope } = await openFlowmind({
    contexts: [
      `
metadata: {id: many, description: Many steps}
flow:
  - for_each: "x in [1, 2, 3, 4, 5]"
    do: [{call: note_down, with: {text: "no. \${x}"}}]
  - return: done
`,
    ],
    toolsets: [toolset],
  });
  const paused = await run('workflow://many', { execution_mode: 'autonomous', constraints: { max_steps: 2 } });
  expect(paused).toMatchObject({ status: 'paused', reason: 'max_steps', steps_done: 2, question: { schema: { type: 'boolean' } } });
  expect(done).toEqual(['no. 1', 'no. 2']);
  const further = await answer(paused, true);
  expect(further).toMatchObject({ status: 'paused', reason: 'max_steps', steps_done: 4 });
  expect(await answer(further, true)).toMatchObject({ status: 'completed', output: 'done', steps_done: 5 });
  const stopped = await run('workflow://many', { constraints: { max_steps: 1 } });
  expect(await answer(stopped, false)).toMatchObject({ status: 'cancelled' });
  for (const max_steps of [0, 101, 1.5]) {
    expect((await envelope('execute_workflow', { workflow_uri: 'workflow://many', constraints: { max_steps } })).error?.code).toBe(
      'INVALID_ARGUMENTS',
    );
  }
});

verifies('flowmind-execute-max-duration', 'a run that reaches max_duration_ms is stopped as paused', async () => {
  const { toolset, done, gate } = workshop();
  gate.open = new Promise(() => {});
  const { run, answer, envelope } = await openFlowmind({
    contexts: ['{metadata: {id: long, description: Works long}, flow: [{call: work_long, with: {text: it}}, {return: done}]}'],
    toolsets: [toolset],
  });
  const paused = await run('workflow://long', { constraints: { max_duration_ms: 1000 } });
  expect(paused).toMatchObject({ status: 'paused', reason: 'max_duration_ms' });
  expect(done).toEqual(['began it']);
  const asked = await answer(paused, true);
  expect(asked).toMatchObject({
    status: 'paused',
    reason: 'outcome_unknown',
    question: { schema: { enum: ['it happened', 'do it again', 'stop'] } },
  });
  expect(await answer(asked, 'it happened')).toMatchObject({ status: 'completed', output: 'done' });
  expect(done).toEqual(['began it']);
  for (const max_duration_ms of [999, 600_001]) {
    expect((await envelope('execute_workflow', { workflow_uri: 'workflow://long', constraints: { max_duration_ms } })).error?.code).toBe(
      'INVALID_ARGUMENTS',
    );
  }
});

verifies('flowmind-execute-require-approval', 'each kind that needs approval waits for it', async () => {
  const { toolset, done } = workshop();
  const { run, answer, envelope } = await openFlowmind({
    contexts: [
      '{metadata: {id: mail, description: Mails}, flow: [{call: look_up, with: {text: a}}, {call: send_mail, with: {text: hi}}, {return: sent}]}',
      '{metadata: {id: switch, description: Switches}, flow: [{workflow: "workflow://mail"}]}',
      '{metadata: {id: write, description: Writes}, flow: [{call: note_down, with: {text: a}}]}',
    ],
    toolsets: [toolset],
  });
  const demand = (kind: string) => ({ execution_mode: 'autonomous', constraints: { require_approval_for: [kind] } });
  const mail = await run('workflow://mail', demand('external_api_calls'));
  expect(mail).toMatchObject({ status: 'awaiting_approval', current_step: 'send_mail' });
  expect(done).toEqual([]);
  expect(await answer(mail, true)).toMatchObject({ status: 'completed', output: 'sent' });
  expect(done).toEqual(['mail hi']);
  expect(await run('workflow://write', demand('file_modifications'))).toMatchObject({
    status: 'awaiting_approval',
    current_step: 'note_down',
  });
  expect(await run('workflow://switch', demand('context_switches'))).toMatchObject({ status: 'awaiting_approval', current_step: 'Mail' });
  expect(await run('workflow://write', demand('external_api_calls'))).toMatchObject({ status: 'completed' });
  expect((await envelope('execute_workflow', { workflow_uri: 'workflow://mail', ...demand('everything') })).error?.code).toBe(
    'INVALID_ARGUMENTS',
  );
});

verifies('flowmind-execute-dry-run', 'dry_run shows the branches and does nothing', async () => {
  const { toolset, done } = workshop();
  const { result, services, rows } = await openFlowmind({
    contexts: [
      JUDGED,
      NOTES,
      `
metadata: {id: branches, description: Branches}
variables: {level: {type: number, required: true}, who: {required: true}}
flow:
  - if: level > 3
    then: [{call: send_mail, with: {text: "\${level}"}}]
    elif: [{if_semantic: it is urgent, then: [{workflow: "workflow://notes"}]}]
    else: [{step: Rest, instruction: Rest}]
`,
    ],
    toolsets: [toolset],
  });
  const preview = await result('execute_workflow', { workflow_uri: 'workflow://branches', initial_variables: { level: 5 }, dry_run: true });
  expect(preview).toMatchObject({
    session_id: null,
    output: {
      dry_run: true,
      missing_variables: ['who'],
      tools: ['send_mail', 'note_down'],
      contexts: ['workflow://notes'],
      steps: [
        {
          kind: 'if',
          branches: [
            {
              when: 'level > 3',
              holds: true,
              steps: [{ kind: 'call', tool: { name: 'send_mail', exists: true, changes_things: true, reaches_outside: true } }],
            },
            {
              when: 'it is urgent',
              holds: null,
              steps: [{ kind: 'workflow', steps: [{ kind: 'call' }, { kind: 'step' }, { kind: 'call' }, { kind: 'return' }] }],
            },
            { when: 'otherwise', steps: [{ kind: 'step', what: 'Rest: Rest' }] },
          ],
        },
      ],
    },
  });
  expect(done).toEqual([]);
  expect(await services.sessions.list({ limit: 10 })).toEqual([]);
  expect(rows.map((row) => row.tool)).toEqual(['execute_workflow']);
});

verifies('flowmind-execute-calls-tools', 'a step calls a tool of another toolset as the same user, with its own audit row', async () => {
  const { toolset } = workshop();
  const { run, rows } = await openFlowmind({ contexts: [NOTES], toolsets: [toolset] });
  const ann = user('ann', 'advanced');
  const begun = await run('workflow://notes', {}, ann);
  expect(begun.variables['first']).toEqual({ said: 'one' });
  const outer = rows.find((row) => row.tool === 'execute_workflow');
  expect(rows.find((row) => row.tool === 'note_down')).toMatchObject({ userId: 'ann', parentId: outer?.id, parameters: { text: 'one' } });
});

test('what another toolset publishes runs by its own call', async () => {
  const { toolset, done } = workshop();
  const published = {
    uri: 'workflow://workshop/note',
    type: 'workflow' as const,
    name: 'Note',
    description: 'Writes a note',
    tags: [],
    complexity: 'simple' as const,
    examples: [],
    variables: { required: ['text'], optional: [] },
    action: { tool: 'note_down', parameters: {} },
  };
  const { run, envelope } = await openFlowmind({ toolsets: [toolset], published: [published] });
  expect(await run('workflow://workshop/note', { initial_variables: { text: 'hi' } })).toMatchObject({
    status: 'completed',
    output: { said: 'hi' },
  });
  expect(done).toEqual(['hi']);
  expect((await envelope('execute_workflow', { workflow_uri: 'workflow://workshop/note' })).error).toMatchObject({
    code: 'INVALID_VARIABLES',
    message: 'workflow://workshop/note needs text',
  });
});

test('variables that do not fit their specification are refused before anything happens', async () => {
  const { envelope } = await openFlowmind({
    contexts: [
      '{metadata: {id: typed, description: Typed}, variables: {n: {type: integer, maximum: 5}, c: [red, blue]}, flow: [{return: 1}]}',
    ],
  });
  const refused = async (initial_variables: Record<string, unknown>) =>
    (await envelope('execute_workflow', { workflow_uri: 'workflow://typed', initial_variables })).error?.code;
  expect(await refused({ n: 'many' })).toBe('INVALID_VARIABLES');
  expect(await refused({ n: 6 })).toBe('INVALID_VARIABLES');
  expect(await refused({ c: 'green' })).toBe('INVALID_VARIABLES');
  expect(await refused({ n: 5, c: 'red' })).toBeUndefined();
});
