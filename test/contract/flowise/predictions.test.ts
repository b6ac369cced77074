import { describe, expect, test } from 'vitest';
import { json, recorded, recordedJson } from '../../../toolsets/flowise/testing/replay.ts';
import { verifies } from '../../requirements.ts';
import { structured, toolsOn } from './tools.ts';

const CHATFLOW = { 'GET /chatflows/*': recorded('get-chatflow'), 'GET /chatflows-streaming/*': recorded('streaming-no') };
const AGENTFLOW = { 'GET /chatflows/*': recorded('get-agentflow') };
const APPROVAL = { 'GET /chatflows/*': recorded('get-approval') };
const ask = { chatflow_id: 'x', question: 'hello world' };

verifies(
  ['flowise-predict-reply', 'flowise-predict-question-message-id'],
  'a chatflow answers with text and the ids that Flowise gives',
  async () => {
    const { call, flowise } = await toolsOn({ ...CHATFLOW, 'POST /prediction/*': recorded('predict-chatflow') });
    const { chatMessageId, sessionId, chatId } = recordedJson('predict-chatflow');
    expect((await call('run_prediction', ask)).structured).toEqual({ text: 'STUB: hello world', chatMessageId, sessionId, chatId });
    expect(flowise.sent('POST')[0]?.body).toMatchObject({ question: 'hello world', streaming: false });
  },
);

verifies('flowise-predict-question-message-id', 'questionMessageId is passed on when there is one', async () => {
  const { call } = await toolsOn({ ...CHATFLOW, 'POST /prediction/*': json({ text: 'x', questionMessageId: 'msg-123' }) });
  expect(structured(await call('run_prediction', ask))).toMatchObject({ text: 'x', questionMessageId: 'msg-123' });
});

verifies('flowise-predict-reply', 'text is there even when the flow answers with something else', async () => {
  for (const [reply, text] of [
    [{ json: { a: 1 } }, '{"a":1}'],
    [{ text: { a: 1 } }, '{"a":1}'],
    [{}, ''],
    [{ text: null }, ''],
  ]) {
    const { call } = await toolsOn({ ...CHATFLOW, 'POST /prediction/*': json(reply) });
    expect(structured(await call('run_prediction', ask)).text).toBe(text);
  }
});

verifies('flowise-predict-not-deployed', 'an undeployed chatflow is not run, unless requireDeployed is off', async () => {
  const routes = {
    'GET /chatflows/*': recorded('get'),
    'GET /chatflows-streaming/*': recorded('streaming-no'),
    'POST /prediction/*': recorded('predict-chatflow'),
  };
  const strict = await toolsOn(routes);
  expect(structured(await strict.call('run_prediction', ask)).error).toMatchObject({
    type: 'ValidationError',
    message: expect.stringContaining('Chatflow not deployed'),
  });
  expect(strict.flowise.sent('POST')).toEqual([]);
  const lenient = await toolsOn(routes, { requireDeployed: false });
  expect((await lenient.call('run_prediction', ask)).isError).toBe(false);
});

