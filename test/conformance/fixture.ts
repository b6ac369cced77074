import { setTimeout as sleep } from 'node:timers/promises';
import type { CatalogServer } from '@millrace/transports';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type ServerContext,
  type ServerNotifier,
} from '@modelcontextprotocol/server';

type Arguments = Record<string, unknown>;
type Handler = (input: Arguments, context: ServerContext) => unknown;

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const states = createRequestStateCodec<string>({ key: new Uint8Array(32).fill(7), ttlSeconds: 600 });

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const form = (properties: object, required: string[] = []) => ({ type: 'object', properties, required }) as never;

async function elicited(message: string, requestedSchema: never, context: ServerContext, key = 'answer') {
  const given = context.mcpReq.inputResponses?.[key] as { action?: string; content?: Arguments } | undefined;
  return given?.action === undefined
    ? { ask: inputRequired({ inputRequests: { [key]: inputRequired.elicit({ message, requestedSchema }) } }) }
    : { given };
}

async function completed(message: string, schema: never, context: ServerContext, say: (action: string, content: unknown) => string) {
  const { ask, given } = await elicited(message, schema, context);
  return ask ?? text(say(given.action as string, given.content ?? {}));
}

function declared(context: ServerContext): ClientCapabilities {
  return ((context.mcpReq.envelope as Arguments | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
}

async function openState(context: ServerContext): Promise<string | undefined> {
  const state = context.mcpReq.requestState<string>();
  if (state === undefined) return undefined;
  return states.verify(state, {} as never).catch(() => {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState');
  });
}

const sampling = (question: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: question } }], maxTokens });

const nameForm = form({ name: { type: 'string' } }, ['name']);
const enumForm = form({
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: {
    type: 'string',
    oneOf: [
      { const: 'value1', title: 'First Option' },
      { const: 'value2', title: 'Second Option' },
      { const: 'value3', title: 'Third Option' },
    ],
  },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: {
    type: 'array',
    items: {
      anyOf: [
        { const: 'value1', title: 'First Choice' },
        { const: 'value2', title: 'Second Choice' },
        { const: 'value3', title: 'Third Choice' },
      ],
    },
  },
});
const defaultsForm = form({
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
});

