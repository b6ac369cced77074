import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFlowmind, workshop } from '../../harness/flowmind.ts';
import { user } from '../../harness/millrace.ts';
import { verifies } from '../../requirements.ts';

interface Composed {
  uri: string;
  definition: string;
  saved_path: string | null;
  checks: { severity: string; message: string; component: string | null }[];
  next_action: { tool: string; parameters: Record<string, unknown> } | null;
}

const note = (id: string, more = '') =>
  `{metadata: {id: ${id}, description: Notes ${id}, domain: business}, ${more} flow: [{call: note_down, with: {text: ${id}}}, {return: ${id}-done}]}`;
const CONTEXTS = [
  note('alpha'),
  note('beta'),
  note('gamma'),
  '{metadata: {id: needy, description: Needs}, variables: {topic: {required: true, description: What it is about}}, flow: [{return: "about {{topic}}"}]}',
  '{metadata: {type: agent, id: critic, description: A critic}, persona: You are a critic., flow: [{call: look_up, with: {text: review}, store_as: r}, {return: "yes, approved, go ahead"}]}',
  '{metadata: {id: circle, description: Circles}, flow: [{workflow: "workflow://round"}]}',
];
const two = (...uris: string[]) => uris.map((uri) => ({ uri, role: 'primary' }));

async function kitchen() {
  const { toolset, done } = workshop();
  const fixture = await openFlowmind({ contexts: CONTEXTS, toolsets: [toolset] });
  const compose = (parameters: object, as?: Parameters<typeof fixture.result>[2]) =>
    fixture.result<Composed>('compose_workflow', { name: 'composed', flow_type: 'sequential', ...parameters }, as);
  return { ...fixture, done, compose };
}

verifies('flowmind-compose-input', 'name, components and flow_type are required, and bounded', async () => {
  const { envelope, compose } = await kitchen();
  const good = { name: 'my-flow-2', components: two('workflow://alpha', 'workflow://beta'), flow_type: 'sequential' };
  const code = async (change: object) => (await envelope('compose_workflow', { ...good, ...change })).error?.code;
  for (const name of ['My Flow', 'a_b', '', 'a/b', '../x']) expect(await code({ name })).toBe('INVALID_ARGUMENTS');
  expect(await code({ flow_type: undefined })).toBe('INVALID_ARGUMENTS');
  expect(await code({ components: undefined })).toBe('INVALID_ARGUMENTS');
  expect(await code({ description: 'x'.repeat(501) })).toBe('INVALID_ARGUMENTS');
  expect((await compose({ ...good, description: 'x'.repeat(500) })).uri).toBe('workflow://my-flow-2');
});

verifies('flowmind-compose-components', 'two to ten components with uri and role, when and configuration optional', async () => {
  const { envelope } = await kitchen();
  const code = async (components: unknown) =>
    (await envelope('compose_workflow', { name: 'x', flow_type: 'sequential', components })).error?.code;
  expect(await code(two('workflow://alpha'))).toBe('INVALID_ARGUMENTS');
  expect(await code(two(...Array(11).fill('workflow://alpha')))).toBe('INVALID_ARGUMENTS');
  expect(await code([{ uri: 'workflow://alpha' }, { uri: 'workflow://beta', role: 'primary' }])).toBe('INVALID_ARGUMENTS');
  expect(
    await code([
      { uri: 'workflow://alpha', role: 'boss' },
      { uri: 'workflow://beta', role: 'primary' },
    ]),
  ).toBe('INVALID_ARGUMENTS');
  for (const role of ['primary', 'support', 'validation', 'synthesis']) {
    expect(
      await code([
        { uri: 'workflow://alpha', role, when: 'n > 1', configuration: { any: [1] } },
        { uri: 'workflow://beta', role: 'primary' },
      ]),
    ).toBeUndefined();
  }
  expect(await code(two(...Array(10).fill('workflow://alpha')))).toBeUndefined();
});

