import { describe, expect } from 'vitest';
import { recorded, recordedJson } from '../../../toolsets/flowise/testing/replay.ts';
import { verifies } from '../../requirements.ts';
import { EIGHT, structured, toolsOn } from './tools.ts';

const MISSING = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
const SKELETON = '{"nodes":[{"id":"node-1","type":"llm","data":{}}],"edges":[]}';

describe('arguments', () => {
  verifies(
    ['flowise-name-limit', 'flowise-error-envelope', 'flowise-error-validation-details'],
    'an empty name is refused as published',
    async () => {
      const { call } = await toolsOn({});
      const reply = await call('create_chatflow', { name: '', flow_data: SKELETON });
      expect(reply.isError).toBe(true);
      expect(reply.structured).toEqual({
        error: {
          type: 'ValidationError',
          message: 'Chatflow name must be between 1 and 255 characters',
          details: { field: 'name', value: '', constraint: 'minLength' },
        },
      });
      expect(JSON.parse(reply.text)).toEqual(reply.structured);
    },
  );

  verifies('flowise-name-limit', 'a name above 255 characters is refused, on update too, and 255 of any kind are not', async () => {
    const { call, flowise } = await toolsOn({ 'POST /chatflows': recorded('create') });
    for (const [tool, rest] of [
      ['create_chatflow', { flow_data: SKELETON }],
      ['update_chatflow', { chatflow_id: 'x' }],
    ] as const) {
      expect(structured(await call(tool, { name: 'x'.repeat(256), ...rest })).error).toMatchObject({
        message: 'Chatflow name must be between 1 and 255 characters',
        details: { field: 'name', constraint: 'maxLength' },
      });
    }
    expect(flowise.requests).toEqual([]);
    expect((await call('create_chatflow', { name: '🌊'.repeat(255), flow_data: SKELETON })).isError).toBe(false);
  });

  verifies('flowise-create-required', 'a missing name or flow_data is named', async () => {
    const { call } = await toolsOn({});
    expect(structured(await call('create_chatflow', { flow_data: SKELETON })).error.details).toEqual({
      field: 'name',
      value: null,
      constraint: 'required',
    });
    expect(structured(await call('create_chatflow', { name: 'a' })).error.details).toEqual({
      field: 'flow_data',
      value: null,
      constraint: 'required',
    });
  });

  verifies('flowise-chatflow-id-required', 'chatflow_id is required and not empty, and Flowise is not contacted', async () => {
    const { call, flowise } = await toolsOn({});
    const others: Record<string, object> = {
      get_chatflow: {},
      update_chatflow: { name: 'x' },
      delete_chatflow: {},
      run_prediction: { question: 'x' },
      deploy_chatflow: { deployed: true },
    };
    for (const [tool, rest] of Object.entries(others)) {
      for (const given of [{}, { chatflow_id: '' }]) {
        expect(structured(await call(tool, { ...rest, ...given })).error).toMatchObject({
          type: 'ValidationError',
          details: { field: 'chatflow_id' },
        });
      }
    }
    expect(flowise.requests).toEqual([]);
  });

  verifies('flowise-predict-question-required', 'question is required and not empty', async () => {
    const { call } = await toolsOn({});
    for (const given of [{}, { question: '' }]) {
      expect(structured(await call('run_prediction', { chatflow_id: 'x', ...given })).error).toMatchObject({
        type: 'ValidationError',
        details: { field: 'question' },
      });
    }
  });

  verifies('flowise-deploy-deployed-required', 'deployed of deploy_chatflow is a boolean', async () => {
    const { call } = await toolsOn({});
    for (const given of [{}, { deployed: 'true' }, { deployed: null }, { deployed: 1 }]) {
      expect(structured(await call('deploy_chatflow', { chatflow_id: 'x', ...given })).error).toMatchObject({
        type: 'ValidationError',
        details: { field: 'deployed' },
      });
    }
  });

  verifies('flowise-generate-description-min', 'a description has at least ten characters', async () => {
    const { call } = await toolsOn({});
    expect(structured(await call('generate_agentflow_v2', { description: 'too short' })).error).toMatchObject({
      type: 'ValidationError',
      details: { field: 'description', value: 'too short', constraint: 'minLength' },
    });
  });

  verifies('flowise-update-no-fields', 'an update without fields is refused', async () => {
    const { call, flowise } = await toolsOn({});
    const reply = structured(await call('update_chatflow', { chatflow_id: 'x' }));
    expect(reply.error).toMatchObject({ type: 'ValidationError', message: expect.stringContaining('No update field was provided') });
    expect(flowise.requests).toEqual([]);
  });

  const bad: [string, string][] = [
    ['empty', ''],
    ['not JSON', '{nodes:[]'],
    ['a text', '"nodes"'],
    ['null', 'null'],
    ['a list', '[]'],
    ['without nodes', '{"edges":[]}'],
    ['without edges', '{"nodes":[]}'],
    ['with nodes that are not a list', '{"nodes":{},"edges":[]}'],
    ['with a node that is not an object', '{"nodes":["x"],"edges":[]}'],
    ['nested endlessly', `{"nodes":[${'['.repeat(200_000)}${']'.repeat(200_000)}],"edges":[]}`],
    ['nested endlessly in objects', `{"nodes":[{"id":"a","data":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}],"edges":[]}`],
    ['with thousands of nodes', `{"nodes":[${Array.from({ length: 5000 }, () => '{"name":"startAgentflow"}').join(',')}],"edges":[]}`],
  ];
  verifies('flowise-flow-data-json', 'flow_data that is not a flow is refused and nothing is written', async () => {
    const { call, flowise } = await toolsOn({ 'GET /chatflows/*': recorded('get') });
    for (const [what, flow_data] of bad) {
      const created = structured(await call('create_chatflow', { name: 'a', flow_data }));
      expect(created.error, what).toMatchObject({ type: 'ValidationError', details: { field: 'flow_data' } });
      const changed = structured(await call('update_chatflow', { chatflow_id: 'x', flow_data }));
      expect(changed.error, what).toMatchObject({ type: 'ValidationError', details: { field: 'flow_data' } });
    }
    expect([...flowise.sent('POST'), ...flowise.sent('PUT')]).toEqual([]);
  });

  verifies('flowise-flow-data-size', 'flow_data of 1 MB is refused before Flowise is contacted; one byte less is not', async () => {
    const { call, flowise } = await toolsOn({ 'POST /chatflows': recorded('create') });
    const sized = (bytes: number) => {
      const frame = '{"nodes":[],"edges":[],"note":""}';
      return frame.replace('""', `"${'ä'.repeat(10)}${'x'.repeat(bytes - frame.length - 20)}"`);
    };
    expect(Buffer.byteLength(sized(1_048_576))).toBe(1_048_576);
    for (const [tool, rest] of [
      ['create_chatflow', { name: 'a' }],
      ['update_chatflow', { chatflow_id: 'x' }],
    ] as const) {
      expect(structured(await call(tool, { flow_data: sized(1_048_576), ...rest })).error).toMatchObject({
        type: 'ValidationError',
        details: { field: 'flow_data', constraint: 'maxLength' },
      });
    }
    expect(flowise.requests).toEqual([]);
    expect((await call('create_chatflow', { name: 'a', flow_data: sized(1_048_575) })).isError).toBe(false);
  });

  verifies('flowise-key-not-exposed', 'no argument takes a credential', async () => {
    const { catalog } = await toolsOn({});
    const names = catalog.entries().flatMap(({ inputSchema }) => Object.keys(inputSchema.properties as object));
    expect(names.filter((name) => /key|secret|token|password|credential/i.test(name))).toEqual([]);
  });
});