describe('an agentflow', () => {
  verifies('flowise-predict-reply', 'is streamed: nodes and tokens become progress, the last node the text', async () => {
    const { call, flowise } = await toolsOn({ ...AGENTFLOW, 'POST /prediction/*': recorded('predict-agentflow-stream') });
    const progress: [number, string | undefined][] = [];
    const reply = await call('run_prediction', ask, undefined, {
      progress: (done, _total, message) => void progress.push([done, message]),
    });
    expect(structured(reply)).toMatchObject({
      text: 'STUB: hello world',
      sessionId: expect.any(String),
      chatMessageId: expect.any(String),
    });
    expect(flowise.sent('POST')[0]?.body.streaming).toBe(true);
    const messages = progress.map(([, message]) => message ?? '');
    expect(messages.filter((message) => message.startsWith('"'))).toEqual([
      '"Start" runs',
      '"Start" is done',
      '"LLM" runs',
      '"LLM" is done',
    ]);
    expect(messages).toContain('STUB: ');
    expect(progress.map(([done]) => done)).toEqual(progress.map((_, index) => index + 1));
  });

  test('answers the same when it is not streamed', async () => {
    const { call } = await toolsOn({ ...AGENTFLOW, 'POST /prediction/*': recorded('predict-agentflow') });
    expect(structured(await call('run_prediction', ask))).toMatchObject({ text: 'STUB: hello world', executionId: expect.any(String) });
  });

  verifies('flowise-authentication-not-provider', 'that fails says at which node and why, not in the words of others', async () => {
    const { call } = await toolsOn({ ...AGENTFLOW, 'POST /prediction/*': recorded('predict-failed-stream') });
    const reply = await call('run_prediction', ask);
    expect(structured(reply).error).toMatchObject({
      type: 'UnexpectedError',
      message:
        'The run of the chatflow failed at the node "LLM": the provider of a model or tool refused the credential that the flow uses',
      details: {
        cause: 'provider_credential',
        node: 'llmAgentflow_0',
        trace: [
          { node: 'startAgentflow_0', label: 'Start', status: 'FINISHED' },
          { node: 'llmAgentflow_0', label: 'LLM', status: 'ERROR' },
        ],
      },
    });
    expect(recorded('predict-failed-stream').body).toContain('Troubleshooting URL');
    expect(reply.text).not.toContain('Troubleshooting');
    expect(reply.text).not.toContain('Incorrect API key');
  });

  test('that fails without a stream gets its trace from the saved run', async () => {
    const { call, flowise } = await toolsOn({
      ...AGENTFLOW,
      'POST /prediction/*': recorded('predict-failed'),
      'GET /executions': recorded('execution-failed'),
    });
    const reply = structured(await call('run_prediction', { ...ask, chat_id: 'recorded-failure' }));
    expect(reply.error.details.trace).toHaveLength(2);
    expect(Object.fromEntries(flowise.requests.at(-1)?.query ?? [])).toMatchObject({ sessionId: 'recorded-failure' });
  });
});

verifies('flowise-authentication-not-provider', "a provider's 401 in a chatflow is not an AuthenticationError", async () => {
  const { call } = await toolsOn({ ...CHATFLOW, 'POST /prediction/*': recorded('predict-failed') });
  expect(recorded('predict-failed').body).toContain('401 Unauthorized');
  expect(structured(await call('run_prediction', ask)).error).toMatchObject({
    type: 'UnexpectedError',
    details: { cause: 'provider_credential' },
  });
});

verifies('flowise-rate-limit-error', 'a limit says how long to wait', async () => {
  const { call, flowise } = await toolsOn({ ...CHATFLOW, 'POST /prediction/*': recorded('predict-rate-limited') });
  const reply = await call('run_prediction', ask);
  expect(structured(reply).error).toMatchObject({
    type: 'RateLimitError',
    message: expect.stringContaining('60 seconds'),
    details: { retry_after_seconds: 60 },
  });
  expect(reply.text).not.toContain('Slow down please');
  expect(flowise.sent('POST')).toHaveLength(1);
});

describe('a flow that stops for a person', () => {
  const routes = { ...APPROVAL };
  const paused = recorded('predict-paused-stream');
  const resumed = recorded('predict-resumed-stream');

  test('asks, and continues with the answer in the same chat', async () => {
    const { call, flowise } = await toolsOn(routes);
    flowise.on('POST /prediction/*', paused, resumed);
    const first = await call('run_prediction', ask);
    expect(first.question?.question.schema).toMatchObject({
      properties: { decision: { enum: ['proceed', 'reject'] }, feedback: { type: 'string' } },
    });
    const answer = { question_id: first.question?.question.id, value: { decision: 'proceed', feedback: 'fine' } };
    expect(structured(await call('run_prediction', { ...ask, answer })).text).toBe('APPROVED');
    const [started, continued] = flowise.sent('POST').map(({ body }) => body);
    expect(continued).toMatchObject({ humanInput: { type: 'proceed', startNodeId: 'humanInputAgentflow_0', feedback: 'fine' } });
    expect(started.humanInput).toBeUndefined();
    expect(continued.chatId).toBe(recordedChat(paused.body));
    expect(flowise.sent('POST')).toHaveLength(2);
  });

  test('refuses an answer that is none of the choices, and still waits', async () => {
    const { call, flowise } = await toolsOn(routes);
    flowise.on('POST /prediction/*', paused, resumed);
    const first = await call('run_prediction', ask);
    const answer = { question_id: first.question?.question.id, value: { decision: 'maybe' } };
    expect(structured(await call('run_prediction', { ...ask, answer })).error.type).toBe('ValidationError');
    expect(flowise.sent('POST')).toHaveLength(1);
  });
});

