// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language of contexts has ${…}
import { expect, test } from 'vitest';
import { openFlowmind, workshop } from '../../harness/flowmind.ts';

/** Runs a flow by itself and answers with how it ended. */
async function ran(flow: string, variables: Record<string, unknown> = {}, more: { head?: string; contexts?: string[] } = {}) {
  const { toolset, done } = workshop();
  const context = `metadata: {id: flow, description: x}\n${more.head ?? ''}\nflow:\n${flow}`;
  const fixture = await openFlowmind({ contexts: [context, ...(more.contexts ?? [])], toolsets: [toolset] });
  const run = await fixture.run('workflow://flow', { execution_mode: 'autonomous', initial_variables: variables });
  return { ...fixture, run, done };
}
const output = async (...given: Parameters<typeof ran>) => {
  const { run } = await ran(...given);
  expect(run).toMatchObject({ status: 'completed' });
  return run.output;
};

test('set, increment and collect', async () => {
  expect(
    await output(
      '  - set: {a: 2, b: "@computed(a * 3)"}\n  - increment: a\n  - increment: a\n    by: 5\n  - collect: "${a}"\n    into: list\n  - collect: x\n    into: list\n  - return: ["${a}", "${b}", "${list}"]',
    ),
  ).toEqual([8, 6, [8, 'x']]);
});

test.each([
  [5, 'large'],
  [2, 'middle'],
  [0, 'small'],
])('if, elif and else: %d is %s', async (n, expected) => {
  expect(
    await output(
      '  - if: n > 3\n    then: [{return: large}]\n    elif: [{if: n > 1, then: [{return: middle}]}]\n    else: [{return: small}]',
      { n },
    ),
  ).toBe(expected);
});

test('switch takes the case or the default', async () => {
  const flow = '  - switch: colour\n    cases: {red: [{return: stop}], green: [{return: go}]}\n    default: [{return: wait}]';
  expect(await output(flow, { colour: 'green' })).toBe('go');
  expect(await output(flow, { colour: 'blue' })).toBe('wait');
  expect(await output('  - switch: n\n    cases: [{case: [1, 2], do: [{return: few}]}]\n    default: [{return: many}]', { n: 2 })).toBe(
    'few',
  );
});

test('while, do … while, and their limits', async () => {
  expect(await output('  - set: {n: 0}\n  - while: n < 5\n    do: [{increment: n}]\n  - return: "${n}"')).toBe(5);
  expect(await output('  - set: {n: 9}\n  - do: [{increment: n}]\n    while: n < 5\n  - return: "${n}"')).toBe(10);
  expect(await output('  - set: {n: 0}\n  - while: true\n    max_iterations: 7\n    do: [{increment: n}]\n  - return: "${n}"')).toBe(7);
});

test('for_each goes over what passes its filter', async () => {
  expect(
    await output('  - for_each: "x in items"\n    where: x.n > 1\n    do: [{collect: "${x.n}", into: kept}]\n  - return: "${kept}"', {
      items: [{ n: 1 }, { n: 2 }, { n: 3 }],
    }),
  ).toEqual([2, 3]);
  expect(await output('  - for_each: "x in none"\n    do: [{return: wrong}]\n  - return: fine')).toBe('fine');
});

test('parallel collects the results of its tasks by name', async () => {
  const flow = `
  - parallel:
      max_concurrency: 2
      collect_results: all
      tasks:
        - {task: a, do: [{call: look_up, with: {text: a}}]}
        - {task: b, do: [{return: own}]}
        - {task: c, do: [{set: {shared: yes}}, {call: look_up, with: {text: c}}]}
  - return: ["\${all.a.said}", "\${all.b}", "\${all.c.said}", "\${shared}"]`;
  expect(await output(flow)).toEqual(['found a', 'own', 'found c', 'yes']);
});

