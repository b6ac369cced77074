import { expect } from 'vitest';
import { openFlowmind, type TestFlowmind } from '../../harness/flowmind.ts';
import { OWNER, user } from '../../harness/millrace.ts';
import { workflowText } from '../../harness/workflow-text.ts';
import { speaking } from '../../harness/workshop.ts';
import { verifies } from '../../requirements.ts';

const complexity = (level: string) =>
  workflowText(`${level}-garden`, {
    name: `${level} garden`,
    description: `Plans a ${level} garden`,
    examples: [`plan a ${level} garden`, `lay out a ${level} garden for me`, `design my ${level} garden`],
  }).replace('metadata:\n', `metadata:\n  complexity: ${level}\n`);
const FILES = Object.fromEntries(['simple', 'moderate', 'complex', 'expert'].map((level) => [`${level}.yaml`, complexity(level)]));

const CALLS: [tool: string, parameters: Record<string, unknown>][] = [
  ['field_request', { query: 'plan a simple garden for me', confidence_level: 0.6 }],
  ['get_help', { help_type: 'concept' }],
  ['execute_workflow', { workflow_uri: 'workflow://simple-garden', dry_run: true }],
  ['evaluate_semantic_condition', { condition: 'user is angry', context: { user_message: 'hello' } }],
  ['list_available_contexts', {}],
  [
    'compose_workflow',
    {
      name: 'both',
      flow_type: 'sequential',
      components: [
        { uri: 'workflow://simple-garden', role: 'primary' },
        { uri: 'workflow://moderate-garden', role: 'support' },
      ],
    },
  ],
];

async function openTo(flowmind: TestFlowmind, who: ReturnType<typeof user>): Promise<string[]> {
  const open: string[] = [];
  for (const [tool, parameters] of CALLS) {
    const { success, error } = await flowmind.ask(tool, parameters, who);
    if (success) open.push(tool);
    else expect(error.code).toBe('TOOL_LOCKED');
  }
  return open;
}

async function runnable(flowmind: TestFlowmind, who: ReturnType<typeof user>): Promise<string[]> {
  const open: string[] = [];
  for (const level of ['simple', 'moderate', 'complex', 'expert']) {
    const { result } = await flowmind.ask('field_request', { query: `design my ${level} garden`, confidence_level: 0.6 }, who);
    const match = result.matches.find((each: { uri: string }) => each.uri === `workflow://${level}-garden`);
    if (match.activation.can_execute) open.push(level);
    else expect(match.activation.reasons.join()).toContain(`complexity ${level}`);
  }
  return open;
}

const FAR = { MILLRACE_LEVEL_INTERMEDIATE: '1000', MILLRACE_LEVEL_ADVANCED: '2000' };

verifies('flowmind-level-beginner', 'a beginner finds and asks, and could run what is simple', async () => {
  const flowmind = await openFlowmind({ files: FILES, environment: FAR });
  expect(await openTo(flowmind, user('new'))).toEqual(['field_request', 'get_help']);
  expect(await runnable(flowmind, user('new'))).toEqual(['simple']);
});

verifies(
  ['flowmind-level-intermediate', 'flowmind-level-complexity'],
  'an intermediate user runs and evaluates, up to moderate',
  async () => {
    const flowmind = await openFlowmind({ files: FILES, environment: FAR });
    const who = user('half-way', 'intermediate');
    expect(await openTo(flowmind, who)).toEqual(['field_request', 'get_help', 'execute_workflow', 'evaluate_semantic_condition']);
    expect(await runnable(flowmind, who)).toEqual(['simple', 'moderate']);
    const { success, error } = await flowmind.ask('execute_workflow', { workflow_uri: 'workflow://expert-garden' }, who);
    expect(success).toBe(false);
    expect(error.code).toBe('CONTEXT_LOCKED');
    expect(error.message).toContain('complexity expert');
  },
);

