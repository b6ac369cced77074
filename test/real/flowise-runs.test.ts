import { describe, expect, test } from 'vitest';
import { verifies } from '../requirements.ts';
import { makeKey } from './flowise-api.ts';
import { agentflowApproval, agentflowForm, agentflowFunction, agentflowModel, chatflowConversation } from './flowise-flows.ts';
import { flowiseSuite, MISSING, until } from './flowise-suite.ts';

const suite = flowiseSuite();
const { call, create } = suite;

describe('refusals', () => {
  verifies('flowise-get-malformed-id', 'a malformed id is a ValidationError, as Flowise reports it', async () => {
    expect((await call('get_chatflow', { chatflow_id: 'not-an-id' })).error).toMatchObject({
      type: 'ValidationError',
      details: { field: 'chatflow_id' },
    });
  });

  verifies('flowise-not-found', 'the id of no chatflow is a NotFoundError', async () => {
    const calls: Record<string, object> = {
      get_chatflow: {},
      update_chatflow: { name: 'x' },
      delete_chatflow: {},
      run_prediction: { question: 'x' },
      deploy_chatflow: { deployed: true },
    };
    for (const [tool, rest] of Object.entries(calls))
      expect((await call(tool, { chatflow_id: MISSING, ...rest })).error.type, tool).toBe('NotFoundError');
  });

  verifies('flowise-authentication-error', 'a wrong key is an AuthenticationError for each of the eight tools', async () => {
    const id = await create('Locked', agentflowFunction());
    const eight: Record<string, object> = {
      list_chatflows: {},
      get_chatflow: { chatflow_id: id },
      create_chatflow: { name: 'x', flow_data: agentflowFunction() },
      update_chatflow: { chatflow_id: id, name: 'y' },
      delete_chatflow: { chatflow_id: id },
      run_prediction: { chatflow_id: id, question: 'y' },
      deploy_chatflow: { chatflow_id: id, deployed: true },
      generate_agentflow_v2: { description: 'an agent that does something' },
    };
    for (const apiKey of ['a-wrong-key-of-some-length', undefined]) {
      const tools = await suite.real.toolsWith({ FLOWISE_API_KEY: apiKey });
      for (const [tool, parameters] of Object.entries(eight)) {
        expect((await call(tool, parameters, {}, tools)).error?.type, tool).toBe('AuthenticationError');
      }
    }
    expect((await call('get_chatflow', { chatflow_id: id })).name).toBe('Locked');
  });

  verifies(
    'flowise-authentication-error',
    'a flow bound to another key answers with status 500, which is an AuthenticationError',
    async () => {
      const id = await create('Bound', agentflowFunction());
      await suite.real.api.send('PUT', `/chatflows/${id}`, { apikeyid: MISSING });
      expect((await call('run_prediction', { chatflow_id: id, question: 'x' })).error?.type).toBe('AuthenticationError');
    },
  );

  test('the error for a key without a permission names the permission', async () => {
    const apiKey = await makeKey(suite.real.flowise.url, suite.real.flowise.account, ['chatflows:view', 'agentflows:view']);
    const tools = await suite.real.toolsWith({ FLOWISE_API_KEY: apiKey });
    const id = await create('Read only', agentflowFunction());
    expect((await call('list_chatflows', {}, {}, tools)).length).toBeGreaterThan(0);
    expect((await call('update_chatflow', { chatflow_id: id, name: 'x' }, {}, tools)).error).toMatchObject({
      type: 'AuthenticationError',
      details: { permission: 'chatflows:update' },
    });
    expect((await call('delete_chatflow', { chatflow_id: id }, {}, tools)).error).toMatchObject({
      details: { permission: 'chatflows:delete' },
    });
    const checks = (await tools.catalog.toolsets[0]?.checks?.()) ?? [];
    expect(checks.at(-1)).toMatchObject({
      state: 'broken',
      fix: { instruction: expect.stringContaining('chatflows:create') },
    });
  });

  verifies('flowise-authentication-not-provider', "a model provider's 401 is not an AuthenticationError", async () => {
    for (const [name, flow] of [
      ['Agent', agentflowModel(suite.real.needs)],
      ['Chat', chatflowConversation(suite.real.needs)],
    ] as const) {
      const id = await create(`${name} with a bad key`, flow);
      expect((await call('run_prediction', { chatflow_id: id, question: 'FAIL401' })).error).toMatchObject({
        type: 'UnexpectedError',
        details: { cause: 'provider_credential' },
      });
    }
  });

  verifies('flowise-rate-limit-error', "a flow's rate limit is a RateLimitError with the wait", async () => {
    const id = await create('Limited', agentflowFunction());
    const rateLimit = { status: true, limitMax: 1, limitDuration: 60, limitMsg: 'Slow down please' };
    await suite.real.api.send('PUT', `/chatflows/${id}`, { apiConfig: JSON.stringify({ rateLimit }) });
    expect((await call('run_prediction', { chatflow_id: id, question: 'x' })).text).toBe('ECHO: x');
    expect((await call('run_prediction', { chatflow_id: id, question: 'x' })).error).toMatchObject({
      type: 'RateLimitError',
      details: { retry_after_seconds: expect.closeTo(60, -1) },
    });
  });
});

