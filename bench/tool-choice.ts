// Which tools the chat agent shows a model, and what they cost: node bench/tool-choice.ts
import { modelAt } from '../test/agent/stage.ts';
import { NEEDS } from '../test/agent/tool-needs.ts';
import { OWNER, openMillrace } from '../test/harness/millrace.ts';
import { standIn } from '../test/harness/openai-stand-in.ts';
import { product, setup } from '../test/harness/package.ts';
import { indexed } from '../test/harness/tool-listing.ts';
import { table } from './measure.ts';

setup();
const endpoint = await standIn();
const millrace = await openMillrace({ environment: { MILLRACE_TIME_ZONE: 'UTC', ...modelAt(endpoint.url) } });
await indexed(millrace);
const { openAgent } = await product();
const agent = await openAgent(millrace, millrace.configuration, millrace.log);

/** The first request that the endpoint receives when a conversation starts with these words. */
async function firstRequest(message: string): Promise<{ bytes: number; tools: string[] }> {
  endpoint.requests.length = 0;
  await agent.turn({ user: OWNER, message });
  const [request] = endpoint.requests;
  return { bytes: Buffer.byteLength(JSON.stringify(request)), tools: request?.tools?.map((tool) => tool.function.name) ?? [] };
}

const hello = await firstRequest('hello');
let found = 0;
let bytes = 0;
let shown = 0;
for (const [message, ...needed] of NEEDS) {
  const request = await firstRequest(message);
  if (needed.some((name) => request.tools.includes(name))) found++;
  else process.stderr.write(`missed: ${message} (${needed[0]})\n`);
  bytes += request.bytes;
  shown += request.tools.length;
}
process.stdout.write(
  table(
    ['what', 'figure'],
    [
      ['first request for "hello"', `${hello.bytes} bytes, ${hello.tools.length} tool`],
      [`requests whose tool is in the first request, of ${NEEDS.length}`, `${found} (${((100 * found) / NEEDS.length).toFixed(1)} %)`],
      ['their mean size', `${Math.round(bytes / NEEDS.length)} bytes, ${(shown / NEEDS.length).toFixed(1)} tools`],
    ],
  ),
);
await agent.close();
await endpoint.close();
await millrace.close();
process.exit();