/** The tools that the conformance suite calls by name, each as its scenario describes it. */
const tools: Record<string, Handler> = {
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [
      {
        type: 'resource',
        resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource content.' },
      },
    ],
  }),
  test_multiple_content_types: () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      {
        type: 'resource',
        resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data","value":123}' },
      },
    ],
  }),
  async test_tool_with_logging(_input, { mcpReq }) {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', line);
      await sleep(50);
    }
    return text('Logged three times');
  },
  async test_tool_with_progress(_input, { mcpReq }) {
    for (const progress of [0, 50, 100]) {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      await sleep(50);
    }
    return text('Progress reported');
  },
  test_error_handling: () => ({ isError: true, ...text('This tool intentionally returns an error for testing') }),
  async test_sampling({ prompt }, { mcpReq }) {
    const result = await mcpReq.requestSampling({
      messages: [{ role: 'user', content: { type: 'text', text: String(prompt) } }],
      maxTokens: 100,
    });
    return text(`LLM response: ${JSON.stringify(result.content)}`);
  },
  test_elicitation: ({ message }, context) =>
    completed(
      String(message),
      form(
        { username: { type: 'string', description: "User's response" }, email: { type: 'string', description: "User's email address" } },
        ['username', 'email'],
      ),
      context,
      (action, content) => `User response: action: ${action}, content: ${JSON.stringify(content)}`,
    ),
  test_elicitation_sep1034_defaults: (_input, context) =>
    completed(
      'Please check the defaults',
      defaultsForm,
      context,
      (action, content) => `Elicitation completed: action=${action}, content=${JSON.stringify(content)}`,
    ),
  test_elicitation_sep1330_enums: (_input, context) =>
    completed(
      'Please choose',
      enumForm,
      context,
      (action, content) => `Elicitation completed: action=${action}, content=${JSON.stringify(content)}`,
    ),
  test_missing_capability(_input, context) {
    if (declared(context).sampling === undefined)
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    return text('Sampling is declared');
  },
  async test_streaming_elicitation(_input, context) {
    const { ask, given } = await elicited('Continue?', form({ ok: { type: 'boolean' } }), context);
    return ask ?? text(`Answered: ${given.action}`);
  },
  test_logging_tool: async (_input, { mcpReq }) => {
    await mcpReq.log('info', 'A line');
    return text('Logged');
  },
  async test_input_required_result_elicitation(_input, context) {
    const { ask, given } = await elicited('What is your name?', nameForm, context, 'user_name');
    if (ask || typeof given.content?.name !== 'string')
      return (
        ask ??
        (await elicited('What is your name?', nameForm, { ...context, mcpReq: { ...context.mcpReq, inputResponses: {} } }, 'user_name')).ask
      );
    return text(`Hello, ${given.content.name}!`);
  },
  test_input_required_result_sampling(_input, { mcpReq }) {
    const given = mcpReq.inputResponses?.capital_question as { content?: unknown } | undefined;
    if (given?.content === undefined)
      return inputRequired({ inputRequests: { capital_question: sampling('What is the capital of France?', 100) } });
    return text(JSON.stringify(given.content));
  },
  test_input_required_result_list_roots(_input, { mcpReq }) {
    const given = mcpReq.inputResponses?.client_roots as { roots?: unknown[] } | undefined;
    return given?.roots === undefined
      ? inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
      : text(`Roots: ${JSON.stringify(given.roots)}`);
  },
  async test_input_required_result_request_state(_input, context) {
    const state = await openState(context);
    const given = context.mcpReq.inputResponses?.confirm;
    if (state === 'confirming' && given !== undefined) return text('state-ok');
    const confirm = inputRequired.elicit({ message: 'Please confirm', requestedSchema: form({ ok: { type: 'boolean' } }, ['ok']) });
    return inputRequired({ inputRequests: { confirm }, requestState: await states.mint('confirming') });
  },
  async test_input_required_result_tampered_state(input, context) {
    return tools.test_input_required_result_request_state?.(input, context);
  },
  async test_input_required_result_multiple_inputs(_input, context) {
    const given = context.mcpReq.inputResponses ?? {};
    if ((await openState(context)) !== undefined && ['user_name', 'greeting', 'client_roots'].every((key) => given[key] !== undefined))
      return text('All inputs are here');
    const inputRequests = {
      user_name: inputRequired.elicit({ message: 'What is your name?', requestedSchema: nameForm }),
      greeting: sampling('Generate a greeting', 50),
      client_roots: inputRequired.listRoots(),
    };
    return inputRequired({ inputRequests, requestState: await states.mint('many') });
  },
  async test_input_required_result_multi_round(_input, context) {
    const state = await openState(context);
    const given = context.mcpReq.inputResponses ?? {};
    if (state === 'round-2' && given.step2 !== undefined) return text('Both steps are done');
    if (state === 'round-1' && given.step1 !== undefined) {
      const step2 = inputRequired.elicit({
        message: 'Step 2: What is your favorite color?',
        requestedSchema: form({ color: { type: 'string' } }, ['color']),
      });
      return inputRequired({ inputRequests: { step2 }, requestState: await states.mint('round-2') });
    }
    const step1 = inputRequired.elicit({ message: 'Step 1: What is your name?', requestedSchema: nameForm });
    return inputRequired({ inputRequests: { step1 }, requestState: await states.mint('round-1') });
  },
  test_input_required_result_capabilities(_input, context) {
    const can = declared(context);
    const inputRequests = {
      ...(can.sampling !== undefined && { question: sampling('Say something', 10) }),
      ...(can.elicitation !== undefined && {
        user_name: inputRequired.elicit({ message: 'What is your name?', requestedSchema: nameForm }),
      }),
    };
    return Object.keys(inputRequests).length > 0 ? inputRequired({ inputRequests }) : text('Nothing can be asked');
  },
  test_trigger_tool_change: () => text('The tools have changed'),
  test_trigger_prompt_change: () => text('The prompts have changed'),
  test_x_mcp_header: (input) => text(JSON.stringify(input)),
  json_schema_2020_12_tool: () => text('ok'),
};