describe('runs', () => {
  test('stream: the nodes and the growing answer become progress', async () => {
    const id = await create('Streaming', agentflowModel(suite.real.needs));
    const messages: string[] = [];
    const reply = await call(
      'run_prediction',
      { chatflow_id: id, question: 'LONG' },
      { progress: (_done: number, _total: number | undefined, message: string) => messages.push(message) },
    );
    expect(reply.text).toBe(Array.from({ length: 40 }, (_, index) => `word${index}`).join(' '));
    expect(messages).toContain('"LLM" runs');
    expect(messages.filter((message) => message.startsWith('word0')).length).toBeGreaterThan(2);
  });

  test('stop in Flowise when the call is cancelled', async () => {
    const id = await create('Cancelled', agentflowModel(suite.real.needs));
    const stop = new AbortController();
    const [requests, abandoned] = [suite.real.model.requests, suite.real.model.abandoned];
    const reply = call('run_prediction', { chatflow_id: id, question: 'SLOW20', chat_id: 'to-be-cancelled' }, { signal: stop.signal });
    await until(() => suite.real.model.requests > requests);
    stop.abort();
    expect((await reply).error).toMatchObject({ type: 'UnexpectedError', message: expect.stringMatching(/^The call was cancelled/) });
    await until(() => suite.real.model.abandoned > abandoned);
    expect(await call('get_prediction_result', { chatflow_id: id, chat_id: 'to-be-cancelled' })).toMatchObject({ status: 'failed' });
  });

  test('that cannot be stopped are released at once when the call is cancelled, and the reply explains it', async () => {
    const id = await create('Unstoppable', chatflowConversation(suite.real.needs));
    const stop = new AbortController();
    const [requests, abandoned] = [suite.real.model.requests, suite.real.model.abandoned];
    const reply = call('run_prediction', { chatflow_id: id, question: 'SLOW5', chat_id: 'let-go' }, { signal: stop.signal });
    await until(() => suite.real.model.requests > requests);
    stop.abort();
    expect((await reply).error).toMatchObject({
      type: 'UnexpectedError',
      message: expect.stringContaining('may go on'),
    });
    await until(async () => (await call('get_prediction_result', { chatflow_id: id, chat_id: 'let-go' })).status === 'finished');
    expect(suite.real.model.abandoned).toBe(abandoned);
  });

  verifies(
    'flowise-timeout-or-connection',
    'that take too long continue, and their answer can be fetched where the TimeoutError says',
    async () => {
      const tools = await suite.real.toolsWith({ FLOWISE_TIMEOUT: '1' });
      for (const [name, flow] of [
        ['Slow agent', agentflowModel(suite.real.needs)],
        ['Slow chat', chatflowConversation(suite.real.needs)],
      ] as const) {
        const id = await create(name, flow);
        const { error } = await call('run_prediction', { chatflow_id: id, question: 'SLOW3 please' }, {}, tools);
        expect(error).toMatchObject({ type: 'TimeoutError', details: { chatflow_id: id, chat_id: expect.any(String) } });
        const result = () => call('get_prediction_result', { chatflow_id: id, chat_id: error.details.chat_id });
        await until(async () => (await result()).status === 'finished');
        expect(await result()).toMatchObject({ text: 'STUB: SLOW3 please' });
      }
    },
  );

  test('that stop for a person ask, and continue either way', async () => {
    const id = await create('Approval', agentflowApproval());
    for (const [decision, text] of [
      ['proceed', 'APPROVED'],
      ['reject', 'REJECTED'],
    ]) {
      const question = { chatflow_id: id, question: `please ${decision}` };
      const asked = await suite.real.tools.call('run_prediction', question);
      expect(asked.question?.question.text).toContain('Publish it?');
      const answer = { question_id: asked.question?.question.id, value: { decision, feedback: 'by a person' } };
      expect(await call('run_prediction', { ...question, answer })).toMatchObject({ text });
    }
  });

  test('remember a session, take a history, and refuse overrides that the flow does not permit', async () => {
    const id = await create('Session', agentflowFunction("return $flow.sessionId + ' ' + $flow.chatId"));
    expect((await call('run_prediction', { chatflow_id: id, question: 'x', session_id: 'session-1', chat_id: 'chat-1' })).text).toBe(
      'session-1 chat-1',
    );
    const talk = await create('History', agentflowModel(suite.real.needs));
    const history = [
      { role: 'user', content: 'I am Bob' },
      { role: 'assistant', content: 'Hi Bob' },
    ];
    expect((await call('run_prediction', { chatflow_id: talk, question: 'Who am I?', history })).text).toBe('STUB: Who am I?');
    expect((await call('run_prediction', { chatflow_id: talk, question: 'x', overrides: { llmUserMessage: 'y' } })).error).toMatchObject({
      type: 'ValidationError',
      details: { field: 'overrides', permitted: [] },
    });
    const nodes = { LLM: [{ name: 'llmUserMessage', enabled: true }] };
    await suite.real.api.send('PUT', `/chatflows/${talk}`, {
      apiConfig: JSON.stringify({ overrideConfig: { status: true, nodes, variables: [] } }),
    });
    expect((await call('run_prediction', { chatflow_id: talk, question: 'x', overrides: { llmUserMessage: 'overridden' } })).text).toBe(
      'STUB: overridden',
    );
  });

  test('of a failing agentflow show which node it was', async () => {
    const id = await create('Failing', agentflowFunction("throw new Error('secret cause')"));
    const reply = await suite.real.tools.call('run_prediction', { chatflow_id: id, question: 'x' });
    expect(reply.structured).toMatchObject({
      error: {
        type: 'UnexpectedError',
        details: { node: 'customFunctionAgentflow_0', trace: [{ status: 'FINISHED' }, { status: 'ERROR' }] },
      },
    });
    expect(reply.text).not.toContain('secret cause');
  });

  verifies('flowise-concurrent-calls', 'ten at once do not wait for each other', async () => {
    const id = await create('Ten', agentflowModel(suite.real.needs));
    // The model answers none before all ten have asked it.
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => call('run_prediction', { chatflow_id: id, question: `GATHER10 ${index}` })),
    );
    expect(replies.map((reply) => reply.text)).toEqual(replies.map((_, index) => `STUB: GATHER10 ${index}`));
  });
});