test('parallel with wait_for any continues with the first, and leaves the others', async () => {
  const { toolset, done, gate } = workshop();
  gate.open = new Promise(() => {});
  const { run } = await openFlowmind({
    contexts: [
      `
metadata: {id: any, description: x}
flow:
  - parallel: {tasks: [{task: slow, do: [{call: work_long, with: {text: s}}]}, {task: fast, do: [{call: look_up, with: {text: f}}]}], collect_results: r}
  - wait_for: any
  - return: "\${r}"
`,
    ],
    toolsets: [toolset],
  });
  expect(await run('workflow://any')).toMatchObject({ status: 'completed', output: { fast: { said: 'found f' } } });
  expect(done).toEqual(['began s']);
});

test('a failing task is made up for by the others, or fails the whole', async () => {
  const tasks = '{tasks: [{task: bad, do: [{call: break_down, with: {text: x}}]}, {task: good, do: [{return: 1}]}], collect_results: r}';
  expect(await output(`  - parallel: ${tasks}\n    wait_for: 1\n  - return: "\${r}"`)).toEqual({ good: 1 });
  const caught = `  - try: [{parallel: ${tasks}}]\n    catch: [{return: "\${error.code}"}]`;
  expect(await output(caught)).toBe('upstream');
});

test('parallel steps are asked one after the other, and answered in any order', async () => {
  const { run, answer, result } = await openFlowmind({
    contexts: [
      '{metadata: {id: p, description: x}, flow: [{parallel: {tasks: [{task: a, do: [{step: First}]}, {task: b, do: [{step: Second}]}], collect_results: r}}, {return: "${r}"}]}',
    ],
  });
  const begun = await run('workflow://p');
  expect(begun.current_step).toBe('First');
  const next = await answer(begun, 'one');
  expect(next.current_step).toBe('Second');
  expect((await answer(next, 'two')).output).toEqual({ a: 'one', b: 'two' });
  const other = await run('workflow://p');
  const second = await result('execute_workflow', {
    workflow_uri: 'workflow://p',
    session_id: other.session_id,
    step_result: { question_id: next.question?.id, value: 'two' },
  });
  expect(second.current_step).toBe('First');
  expect((await answer(second, 'one')).output).toEqual({ a: 'one', b: 'two' });
});

test('try catches by code, and finally is done whatever happens', async () => {
  const flow = (code: string) => `
  - try: [{call: break_down, with: {text: x}}, {return: wrong}]
    catch: {${code}: [{set: {seen: "\${error.message}"}}]}
    finally: [{call: note_down, with: {text: cleaned}}]
  - return: "\${seen}"`;
  const caught = await ran(flow('upstream'));
  expect(caught.run).toMatchObject({ status: 'completed', output: 'break_down: The machine is broken' });
  expect(caught.done).toEqual(['cleaned']);
  const missed = await ran(flow('not_found'));
  expect(missed.run).toMatchObject({ status: 'paused', reason: 'tool_failed' });
  const returned = await ran('  - try: [{return: early}]\n    finally: [{call: note_down, with: {text: cleaned}}]\n  - return: late');
  expect(returned.run.output).toBe('early');
  expect(returned.done).toEqual(['cleaned']);
});

test('an expression that fails can be caught; otherwise it fails the session with its reason', async () => {
  expect(await output('  - try: [{set: {a: "@computed(1 / n)"}}]\n    catch: {expression: [{return: "${error.message}"}]}', { n: 0 })).toBe(
    'Cannot divide by zero',
  );
  expect((await ran('  - set: {a: "@computed(1 / n)"}', { n: 0 })).run).toMatchObject({
    status: 'failed',
    error: { code: 'expression', message: 'Cannot divide by zero' },
  });
});

test('functions have parameters, a scope of their own, and a depth', async () => {
  const head = `functions:
  double: {parameters: [n, {name: by, default: 2}], steps: [{set: {m: "@computed(n * by)"}}, {return: "\${m}"}]}
  sum: {parameters: [n], max_depth: 20, steps: [{if: n <= 0, then: [{return: 0}]}, {call: self, with: {n: "@computed(n - 1)"}, store_as: rest}, {return: "@computed(rest + n)"}]}
  endless: {max_depth: 5, steps: [{call: endless, store_as: r}, {return: "@computed((r ?? 0) + 1)"}]}`;
  const flow =
    '  - {call: double, with: {n: 4}, store_as: a}\n  - {call: sum, with: {n: 4}, store_as: b}\n  - {call: functions.endless, store_as: c}\n  - return: ["${a}", "${b}", "${c}", "${m}"]';
  expect(await output(flow, {}, { head })).toEqual([8, 10, 5, null]);
});