verifies('flowmind-compose-flow-types', 'each flow type runs its components in its way', async () => {
  const { compose, run, done, envelope } = await kitchen();
  const components = [...two('workflow://alpha', 'workflow://beta'), { uri: 'workflow://gamma', role: 'synthesis' }];
  await compose({ name: 'one-by-one', components, flow_type: 'sequential' });
  expect(await run('workflow://one-by-one')).toMatchObject({
    status: 'completed',
    output: { alpha_result: 'alpha-done', beta_result: 'beta-done', gamma_result: 'gamma-done' },
  });
  expect(done.splice(0)).toEqual(['alpha', 'beta', 'gamma']);

  await compose({ name: 'at-once', components, flow_type: 'parallel' });
  expect((await run('workflow://at-once')).output).toEqual({
    alpha_result: 'alpha-done',
    beta_result: 'beta-done',
    gamma_result: 'gamma-done',
  });
  expect(done.splice(0).at(-1)).toBe('gamma');

  const either = [
    { uri: 'workflow://alpha', role: 'primary', when: 'n > 5' },
    { uri: 'workflow://beta', role: 'primary', when: 'n > 1' },
    { uri: 'workflow://gamma', role: 'support' },
  ];
  await compose({ name: 'either', components: either, flow_type: 'conditional', variables: { optional: ['n'] } });
  for (const [n, expected] of [
    [9, 'alpha'],
    [3, 'beta'],
    [0, 'gamma'],
  ] as const) {
    await run('workflow://either', { initial_variables: { n } });
    expect(done.splice(0)).toEqual([expected]);
  }

  await compose({ name: 'rounds', components: two('workflow://alpha', 'workflow://beta'), flow_type: 'iterative' });
  expect((await run('workflow://rounds')).status).toBe('completed');
  expect(done.splice(0)).toEqual(['alpha', 'beta', 'alpha', 'beta']);

  const reviewed = [
    { uri: 'workflow://alpha', role: 'primary', configuration: { max_iterations: 2 } },
    { uri: 'agent://critic', role: 'validation' },
  ];
  await compose({ name: 'reviewed', components: reviewed, flow_type: 'iterative' });
  const judged = await run('workflow://reviewed');
  expect(judged).toMatchObject({ status: 'awaiting_answer', reason: 'judgement' });
  const answered = {
    workflow_uri: 'workflow://reviewed',
    session_id: judged.session_id,
    step_result: { question_id: judged.question?.id, value: false },
  };
  const second = (await envelope('execute_workflow', answered)).result;
  expect(second).toMatchObject({ status: 'awaiting_answer' });
  expect(done).toEqual(['alpha', 'alpha']);
});

verifies('flowmind-compose-when', 'a component whose condition does not hold is left out', async () => {
  const { compose, run, done } = await kitchen();
  const components = [
    { uri: 'workflow://alpha', role: 'primary', when: "urgency == 'high'" },
    { uri: 'workflow://beta', role: 'support', when: 'the user seems frustrated' },
    { uri: 'workflow://gamma', role: 'primary' },
  ];
  await compose({ components, variables: { optional: ['urgency', 'message'] } });
  const given = (urgency: string, message: string) => ({ initial_variables: { urgency, message } });
  await run('workflow://composed', given('low', 'this is great, thank you'));
  expect(done.splice(0)).toEqual(['gamma']);
  await run('workflow://composed', given('high', 'I am so frustrated'));
  expect(done.splice(0)).toEqual(['alpha', 'beta', 'gamma']);
});

verifies('flowmind-compose-variables', 'required and optional variables become those of the workflow', async () => {
  const { compose, envelope, run, services } = await kitchen();
  await compose({
    components: two('workflow://needy', 'workflow://alpha'),
    variables: { required: ['topic'], optional: ['tone'] },
  });
  expect((await services.registry.get('workflow://composed', 'owner'))?.variables).toMatchObject({
    topic: { required: true, description: 'What it is about' },
    tone: { required: false },
  });
  expect((await envelope('execute_workflow', { workflow_uri: 'workflow://composed' })).error).toMatchObject({
    code: 'INVALID_VARIABLES',
    message: 'workflow://composed needs topic',
  });
  expect((await run('workflow://composed', { initial_variables: { topic: 'mills' } })).output).toMatchObject({
    needy_result: 'about mills',
  });
});

verifies('flowmind-compose-save', 'without save nothing is written; with it a readable file is in the workspace', async () => {
  const { compose, workspace, envelope, services, logged } = await kitchen();
  const components = two('workflow://alpha', 'workflow://beta');
  expect((await compose({ components })).saved_path).toBeNull();
  expect(existsSync(join(workspace, 'contexts'))).toBe(false);
  const saved = await compose({ name: 'kept', components, save: true, description: 'Notes twice' });
  expect(saved.saved_path).toBe(join('contexts', 'workflows', 'kept.yaml'));
  const text = await readFile(join(workspace, saved.saved_path ?? ''), 'utf8');
  expect(text).toBe(saved.definition);
  expect(text).toContain('# Kept: 2 components, sequential.');
  expect(text).toContain('# primary: workflow://alpha');
  expect(logged.filter(({ level }) => level === 'warn')).toEqual([]);
  expect(await services.registry.get('workflow://kept', 'owner')).toMatchObject({
    source: { kind: 'workspace' },
    uri: 'workflow://kept',
    description: 'Notes twice',
    domain: 'business',
    dependencies: ['workflow://alpha', 'workflow://beta'],
  });
  expect(await readdir(join(workspace, 'contexts', 'workflows'))).toEqual(['kept.yaml']);
  const again = await compose({ name: 'kept', components, flow_type: 'parallel', save: true });
  expect(again).toMatchObject({ saved_path: null, checks: [{ message: 'workflow://kept exists already: choose another name' }] });
  expect(await readFile(join(workspace, 'contexts', 'workflows', 'kept.yaml'), 'utf8')).toBe(text);
  await writeFile(join(workspace, 'contexts', 'workflows', 'taken.yaml'), '# not a context');
  const taken = await envelope('compose_workflow', { name: 'taken', components, flow_type: 'sequential', save: true });
  expect(taken).toMatchObject({ success: false, error: { code: 'COMPOSITION_REFUSED' } });
  expect(await readFile(join(workspace, 'contexts', 'workflows', 'taken.yaml'), 'utf8')).toBe('# not a context');
});