describe('files and forms', () => {
  const PIXEL = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const flows = (settings: object): [string, string][] => [
    ['agentflow', agentflowModel(suite.real.needs, settings)],
    ['chatflow', chatflowConversation(suite.real.needs, settings)],
  ];

  test('an image reaches the model of a flow that takes images, and is refused by one that would ignore it', async () => {
    const upload = { name: 'pixel.png', data: PIXEL };
    for (const [kind, flow] of flows({ allowImageUploads: true })) {
      const id = await create(`Seeing ${kind}`, flow);
      const reply = await call('run_prediction', { chatflow_id: id, question: 'What is it?', uploads: [upload] });
      expect(reply.text, kind).toContain('[image_url]');
    }
    for (const [kind, flow] of flows({})) {
      const id = await create(`Blind ${kind}`, flow);
      expect((await call('run_prediction', { chatflow_id: id, question: 'x', uploads: [upload] })).error, kind).toMatchObject({
        type: 'ValidationError',
        details: { field: 'uploads', value: 'pixel.png', constraint: 'accepted' },
      });
    }
  });

  test('a text file is put before the question', async () => {
    const data = `data:text/plain;base64,${Buffer.from('The parcel is late – again.').toString('base64')}`;
    for (const [kind, flow] of flows({})) {
      const id = await create(`Reading ${kind}`, flow);
      const reply = await call('run_prediction', { chatflow_id: id, question: 'Why?', uploads: [{ name: 'note.txt', data }] });
      expect(reply.text, kind).toContain("<doc name='note.txt'>The parcel is late – again.</doc>");
      expect(reply.text, kind).toMatch(/Why\?$/);
    }
  });

  test('a file whose name and content do not fit is a ValidationError', async () => {
    const [[, flow] = ['', '']] = flows({ allowImageUploads: true });
    const id = await create('Strict', flow);
    for (const name of ['pixel.exe', 'pixel', '../../pixel.pdf']) {
      const { error } = await call('run_prediction', { chatflow_id: id, question: 'x', uploads: [{ name, data: PIXEL }] });
      expect(error, name).toMatchObject({ type: 'ValidationError', details: { field: expect.stringContaining('uploads') } });
    }
  });

  test('audio and documents are refused where nothing would hear or read them', async () => {
    const id = await create('Deaf', agentflowModel(suite.real.needs));
    for (const [name, data] of [
      ['word.webm', 'data:audio/webm;base64,AAAA'],
      ['paper.pdf', 'data:application/pdf;base64,AAAA'],
    ]) {
      const { error } = await call('run_prediction', { chatflow_id: id, question: 'x', uploads: [{ name, data }] });
      expect(error, name).toMatchObject({ type: 'ValidationError', details: { field: 'uploads', constraint: 'accepted' } });
    }
  });

  test('a flow that starts with a form gets its values', async () => {
    const id = await create('Order form', agentflowForm());
    const filled = { chatflow_id: id, question: 'Please order', form: { name: 'Bob', count: 3 }, session_id: 'order-1' };
    expect(await call('run_prediction', filled)).toMatchObject({ text: '3 for Bob' });
    const { json } = await suite.real.api.send('POST', `/prediction/${id}`, { question: 'x', form: { name: 'Bob' } });
    expect(json.message).toContain('Question and form cannot be provided at the same time');
  });
});