describe('what Flowise refuses', () => {
  verifies('flowise-not-found', 'the id of no chatflow is a NotFoundError', async () => {
    const { call } = await toolsOn({ 'GET /chatflows/*': recorded('get-missing'), 'PUT /chatflows/*': recorded('update-missing') });
    const calls: Record<string, object> = {
      get_chatflow: {},
      update_chatflow: { name: 'x' },
      run_prediction: { question: 'x' },
      deploy_chatflow: { deployed: true },
      delete_chatflow: {},
    };
    for (const [tool, rest] of Object.entries(calls)) {
      expect(structured(await call(tool, { chatflow_id: MISSING, ...rest })).error, tool).toMatchObject({
        type: 'NotFoundError',
        details: { chatflow_id: MISSING },
      });
    }
  });

  verifies('flowise-delete-not-found', 'status 500 that says not found is a NotFoundError too', async () => {
    const { call } = await toolsOn({ 'GET /chatflows/*': recorded('get'), 'DELETE /chatflows/*': recorded('delete-missing') });
    expect(recorded('delete-missing').status).toBe(500);
    expect(structured(await call('delete_chatflow', { chatflow_id: MISSING })).error.type).toBe('NotFoundError');
  });

  verifies('flowise-get-malformed-id', 'an id that Flowise calls malformed is a ValidationError, with status 400 and 500', async () => {
    const { call } = await toolsOn({
      'GET /chatflows/not-an-id': recorded('get-malformed'),
      'GET /chatflows/*': recorded('get'),
      'DELETE /chatflows/*': recorded('delete-malformed'),
    });
    expect(structured(await call('get_chatflow', { chatflow_id: 'not-an-id' })).error).toMatchObject({
      type: 'ValidationError',
      details: { field: 'chatflow_id', value: 'not-an-id' },
    });
    expect(structured(await call('delete_chatflow', { chatflow_id: 'other' })).error).toMatchObject({ type: 'ValidationError' });
    expect((await call('get_chatflow', { chatflow_id: 'any string at all' })).isError).toBe(false);
  });

  verifies('flowise-authentication-error', 'a refused key is an AuthenticationError for each of the eight tools', async () => {
    const unauthorized = recorded('unauthorized');
    const everywhere = ['GET /chatflows', 'GET /chatflows/*', 'POST /chatflows', 'GET /nodes', 'GET /credentials'];
    const { call } = await toolsOn(Object.fromEntries(everywhere.map((route) => [route, unauthorized])));
    for (const [tool, parameters] of Object.entries(EIGHT)) {
      expect(structured(await call(tool, parameters)).error, tool).toMatchObject({
        type: 'AuthenticationError',
        details: { variable: 'FLOWISE_API_KEY' },
      });
    }
  });

  verifies('flowise-authentication-error', 'status 500 "Unauthorized" of a flow bound to another key is one too', async () => {
    const { call } = await toolsOn({
      'GET /chatflows/*': recorded('get-chatflow'),
      'GET /chatflows-streaming/*': recorded('streaming-no'),
      'POST /prediction/*': recorded('predict-unauthorized'),
    });
    expect(recorded('predict-unauthorized').status).toBe(500);
    expect(structured(await call('run_prediction', { chatflow_id: 'x', question: 'x' })).error.type).toBe('AuthenticationError');
  });

  verifies('flowise-authentication-error', 'the error for a key without the permission names it', async () => {
    const { call } = await toolsOn({ 'GET /chatflows/*': recorded('get'), 'PUT /chatflows/*': recorded('forbidden') });
    const reply = structured(await call('update_chatflow', { chatflow_id: 'x', name: 'y' }));
    expect(reply.error).toMatchObject({ type: 'AuthenticationError', details: { permission: 'chatflows:update' } });
    expect(reply.error.message).toContain('chatflows:update');
  });

  verifies('flowise-unexpected-error', 'any other failure is an UnexpectedError in our words', async () => {
    const { call } = await toolsOn({ 'POST /chatflows': recorded('create-bad-flow') });
    const reply = await call('create_chatflow', { name: 'x', flow_data: SKELETON });
    expect(structured(reply).error).toMatchObject({
      type: 'UnexpectedError',
      message: 'Flowise failed to create the chatflow (status 500)',
    });
    expect(recorded('create-bad-flow').body).toContain('is not iterable');
    expect(reply.text).not.toContain('is not iterable');
    expect(reply.text).not.toContain('stack');
  });

  verifies('flowise-unexpected-error', 'a type that Flowise does not take is a ValidationError about the type', async () => {
    const { call } = await toolsOn({ 'POST /chatflows': recorded('create-bad-type') });
    expect(structured(await call('create_chatflow', { name: 'x', flow_data: SKELETON })).error).toMatchObject({
      type: 'ValidationError',
      details: { field: 'type' },
    });
  });
});

verifies('flowise-error-envelope', 'an answer that is needed first keeps to the envelope as well', async () => {
  const { call } = await toolsOn({ 'GET /chatflows/*': recorded('get-approval'), 'POST /prediction/*': recorded('predict-paused-stream') });
  const reply = await call('run_prediction', { chatflow_id: recordedJson('get-approval').id, question: 'x' });
  expect(Object.keys(structured(reply).error).sort()).toEqual(['details', 'message', 'type']);
  expect(reply.question?.question.text).toContain('Publish it?');
});