verifies('flowmind-compose-result', 'the result has its fields, and its next_action runs the workflow at once', async () => {
  const { compose, result, run, envelope } = await kitchen();
  const ann = user('ann', 'advanced');
  const composed = await compose({ components: two('workflow://alpha', 'workflow://beta') }, ann);
  expect(composed).toEqual({
    uri: 'workflow://composed',
    definition: expect.stringContaining('workflow://alpha'),
    saved_path: null,
    checks: [],
    next_action: { tool: 'execute_workflow', parameters: { workflow_uri: 'workflow://composed' } },
  });
  expect(await result(composed.next_action?.tool ?? '', composed.next_action?.parameters, ann)).toMatchObject({ status: 'completed' });
  expect((await envelope('execute_workflow', { workflow_uri: 'workflow://composed' }, user('bob', 'advanced'))).error?.code).toBe(
    'CONTEXT_NOT_FOUND',
  );
  const needy = await compose({
    name: 'needy-too',
    components: two('workflow://needy', 'workflow://alpha'),
    variables: { required: ['topic'] },
  });
  expect(await run('workflow://needy-too', needy.next_action?.parameters as Record<string, unknown>)).toMatchObject({
    status: 'completed',
  });
});

verifies('flowmind-compose-checks', 'what would not work shows in the checks, and nothing is saved', async () => {
  const { compose, workspace, envelope } = await kitchen();
  const errors = async (parameters: object) => {
    const { checks, saved_path, next_action } = await compose({ save: true, ...parameters });
    expect([saved_path, next_action]).toEqual([null, null]);
    return checks.filter((check) => check.severity === 'error').map((check) => check.message);
  };
  expect(await errors({ components: two('workflow://alpa', 'workflow://beta') })).toEqual([
    expect.stringContaining('There is no context workflow://alpa; did you mean workflow://alpha'),
  ]);
  expect(await errors({ name: 'round', components: two('workflow://circle', 'workflow://beta') })).toEqual([
    'A circle: workflow://round → workflow://circle → workflow://round',
  ]);
  expect(await errors({ name: 'self', components: two('workflow://self', 'workflow://beta') })).toContain(
    'A circle: workflow://self → workflow://self',
  );
  expect(await errors({ components: two('workflow://needy', 'workflow://beta') })).toEqual([
    'workflow://needy needs the variable topic: add it to variables.required or to its configuration',
  ]);
  expect(await errors({ name: 'alpha', components: two('workflow://beta', 'workflow://gamma') })).toEqual([
    'workflow://alpha exists already: choose another name',
  ]);
  expect(await errors({ components: two('workflow://alpha', 'workflow://beta'), flow_type: 'conditional' })).toContain(
    'workflow://beta is never reached: workflow://alpha before it has no condition',
  );
  expect(await errors({ components: [{ uri: 'workflow://alpha', role: 'primary', when: 'false' }, ...two('workflow://beta')] })).toEqual([
    'workflow://alpha is never reached: its condition cannot hold',
  ]);
  expect(existsSync(join(workspace, 'contexts'))).toBe(false);
  expect((await envelope('execute_workflow', { workflow_uri: 'workflow://composed' })).error?.code).toBe('CONTEXT_NOT_FOUND');
});

test('a tool is a component too', async () => {
  const { compose, run, done } = await kitchen();
  const components = [
    { uri: 'tool://workshop/note-down', role: 'primary' },
    { uri: 'tool://workshop/send-mail', role: 'support', configuration: { text: 'fixed' } },
  ];
  await compose({ components, variables: { required: ['text'] } });
  expect(await run('workflow://composed', { initial_variables: { text: 'given' } })).toMatchObject({ status: 'completed' });
  expect(done).toEqual(['given', 'mail fixed']);
});

test('a workspace that cannot be written is reported', async () => {
  const { compose, envelope, workspace } = await kitchen();
  await mkdir(join(workspace, 'contexts'));
  await writeFile(join(workspace, 'contexts', 'workflows'), 'a file where a folder should be');
  const parameters = { name: 'x', components: two('workflow://alpha', 'workflow://beta'), flow_type: 'sequential', save: true };
  expect((await envelope('compose_workflow', parameters)).error).toMatchObject({
    code: 'UNAVAILABLE',
  });
  expect((await compose({ ...parameters, save: false })).next_action).not.toBeNull();
});