test('a workflow runs another one with its own variables, and knows the way there', async () => {
  const inner =
    'metadata: {id: inner, description: y}\nvariables: {name: {required: true}, tone: {default: calm}}\nflow: [{step: Speak, instruction: "Say ${name} ${tone}", store_as: said}, {return: "${said}!"}]';
  const { run, answer } = await openFlowmind({
    contexts: [
      '{metadata: {id: outer, description: x}, flow: [{workflow: "workflow://inner", with: {tone: loud}, store_as: r}, {return: "${r} ${said}"}]}',
      inner,
    ],
  });
  const begun = await run('workflow://outer', { initial_variables: { name: 'Ann' } });
  expect(begun).toMatchObject({
    status: 'awaiting_step',
    instruction: 'Say "Ann" "loud"',
    context: { breadcrumbs: ['workflow://outer', 'workflow://inner'] },
  });
  expect((await answer(begun, 'hey')).output).toBe('hey! ');
  expect((await run('workflow://outer')).error).toMatchObject({ code: 'missing_variables', message: 'workflow://inner needs name' });
});

test('contexts that call each other in a circle come to an end', async () => {
  const b =
    'metadata: {id: b, description: y}\nvariables: {n: 0}\nflow: [{workflow: "workflow://flow", with: {n: "@computed(n + 1)"}, store_as: r}, {return: "${r}"}]';
  const { run, services } = await ran(
    '  - {workflow: "workflow://b", with: {n: "@computed((n ?? 0) + 1)"}, store_as: r}\n  - return: done',
    {},
    { contexts: [b] },
  );
  expect(run).toMatchObject({ status: 'completed', output: 'done' });
  const trace = await services.sessions.trace(run.session_id);
  expect(trace?.lines.filter((line) => line.kind === 'cut')).toHaveLength(1);
});

test('include does another flow in place', async () => {
  const part = 'metadata: {id: part, description: y}\nflow: [{set: {a: "@computed(a + 1)"}}]';
  expect(
    await output(
      '  - set: {a: 1}\n  - include: workflow://part\n  - include: workflow://part\n  - return: "${a}"',
      {},
      { contexts: [part] },
    ),
  ).toBe(3);
});

test('an agent speaks in its persona', async () => {
  const agent = 'metadata: {type: agent, id: coach, description: A coach}\npersona: You are a patient coach.';
  const { run } = await openFlowmind({
    contexts: [agent, '{metadata: {id: talk, description: x}, flow: [{step: Talk, agent: coach, instruction: Encourage}]}'],
  });
  expect((await run('workflow://talk')).context).toMatchObject({ agent: 'agent://coach', persona: 'You are a patient coach.' });
  expect((await run('agent://coach')).context).toMatchObject({ persona: 'You are a patient coach.' });
});

test('state is kept for later sessions of the same user, for as long as it may be', async () => {
  let now = new Date('2026-01-01T00:00:00Z');
  const { run } = await openFlowmind({
    contexts: [
      '{metadata: {id: keep, description: x}, flow: [{persist_state: {key: "note-${k}", value: {a: 1}, ttl: 1h}}, {return: kept}]}',
      '{metadata: {id: take, description: x}, flow: [{restore_state: {key: note-x, into: found}}, {return: "${found}"}]}',
    ],
    now: () => now,
  });
  expect((await run('workflow://take')).output).toBeNull();
  await run('workflow://keep', { initial_variables: { k: 'x' } });
  expect((await run('workflow://take')).output).toEqual({ a: 1 });
  now = new Date('2026-01-01T02:00:00Z');
  expect((await run('workflow://take')).output).toBeNull();
});