verifies('flowmind-level-advanced', 'an advanced user may do everything', async () => {
  const flowmind = await openFlowmind({ files: FILES, environment: FAR });
  const who = user('expert', 'advanced');
  expect(await openTo(flowmind, who)).toEqual(CALLS.map(([tool]) => tool));
  expect(await runnable(flowmind, who)).toEqual(['simple', 'moderate', 'complex', 'expert']);
});

verifies('flowmind-level-owner', 'the owner is advanced from the first call on', async () => {
  const flowmind = await openFlowmind({ files: FILES, environment: FAR });
  expect(await openTo(flowmind, { ...OWNER, level: 'beginner' })).toEqual(CALLS.map(([tool]) => tool));
});

verifies('flowmind-level-locked-visible', 'a locked tool is listed and says what unlocks it', async () => {
  const flowmind = await openFlowmind({ files: FILES });
  const listed = flowmind.catalog.entries().map((entry) => entry.tool.name);
  expect(listed).toEqual(expect.arrayContaining(CALLS.map(([tool]) => tool)));
  const { error, guidance } = await flowmind.ask('compose_workflow', CALLS[5]?.[1], user('new'));
  expect(error.code).toBe('TOOL_LOCKED');
  expect(error.message).toBe('compose_workflow opens at level advanced; your level is beginner');
  expect(error.fix.instruction).toContain('50 successful calls with distinct arguments open level advanced; you have 0');
  expect(guidance).toMatchObject({ level: 'beginner', needed: 'advanced' });
});

verifies(
  'flowmind-level-thresholds',
  'ten and fifty successful calls with distinct arguments raise a user, or what is configured',
  async () => {
    const flowmind = await openFlowmind({ files: FILES });
    const who = user('diligent');
    const levels: string[] = [];
    const call = async (round: number) => {
      const parameters = { query: `plan a simple garden number ${round}`, confidence_level: 0.6 };
      levels.push((await flowmind.ask('field_request', parameters, who))._unlocks.level);
    };
    for (let round = 1; round <= 9; round++) await call(round);
    for (let again = 0; again < 5; again++) await call(1);
    await flowmind.ask('field_request', { query: 'too short', confidence_level: 2 }, who);
    expect(new Set(levels)).toEqual(new Set(['beginner']));
    for (let round = 10; round <= 50; round++) await call(round);
    expect(levels.slice(14)).toEqual([...Array(40).fill('intermediate'), 'advanced']);

    const quick = await openFlowmind({ files: FILES, environment: { MILLRACE_LEVEL_INTERMEDIATE: '1', MILLRACE_LEVEL_ADVANCED: '2' } });
    const reply = () => quick.ask('get_help', { help_type: 'usage', specific_question: `question ${Math.random()}` }, user('quick'));
    expect((await reply())._unlocks.level).toBe('intermediate');
    expect((await reply())._unlocks.level).toBe('advanced');
  },
);

verifies('flowmind-level-granted', 'a level that an owner grants holds from the next call', async () => {
  const flowmind = await openFlowmind({ files: FILES });
  const { users } = flowmind.storage;
  const { user: friend } = await users.add({ name: 'friend' });
  const evaluate = async () => {
    const who = await users.get(friend.id);
    if (!who) throw new Error('the user is gone');
    return flowmind.ask('evaluate_semantic_condition', CALLS[3]?.[1], who);
  };
  expect((await evaluate()).success).toBe(false);
  await users.setLevel('friend', 'intermediate');
  expect((await evaluate()).success).toBe(true);
});

verifies('flowmind-level-only-flowmind', 'a beginner calls every tool of the other toolsets', async () => {
  const greet = { name: 'greet', description: 'Greets somebody', access: 'write' as const, run: (text: string) => `hello ${text}` };
  const other = speaking('other', [greet]);
  const flowmind = await openFlowmind({ files: FILES, toolsets: [other] });
  expect((await flowmind.call('greet', { text: 'you' }, user('new'))).structured).toEqual({ said: 'hello you' });
});