function recordedChat(stream: string): string {
  return /"event":"metadata","data":\{"chatId":"([^"]+)"/.exec(stream)?.[1] ?? '';
}

describe('what goes along with a question', () => {
  const TAKES_ALL = json({ ...recordedJson('uploads-images'), isRAGFileUploadAllowed: true, isSpeechToTextEnabled: true });

  test('session, chat, history and uploads are sent as Flowise reads them', async () => {
    const { call, flowise } = await toolsOn({
      ...CHATFLOW,
      'GET /chatflows-uploads/*': TAKES_ALL,
      'POST /prediction/*': recorded('predict-chatflow'),
    });
    await call('run_prediction', {
      ...ask,
      session_id: 's-1',
      chat_id: 'c-1',
      history: [
        { role: 'user', content: 'I am Bob' },
        { role: 'assistant', content: 'Hi Bob' },
      ],
      uploads: [
        { name: 'a.png', data: 'data:image/png;base64,AAAA' },
        { name: 'b.wav', data: 'data:audio/wav;base64,AAAA' },
        { name: 'c.png', data: 'https://example.com/c' },
        { name: 'd.md', data: 'data:text/markdown;base64,w6RiYw==' },
        { name: 'e.json', data: 'data:application/json,%7B%22a%22%3A1%7D' },
        { name: 'f.pdf', data: 'data:application/pdf;base64,AAAA' },
      ],
    });
    expect(flowise.sent('POST')[0]?.body).toEqual({
      question: 'hello world',
      chatId: 'c-1',
      streaming: false,
      overrideConfig: { sessionId: 's-1' },
      history: [
        { role: 'userMessage', content: 'I am Bob' },
        { role: 'apiMessage', content: 'Hi Bob' },
      ],
      uploads: [
        { name: 'a.png', data: 'data:image/png;base64,AAAA', mime: 'image/png', type: 'file' },
        { name: 'b.wav', data: 'data:audio/wav;base64,AAAA', mime: 'audio/wav', type: 'audio' },
        { name: 'c.png', data: 'https://example.com/c', mime: 'image/png', type: 'url' },
        { name: 'd.md', data: 'äbc', mime: 'text/markdown', type: 'file:full' },
        { name: 'e.json', data: '{"a":1}', mime: 'application/json', type: 'file:full' },
        { name: 'f.pdf', data: 'data:application/pdf;base64,AAAA', mime: 'application/pdf', type: 'file:rag' },
      ],
    });
  });

  test('a form takes the place of the question: Flowise refuses both together', async () => {
    const { call, flowise } = await toolsOn({ ...CHATFLOW, 'POST /prediction/*': recorded('predict-chatflow') });
    await call('run_prediction', { ...ask, chat_id: 'c-1', form: { name: 'Bob' } });
    expect(flowise.sent('POST')[0]?.body).toEqual({ form: { name: 'Bob' }, chatId: 'c-1', streaming: false });
    await call('run_prediction', { ...ask, chat_id: 'c-1', form: {} });
    expect(flowise.sent('POST')[1]?.body).toEqual({ question: 'hello world', chatId: 'c-1', streaming: false });
  });

  test('a form is answered like a question', async () => {
    const { call } = await toolsOn({ ...CHATFLOW, 'POST /prediction/*': recorded('predict-form') });
    expect(structured(await call('run_prediction', { ...ask, form: { name: 'Bob', count: 3 } })).text).toBe('3 for Bob');
  });

  test('a file that Flowise refuses is a ValidationError, and its words stay with it', async () => {
    const { call } = await toolsOn({
      ...CHATFLOW,
      'GET /chatflows-uploads/*': recorded('uploads-images'),
      'POST /prediction/*': recorded('predict-upload-refused'),
    });
    const reply = await call('run_prediction', { ...ask, uploads: [{ name: 'a.exe', data: 'data:image/png;base64,AAAA' }] });
    expect(structured(reply).error).toMatchObject({ type: 'ValidationError', details: { field: 'uploads' } });
    expect(reply.text).not.toContain('mismatch');
  });

  test('files that the flow would ignore, and what is not a file, are refused before the run', async () => {
    const { call, flowise } = await toolsOn({ ...CHATFLOW, 'GET /chatflows-uploads/*': recorded('uploads-none') });
    for (const upload of [
      { name: 'a.png', data: 'data:image/png;base64,AAAA' },
      { name: 'a.png', data: 'https://example.com/a.png' },
      { name: 'a.webm', data: 'data:audio/webm;base64,AAAA' },
      { name: 'a.pdf', data: 'data:application/pdf;base64,AAAA' },
      { name: 'a.png', data: 'no data' },
      { name: '../a.png', data: 'data:image/png;base64,AAAA' },
    ]) {
      const { error } = structured(await call('run_prediction', { ...ask, uploads: [upload] }));
      expect(error, upload.data).toMatchObject({ type: 'ValidationError', details: { field: expect.stringContaining('uploads') } });
    }
    expect(flowise.sent('POST')).toEqual([]);
  });

  test('overrides that the flow does not permit are refused by name, permitted ones are sent', async () => {
    const overrideConfig = {
      status: true,
      nodes: {
        OpenAI: [
          { name: 'temperature', enabled: true },
          { name: 'modelName', enabled: false },
        ],
      },
      variables: [{ name: 'city', enabled: true }],
    };
    const flow = json({ ...recordedJson('get-chatflow'), apiConfig: JSON.stringify({ overrideConfig }) });
    const { call, flowise } = await toolsOn({ ...CHATFLOW, 'GET /chatflows/*': flow, 'POST /prediction/*': recorded('predict-chatflow') });
    const refused = await call('run_prediction', {
      ...ask,
      overrides: { temperature: 1, modelName: 'x', vars: { city: 'Ulm', zip: '1' } },
    });
    expect(structured(refused).error).toMatchObject({
      type: 'ValidationError',
      details: { field: 'overrides', value: ['modelName', 'vars.zip'], permitted: ['temperature', 'vars.city'] },
    });
    expect(flowise.sent('POST')).toEqual([]);
    const overrides = { temperature: 1, vars: { city: 'Ulm' } };
    await call('run_prediction', { ...ask, overrides, session_id: 's' });
    expect(flowise.sent('POST')[0]?.body.overrideConfig).toEqual({ ...overrides, sessionId: 's' });
  });

  test('two questions in one chat take turns; others do not wait', async () => {
    const { call, flowise } = await toolsOn({ ...CHATFLOW, 'POST /prediction/*': { slowly: recorded('predict-chatflow'), ms: 60 } });
    let most = 0;
    let running = 0;
    flowise.on('POST /prediction/*', async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 40));
      running--;
      return recorded('predict-chatflow');
    });
    await Promise.all([1, 2, 3].map(() => call('run_prediction', { ...ask, chat_id: 'same' })));
    expect(most).toBe(1);
    await Promise.all([1, 2, 3].map(() => call('run_prediction', ask)));
    expect(most).toBe(3);
  });
});

