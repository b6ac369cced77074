import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { cleanEnvironment, HttpProcess, modernRequest, StdioProcess, temporaryFolder } from '../harness/process.ts';
import { verifies } from '../requirements.ts';

const SERVER = join(import.meta.dirname, 'asking-server.ts');
const TOKEN = 'a-token-for-the-owner-of-this-test';
const ITEM = { item: 'shirt' };
const DONE = { ordered: 'shirt', size: 'M' };

let folder: ReturnType<typeof temporaryFolder>;
let env: Record<string, string>;

beforeEach(() => {
  folder = temporaryFolder();
  env = cleanEnvironment(folder.path, { EFFECTS: join(folder.path, 'effects'), MILLRACE_TOKEN: TOKEN, MILLRACE_TOOLSETS: 'todo' });
});
afterEach(() => folder[Symbol.dispose]());

function effects(): string[] {
  const path = join(folder.path, 'effects');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
}

function httpServer() {
  return new HttpProcess([SERVER, 'http'], env).listening();
}

/** What a client sends back with the person's answer. */
function answered(result: Record<string, unknown> | undefined, content: object) {
  const [id] = Object.keys((result?.inputRequests ?? {}) as object);
  return { inputResponses: { [id as string]: { action: 'accept', content } }, requestState: result?.requestState };
}

describe('a tool that does an effect, asks, and does another, with the server killed between the rounds', () => {
  verifies(['kernel-ask', 'kernel-kill-nothing-lost'], 'over modern stdio', async () => {
    const first = new StdioProcess([SERVER, 'stdio'], env);
    const asked = await first.callTool('order', ITEM);
    expect(asked.result).toMatchObject({ resultType: 'input_required' });
    expect(effects()).toEqual(['reserve shirt']);
    await first.kill();
    const second = new StdioProcess([SERVER, 'stdio'], env);
    const answer = answered(asked.result, { size: 'M' });
    const done = await second.callTool('order', ITEM, answer);
    expect(done.result).toMatchObject({ resultType: 'complete', structuredContent: DONE });
    const again = await second.callTool('order', ITEM, answer);
    expect(again.result?.structuredContent).toEqual(DONE);
    expect(effects()).toEqual(['reserve shirt', 'order shirt M']);
    await second.close();
  });

  verifies('kernel-ask', 'over modern HTTP, where the state is bound to the tool and its signature', async () => {
    const first = await httpServer();
    const asked = await modernRequest(first.url, TOKEN, 'tools/call', { name: 'order', arguments: ITEM });
    expect(asked.body.result).toMatchObject({ resultType: 'input_required' });
    await first.kill();
    const second = await httpServer();
    const answer = answered(asked.body.result, { size: 'M' });
    const forged = await modernRequest(second.url, TOKEN, 'tools/call', {
      name: 'order',
      arguments: ITEM,
      ...answer,
      requestState: `${answer.requestState}x`,
    });
    expect(forged.body.error).toMatchObject({ code: -32602 });
    const done = await modernRequest(second.url, TOKEN, 'tools/call', { name: 'order', arguments: ITEM, ...answer });
    expect(done.body.result?.structuredContent).toEqual(DONE);
    expect(effects()).toEqual(['reserve shirt', 'order shirt M']);
    await second.stop();
  });

  verifies('kernel-ask', 'over a 2025 session, where the client asks its person while the call waits', async () => {
    const first = await httpServer();
    const asking = Promise.withResolvers<void>();
    const hanging = await v1OverHttp(first.url, () => {
      asking.resolve();
      return new Promise(() => {});
    });
    const lost = hanging.callTool({ name: 'order', arguments: ITEM }).catch(() => 'lost');
    await asking.promise;
    await first.kill();
    await hanging.close();
    expect(effects()).toEqual(['reserve shirt']);
    const second = await httpServer();
    const client = await v1OverHttp(second.url, async () => ({ action: 'accept', content: { size: 'M' } }));
    expect((await client.callTool({ name: 'order', arguments: ITEM })).structuredContent).toEqual(DONE);
    expect(effects()).toEqual(['reserve shirt', 'order shirt M']);
    await client.close();
    await second.stop();
    await lost;
  });

  verifies('kernel-ask', 'for a client that cannot ask, by a further call with the answer', async () => {
    const first = new StdioProcess([SERVER, 'stdio'], env);
    const asked = await first.callTool('order', ITEM, {}, {});
    expect(asked.result).toMatchObject({ resultType: 'complete', structuredContent: { error: { code: 'answer_needed' } } });
    expect(asked.result?.isError).toBeUndefined();
    await first.kill();
    const second = new StdioProcess([SERVER, 'stdio'], env);
    const details = (asked.result as { structuredContent: { error: { details: { question_id: string } } } }).structuredContent.error
      .details;
    const done = await second.callTool('order', { ...ITEM, answer: { question_id: details.question_id, value: { size: 'M' } } }, {}, {});
    expect(done.result?.structuredContent).toEqual(DONE);
    expect(effects()).toEqual(['reserve shirt', 'order shirt M']);
    await second.close();
  });
});

describe('the SDK clients accept every reply', () => {
  verifies(['kernel-ask', 'kernel-output-schema'], 'v2 over modern stdio and HTTP', async () => {
    const http = await httpServer();
    const over = [
      new StdioClientTransport({ command: process.execPath, args: [SERVER, 'stdio'], env }),
      new StreamableHTTPClientTransport(new URL(`${http.url}/mcp`), { requestInit: { headers: { authorization: `Bearer ${TOKEN}` } } }),
    ];
    for (const transport of over) {
      const client = new Client(
        { name: 'v2', version: '2' },
        { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
      );
      client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { size: 'L' } }));
      await client.connect(transport);
      await client.listTools();
      expect((await client.callTool({ name: 'order', arguments: { item: 'hat' } })).structuredContent).toEqual({
        ordered: 'hat',
        size: 'L',
      });
      expect(await client.callTool({ name: 'order', arguments: { itme: 'hat' } })).toMatchObject({ isError: true });
      await client.close();
    }
    await http.stop();
  });

  verifies(['kernel-ask', 'kernel-output-schema'], 'v1 over stdio and session HTTP, with and without elicitation', async () => {
    const stdio = new ClientV1({ name: 'v1', version: '1' }, { capabilities: { elicitation: {} } });
    stdio.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'decline' }));
    await stdio.connect(new StdioV1({ command: process.execPath, args: [SERVER, 'stdio'], env }));
    await stdio.listTools();
    expect(await stdio.callTool({ name: 'order', arguments: ITEM })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'cancelled' } },
    });
    expect(await stdio.callTool({ name: 'order', arguments: {} })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'invalid_input' } },
    });
    await stdio.close();
    const http = await httpServer();
    const mute = await v1OverHttp(http.url, undefined);
    await mute.listTools();
    const asked = await mute.callTool({ name: 'order', arguments: ITEM });
    expect(asked).toMatchObject({ structuredContent: { error: { code: 'answer_needed' } } });
    await mute.close();
    await http.stop();
  });
});

async function v1OverHttp(
  url: string,
  elicit: (() => Promise<{ action: 'accept'; content: Record<string, string> }>) | undefined,
): Promise<ClientV1> {
  const client = new ClientV1({ name: 'v1', version: '1' }, { capabilities: elicit ? { elicitation: {} } : {} });
  if (elicit) client.setRequestHandler(ElicitRequestSchema, elicit);
  const transport = new HttpV1(new URL(`${url}/mcp`), { requestInit: { headers: { authorization: `Bearer ${TOKEN}` } } });
  await client.connect(transport as Parameters<ClientV1['connect']>[0]);
  return client;
}