describe('generate_agentflow_v2', () => {
  verifies(
    ['flowise-generate-model-injected', 'flowise-generate-to-create', 'flowise-generate-reply'],
    'finds a model, puts it into the flow, and the flow is created unchanged and runs',
    async () => {
      for (const format of ['thin', 'full']) {
        const generated = await call('generate_agentflow_v2', {
          description: 'Create a translator that translates what it is given',
          format,
        });
        expect(generated).toMatchObject({ name: 'Translator', description: 'Translator that translates what it is given' });
        const nodes = JSON.parse(generated.flowData).nodes.map((node: { data?: object }) => node.data ?? node);
        const needing = nodes.filter((node: { name: string }) => node.name === 'llmAgentflow');
        expect(needing).toMatchObject([
          { inputs: { llmModel: 'chatOpenAI', llmModelConfig: { FLOWISE_CREDENTIAL_ID: suite.real.needs.credential } } },
        ]);
        const created = await call('create_chatflow', { name: generated.name, flow_data: generated.flowData, deployed: true });
        expect(created).toMatchObject({ type: 'AGENTFLOW', deployed: true });
        expect((await call('run_prediction', { chatflow_id: created.id, question: 'guten Tag' })).text).toBe('STUB: guten Tag');
      }
    },
  );

  verifies('flowise-generate-unusable', 'a model that answers in prose is a ValidationError', async () => {
    expect((await call('generate_agentflow_v2', { description: 'NONSENSE, please, and a lot of it' })).error?.type).toBe('ValidationError');
  });

  test('uses the configured model and credential', async () => {
    const tools = await suite.real.toolsWith({
      FLOWISE_CHAT_MODEL: 'chatOpenAI',
      FLOWISE_CREDENTIAL: 'stand-in',
      FLOWISE_MODEL_INPUTS: JSON.stringify({ modelName: 'gpt-test', basepath: suite.real.model.url }),
    });
    const { flowData } = await call('generate_agentflow_v2', { description: 'Create a translator please' }, {}, tools);
    expect(flowData).toContain('gpt-test');
    const nameless = await suite.real.toolsWith({ FLOWISE_CHAT_MODEL: 'noSuchModel' });
    expect((await call('generate_agentflow_v2', { description: 'Create a translator please' }, {}, nameless)).error).toMatchObject({
      type: 'ValidationError',
    });
  });
});

test('chatflows are contexts, and doctor finds everything well', async () => {
  await create('Findable Flow', agentflowFunction());
  const tools = await suite.real.toolsWith({});
  const contexts = await tools.catalog.contexts();
  expect(contexts.find((context) => context.uri === 'agent://flowise/findable-flow')).toMatchObject({ action: { tool: 'run_prediction' } });
  const checks = (await tools.catalog.toolsets[0]?.checks?.()) ?? [];
  expect(checks.map(({ state }) => state)).toEqual(['ok', 'ok', 'ok', 'ok']);
});

verifies('flowise-key-not-exposed', 'the key is in no reply, audit row or log line of all of this', async () => {
  const key = suite.real.flowise.apiKey;
  const reply = await call('create_chatflow', { name: 'Telltale', flow_data: agentflowFunction(`return '${key}'`), deployed: true });
  const run = await suite.real.tools.call('run_prediction', { chatflow_id: reply.id, question: 'x' });
  expect(run.text).toContain('[redacted]');
  const shown = await suite.real.tools.call('get_chatflow', { chatflow_id: reply.id });
  expect(`${run.text}${shown.text}`).not.toContain(key);
  const results = suite.real.tools.rows.map(({ result }) => result);
  expect(`${JSON.stringify(results)}${JSON.stringify(suite.real.tools.logged)}`).not.toContain(key);
});