describe('a run that is given up', () => {
  verifies('flowise-timeout-or-connection', 'explains that it may continue and where its answer will be', async () => {
    const { call, flowise } = await toolsOn({ ...CHATFLOW, 'POST /prediction/*': 'hang' }, { timeout: 1 });
    const reply = structured(await call('run_prediction', { ...ask, chat_id: 'chat-7' }));
    expect(reply.error).toMatchObject({ type: 'TimeoutError', message: expect.stringContaining('chat-7'), details: { chat_id: 'chat-7' } });
    expect(reply.error.message).toContain('may go on');
    expect(flowise.sent('PUT')).toEqual([]);
  });

  test('is stopped in Flowise when the call is cancelled', async () => {
    const { call, flowise } = await toolsOn({
      ...AGENTFLOW,
      'POST /prediction/*': 'hang',
      'PUT /chatmessage/abort/*/*': recorded('abort'),
    });
    const stop = new AbortController();
    const reply = call('run_prediction', { ...ask, chat_id: 'chat-8' }, undefined, { signal: stop.signal });
    while (flowise.sent('POST').length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    expect(structured(await reply).error).toMatchObject({
      type: 'UnexpectedError',
      message: expect.stringMatching(/^The call was cancelled/),
    });
    while (flowise.sent('PUT').length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(flowise.sent('PUT')[0]?.path).toBe(`/chatmessage/abort/${recordedJson('get-agentflow').id}/chat-8`);
  });

  test('that Flowise cannot stop is let go at once, also when Flowise does not hear of it', async () => {
    const { call, flowise } = await toolsOn({ ...CHATFLOW, 'POST /prediction/*': 'hang', 'PUT /chatmessage/abort/*/*': 'hang' });
    const stop = new AbortController();
    const reply = call('run_prediction', { ...ask, chat_id: 'chat-9' }, undefined, { signal: stop.signal });
    while (flowise.sent('POST').length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    expect(structured(await reply).error).toMatchObject({
      type: 'UnexpectedError',
      message: expect.stringMatching(/^The call was cancelled\..*may go on/),
    });
    while (flowise.sent('PUT').length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test('that waits for its turn in a chat waits no longer when it is cancelled, and the next one still does', async () => {
    const answers: (() => void)[] = [];
    const { call, flowise } = await toolsOn({
      ...CHATFLOW,
      'POST /prediction/*': async () => {
        await new Promise<void>((resolve) => answers.push(resolve));
        return recorded('predict-chatflow');
      },
    });
    const asked = (signal?: AbortSignal) => call('run_prediction', { ...ask, chat_id: 'chat-10' }, undefined, signal ? { signal } : {});
    const first = asked();
    while (answers.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const stop = new AbortController();
    const second = asked(stop.signal);
    stop.abort();
    expect(structured(await second).error.type).toBe('UnexpectedError');
    const third = asked();
    answers[0]?.();
    expect(structured(await first).error).toBeUndefined();
    while (answers.length === 1) await new Promise((resolve) => setTimeout(resolve, 5));
    answers[1]?.();
    expect(structured(await third).error).toBeUndefined();
    expect(flowise.sent('POST')).toHaveLength(2);
  });

  test('can be asked for later', async () => {
    const { call } = await toolsOn({
      ...APPROVAL,
      'GET /chatmessage/*': recorded('messages'),
      'GET /executions': recorded('execution-failed'),
    });
    expect(structured(await call('get_prediction_result', { chatflow_id: 'x', chat_id: 'recorded-pause' }))).toMatchObject({
      status: 'failed',
      text: 'APPROVED',
      trace: [{ node: 'startAgentflow_0' }, { node: 'llmAgentflow_0', status: 'ERROR' }],
    });
  });
});

describe('the look at the flow before a run', () => {
  test('is shared by runs that begin together, and renewed after a change through us', async () => {
    const { call, flowise } = await toolsOn({
      ...CHATFLOW,
      'POST /prediction/*': recorded('predict-chatflow'),
      'PUT /chatflows/*': recorded('update'),
    });
    const looks = () => flowise.sent('GET').filter(({ path }) => path === '/chatflows/x').length;
    await Promise.all([1, 2, 3, 4, 5].map(() => call('run_prediction', ask)));
    expect(looks()).toBe(1);
    await call('update_chatflow', { chatflow_id: 'x', name: 'y' });
    flowise.on('GET /chatflows/*', recorded('get'));
    expect(structured(await call('run_prediction', ask)).error.message).toContain('not deployed');
  });

  test('that failed is not remembered', async () => {
    const { call, flowise } = await toolsOn({
      ...CHATFLOW,
      'GET /chatflows/*': recorded('get-missing'),
      'POST /prediction/*': recorded('predict-chatflow'),
    });
    expect(structured(await call('run_prediction', ask)).error.type).toBe('NotFoundError');
    flowise.on('GET /chatflows/*', recorded('get-chatflow'));
    expect((await call('run_prediction', ask)).isError).toBe(false);
  });
});