const inputSchemas: Record<string, object> = {
  test_sampling: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
  test_elicitation: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  test_x_mcp_header: {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, priority: { type: 'number', 'x-mcp-header': 'Priority' } },
  },
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
};

const prompts: Record<string, { arguments?: object[]; get: Handler }> = {
  test_simple_prompt: { get: () => ({ messages: [said('This is a simple prompt for testing.')] }) },
  test_prompt_with_arguments: {
    arguments: [
      { name: 'arg1', required: true },
      { name: 'arg2', required: true },
    ],
    get: ({ arg1, arg2 }) => ({ messages: [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  },
  test_prompt_with_embedded_resource: {
    arguments: [{ name: 'resourceUri', required: true }],
    get: ({ resourceUri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
          },
        },
        said('Please process the embedded resource above.'),
      ],
    }),
  },
  test_prompt_with_image: { get: () => ({ messages: [{ role: 'user', content: image }, said('Please analyze the image above.')] }) },
  test_input_required_result_prompt: {
    async get(_input, context) {
      const { ask, given } = await elicited(
        'What context should the prompt use?',
        form({ context: { type: 'string' } }, ['context']),
        context,
        'user_context',
      );
      return ask ?? { messages: [said(`Context: ${JSON.stringify(given.content)}`)] };
    },
  },
};

function said(value: string) {
  return { role: 'user', content: { type: 'text', text: value } };
}

const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;
const resources = [
  { uri: 'test://static-text', name: 'static-text', description: 'Static text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static-binary', description: 'Static image', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'watched-resource', description: 'Watched', mimeType: 'text/plain' },
];

function read(uri: string) {
  const id = TEMPLATE.exec(uri)?.[1];
  if (id)
    return {
      contents: [{ uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) }],
    };
  if (uri === 'test://static-binary') return { contents: [{ uri, mimeType: 'image/png', blob: PNG }] };
  if (uri === 'test://static-text' || uri === 'test://watched-resource')
    return { contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }] };
  throw new ResourceNotFoundError(uri);
}

const LIST = { ttlMs: 1000, cacheScope: 'private' as const };

/** Puts the suite's tools, prompts and resources beside those of the product. */
export function withFixtures(server: CatalogServer, notifier?: ServerNotifier): void {
  const { server: protocol } = server;
  server.toolInputSchemaJson = (name) => inputSchemas[name] as Record<string, unknown> | undefined;
  protocol.registerCapabilities({
    prompts: { listChanged: true },
    tools: { listChanged: true },
    logging: {},
    resources: { subscribe: true, listChanged: true },
  });
  protocol.setRequestHandler('tools/list', () => ({
    tools: [
      ...server.listed(),
      ...Object.keys(tools).map((name) => ({
        name,
        description: `Fixture ${name}`,
        inputSchema: (inputSchemas[name] ?? { type: 'object' }) as never,
      })),
    ],
    ...LIST,
  }));
  protocol.setRequestHandler('tools/call', async (request, context) => {
    const { name, arguments: input } = request.params;
    const fixture = tools[name];
    if (name === 'test_trigger_tool_change') notifier?.toolsChanged();
    if (name === 'test_trigger_prompt_change') notifier?.promptsChanged();
    return (fixture ? await fixture(input ?? {}, context) : await server.call(name, input, context)) as never;
  });
  protocol.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(prompts).map(([name, prompt]) => ({
      name,
      description: `Fixture ${name}`,
      arguments: (prompt.arguments ?? []) as never,
    })),
    ...LIST,
  }));
  protocol.setRequestHandler('prompts/get', async (request, context) => {
    const prompt = prompts[request.params.name];
    if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown prompt');
    return (await prompt.get(request.params.arguments ?? {}, context)) as never;
  });
  protocol.setRequestHandler('resources/list', () => ({ resources, ...LIST }));
  protocol.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
    ...LIST,
  }));
  protocol.setRequestHandler('resources/read', (request) => ({ ...read(request.params.uri), ...LIST }));
  protocol.setRequestHandler('resources/subscribe', () => ({}));
  protocol.setRequestHandler('resources/unsubscribe', () => ({}));
}
