import fc from 'fast-check';
import { expect } from 'vitest';
import { type Behaviour, ReplayedFlowise, recorded } from '../../../toolsets/flowise/testing/replay.ts';
import { verifies } from '../../requirements.ts';
import { structured, toolsAt } from './tools.ts';

const TYPES = [
  'ConnectionError',
  'AuthenticationError',
  'ValidationError',
  'NotFoundError',
  'RateLimitError',
  'TimeoutError',
  'UnexpectedError',
];
const TOOLS = [
  'list_chatflows',
  'get_chatflow',
  'create_chatflow',
  'update_chatflow',
  'delete_chatflow',
  'run_prediction',
  'deploy_chatflow',
  'generate_agentflow_v2',
];
const ROUTES = [
  'GET /chatflows',
  'GET /chatflows/*',
  'POST /chatflows',
  'PUT /chatflows/*',
  'DELETE /chatflows/*',
  'POST /prediction/*',
  'GET /chatflows-streaming/*',
  'GET /validation/*',
  'POST /agentflowv2-generator/generate',
  'GET /executions',
];
const KEY = 'key-that-must-not-be-seen-4711';

/** Replies that a Flowise, a proxy or something else might give, the key repeated in them. */
const reply = fc.record({
  status: fc.constantFrom(200, 200, 200, 201, 204, 301, 400, 401, 403, 404, 412, 413, 429, 500, 500, 502, 503),
  headers: fc.record({
    'content-type': fc.constantFrom('application/json', 'text/html', 'text/event-stream', 'text/plain'),
    'retry-after': fc.constantFrom('60', 'never', '-1'),
  }),
  body: fc.oneof(
    fc.json(),
    fc.string(),
    fc.constantFrom(
      '',
      'null',
      recorded('get-agentflow').body,
      recorded('list').body,
      `{"id":"x","name":"${KEY}","type":"AGENTFLOW","deployed":true,"flowData":"{\\"nodes\\":[],\\"edges\\":[],\\"a\\":\\"${KEY}\\"}"}`,
      `{"text":"${KEY}","chatId":"${KEY}","sessionId":"${KEY}","usedTools":[{"tool":"${KEY}"}]}`,
      `{"message":"Error: x.y - Bearer ${KEY}","error":"${KEY}"}`,
      `data:{"event":"nextAgentFlow","data":{"nodeLabel":"${KEY}","status":"INPROGRESS"}}\n\ndata:{"event":"token","data":"${KEY}"}\n\ndata:{"event":"error","data":"${KEY}"}\n\n`,
      `data:{"event":"token","data":"${KEY}"}\n\ndata:{"event":"metadata","data":{"chatId":"c","action":{"data":{"nodeId":"n","nodeLabel":"${KEY}"}}}}\n\ndata:{"event":"end"}\n\n`,
    ),
  ),
});
const behaviour: fc.Arbitrary<Behaviour> = fc.oneof(
  { weight: 8, arbitrary: reply },
  { weight: 1, arbitrary: fc.constant('reset' as const) },
);

const parameters = fc.oneof(
  fc.record({
    chatflow_id: fc.string({ minLength: 1 }),
    question: fc.string({ minLength: 1 }),
    deployed: fc.boolean(),
    name: fc.string({ minLength: 1 }),
    description: fc.string({ minLength: 10 }),
    flow_data: fc.oneof(fc.constant('{"nodes":[{"id":"a","name":"startAgentflow"}],"edges":[]}'), fc.json()),
  }),
  fc.object(),
  fc.anything(),
);

verifies(
  ['flowise-error-types', 'flowise-key-not-exposed', 'flowise-error-envelope'],
  'whatever comes in and whatever Flowise answers, errors are of a published type and the key is nowhere',
  async () => {
    const flowise = await ReplayedFlowise.start();
    const tools = await toolsAt({ apiUrl: flowise.url, apiKey: KEY, timeout: 2 });
    const said: string[] = [];
    const seen = new Set<string>();
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...TOOLS),
          parameters,
          fc.array(behaviour, { minLength: ROUTES.length, maxLength: ROUTES.length }),
          async (tool, given, behaviours) => {
            ROUTES.forEach((route, index) => void flowise.on(route, behaviours[index] as Behaviour));
            const known = Object.keys(tools.catalog.find(tool)?.tool.input.shape ?? {});
            const fitting =
              given !== null && typeof given === 'object'
                ? Object.fromEntries(Object.entries(given).filter(([name]) => known.includes(name)))
                : given;
            const answer = await tools.call(tool, fitting, undefined, {
              progress: (_done, _total, message) => void said.push(message ?? ''),
            });
            const { error } = Array.isArray(answer.structured) ? { error: undefined } : (structured(answer) ?? {});
            if (answer.isError) {
              expect(TYPES).toContain(error.type);
              expect(Object.keys(error).sort()).toEqual(['details', 'message', 'type']);
              expect(typeof error.message).toBe('string');
              seen.add(error.type);
            }
            expect(`${answer.text}${JSON.stringify(answer.question ?? '')}`).not.toContain(KEY);
          },
        ),
        { numRuns: 300 },
      );
      expect([...said, JSON.stringify(tools.rows), JSON.stringify(tools.logged)].join('\n')).not.toContain(KEY);
      expect(seen.size).toBeGreaterThan(4);
    } finally {
      await flowise.close();
    }
  },
  60_000,
);