test('validate_input ends a session with the message of the rule', async () => {
  const flow = '  - validate_input: [{condition: "length(name) > 2", message: "The name ${name} is too short"}]\n  - return: fine';
  expect(await output(flow, { name: 'Anna' })).toBe('fine');
  expect((await ran(flow, { name: 'A' })).run).toMatchObject({
    status: 'failed',
    error: { code: 'invalid_input', message: 'The name A is too short' },
  });
});

test('a step is left out when its condition does not hold', async () => {
  const { run } = await openFlowmind({
    contexts: ['{metadata: {id: w, description: x}, flow: [{step: Maybe, when: n > 1}, {return: "${n}"}]}'],
  });
  expect(await run('workflow://w', { initial_variables: { n: 1 } })).toMatchObject({ status: 'completed', output: 1 });
  expect(await run('workflow://w', { initial_variables: { n: 2 } })).toMatchObject({ status: 'awaiting_step' });
});

test('a condition in words is judged where it can be; otherwise it is asked, or takes its fallback alone', async () => {
  const flow = (fallback: string) => `
  - if_semantic: the user seems frustrated
    then: [{return: soothe}]
    else: [{return: carry on}]
${fallback}`;
  expect(await output(flow(''), { message: 'I am really frustrated, this is ridiculous' })).toBe('soothe');
  expect(await output(flow(''), { message: 'I am not frustrated at all, thanks, this is great' })).toBe('carry on');
  const open = await ran(flow(''), { message: 'The parcel is blue' });
  expect(open.run).toMatchObject({ status: 'paused', reason: 'low_confidence' });
  expect((await open.answer(open.run, true)).output).toBe('soothe');
  expect(await output(flow('    low_confidence_fallback: [{return: unsure}]'), { message: 'The parcel is blue' })).toBe('unsure');
  const asked = await open.result('execute_workflow', {
    workflow_uri: 'workflow://flow',
    initial_variables: { message: 'The parcel is blue' },
  });
  expect(asked).toMatchObject({
    status: 'awaiting_answer',
    reason: 'judgement',
    question: { text: expect.stringContaining('the user seems frustrated') },
  });
});

test('switch_semantic, where_semantic and while_semantic', async () => {
  const flow =
    '  - switch_semantic: "${message}"\n    cases: {it is urgent: [{return: fast}], the user is confused: [{return: explain}]}\n    default: [{return: normal}]\n    low_confidence_fallback: [{return: unsure}]';
  expect(await output(flow, { message: 'URGENT: production is down' })).toBe('fast');
  expect(await output(flow, { message: 'No rush. Got it, I understand.' })).toBe('normal');
  expect(await output(flow, { message: 'Blue' })).toBe('unsure');
  expect(
    await output(
      '  - for_each: "m in messages"\n    where_semantic: it is urgent\n    do: [{collect: "${m}", into: kept}]\n  - return: "${kept}"',
      { messages: ['this is urgent', 'no rush, whenever'] },
    ),
  ).toEqual(['this is urgent']);
  expect(
    await output(
      '  - set: {n: 0, message: this is urgent}\n  - while_semantic: it is urgent\n    max_iterations: 9\n    do: [{increment: n}, {if: n == 3, then: [{set: {message: "no rush, take your time"}}]}]\n  - return: "${n}"',
    ),
  ).toBe(3);
});

test('every verdict is in the journal with its evaluator', async () => {
  const { run, services } = await ran('  - if_semantic: it is urgent\n    then: [{return: 1}]', { message: 'this is urgent' });
  const trace = await services.sessions.trace(run.session_id);
  expect(trace?.lines.find((line) => line.kind === 'judged')?.data).toMatchObject({
    condition: 'it is urgent',
    result: true,
    evaluator: 'predicate',
  });
});

test('a loop that never ends pauses', async () => {
  const { run } = await ran(
    '  - while: true\n    max_iterations: 10000\n    do: [{while: true, max_iterations: 10000, do: [{set: {a: 1}}]}]',
  );
  expect(run).toMatchObject({ status: 'paused', reason: 'max_nodes' });
});
