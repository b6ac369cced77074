// node test/real/flowise-record.ts [names]: records the replies of a real Flowise that the unit tests replay, all or those named.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Recorded } from '../../toolsets/flowise/testing/replay.ts';
import type { PlainReply } from './flowise-api.ts';
import { makeKey, PlainApi } from './flowise-api.ts';
import { agentflowApproval, agentflowForm, agentflowFunction, agentflowModel, chatflowConversation, SKELETON } from './flowise-flows.ts';
import { type Instance, startInstance } from './flowise-instance.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'toolsets', 'flowise', 'client', 'recordings');
const MISSING = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';

/** Of a node only what is ours: the rest comes from Flowise's own definitions. */
interface RecordedNode {
  id: string;
  type: string;
  position: object;
  data: { id?: string; name: string; label: string; version: number; inputs?: Record<string, unknown> };
}

function kept({ status, contentType, retryAfter, text }: PlainReply): Recorded {
  const body = /html/.test(contentType) && status === 200 ? '<!DOCTYPE html>' : scrubbed(text);
  return { status, headers: { 'content-type': contentType, ...(retryAfter !== null && { 'retry-after': retryAfter }) }, body };
}

function scrubbed(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), withoutDefinitions);
  } catch {
    return text;
  }
}

function withoutDefinitions(key: string, value: unknown): unknown {
  if (key === 'flowData' && typeof value === 'string') return JSON.stringify(JSON.parse(value), withoutDefinitions);
  return key === 'nodes' && Array.isArray(value) ? value.map(ours) : value;
}

function ours({ id, type, position, data }: RecordedNode): RecordedNode {
  const { name, label, version, inputs = {} } = data;
  const chosen = Object.entries(inputs).filter(([input]) => input === 'llmModel');
  return {
    id,
    type,
    position,
    data: { ...(data.id !== undefined && { id: data.id }), name, label, version, inputs: Object.fromEntries(chosen) },
  };
}

/** Every reply that the unit tests replay, by name, as this Flowise gives it. */
export async function recordReplies({ api, tools, needs, flowise }: Instance): Promise<Map<string, Recorded>> {
  const replies = new Map<string, Recorded>();
  const keep = (name: string, reply: PlainReply) => void replies.set(name, kept(reply));
  const saved = async (name: string, flow_data: string, deployed = true) =>
    ((await tools.call('create_chatflow', { name, flow_data, deployed })).structured as { id: string }).id;
  const key = (permissions: string[]) => makeKey(flowise.url, flowise.account, permissions);

  const created = await api.send('POST', '/chatflows', { name: 'My New Flow', type: 'CHATFLOW', flowData: SKELETON, deployed: false });
  keep('create', created);
  const id: string = created.json.id;
  const undecided = await api.send('POST', '/chatflows', { name: 'Undecided', type: 'AGENTFLOW', flowData: SKELETON });
  await api.send('PUT', `/chatflows/${undecided.json.id}`, { name: 'Undecided' });
  keep('list', await api.send('GET', '/chatflows'));
  keep('list-page', await api.send('GET', '/chatflows?page=1&limit=1'));
  keep('get', await api.send('GET', `/chatflows/${id}`));
  keep('get-null-deployed', await api.send('GET', `/chatflows/${undecided.json.id}`));
  keep('validation', await api.send('GET', `/validation/${id}`));
  keep('update', await api.send('PUT', `/chatflows/${id}`, { name: 'Updated Name' }));
  keep('deploy', await api.send('PUT', `/chatflows/${id}`, { deployed: true }));
  keep('delete', await api.send('DELETE', `/chatflows/${id}`));
  keep('get-missing', await api.send('GET', `/chatflows/${MISSING}`));
  keep('get-malformed', await api.send('GET', '/chatflows/not-an-id'));
  keep('update-missing', await api.send('PUT', `/chatflows/${MISSING}`, { name: 'x' }));
  keep('delete-missing', await api.send('DELETE', `/chatflows/${MISSING}`));
  keep('delete-malformed', await api.send('DELETE', '/chatflows/not-an-id'));
  keep('create-bad-type', await api.send('POST', '/chatflows', { name: 'x', type: 'NONE', flowData: SKELETON }));
  keep('create-bad-flow', await api.send('POST', '/chatflows', { name: 'x', type: 'CHATFLOW', flowData: '{}' }));
  keep('unauthorized', await new PlainApi(flowise.url, 'wrong-key').send('GET', '/chatflows'));
  keep('forbidden', await new PlainApi(flowise.url, await key(['credentials:view'])).send('PUT', `/chatflows/${MISSING}`, { name: 'x' }));
  keep('unknown-route', await api.send('GET', '/no-such-route'));
  keep('version', await api.send('GET', '/version'));
  keep('credentials', await api.send('GET', '/credentials'));

  const echo = await saved('Echo', agentflowFunction());
  const talk = await saved('Talk', agentflowModel(needs));
  const chat = await saved('Chat', chatflowConversation(needs));
  const approval = await saved('Approval', agentflowApproval());
  const predict = (flow: string, body: object, plain = api) =>
    plain.send('POST', `/prediction/${flow}`, { question: 'hello world', ...body });
  keep('get-agentflow', await api.send('GET', `/chatflows/${talk}`));
  keep('get-chatflow', await api.send('GET', `/chatflows/${chat}`));
  keep('get-approval', await api.send('GET', `/chatflows/${approval}`));
  keep('streaming-yes', await api.send('GET', `/chatflows-streaming/${talk}`));
  keep('streaming-no', await api.send('GET', `/chatflows-streaming/${chat}`));
  keep('predict-chatflow', await predict(chat, {}));
  keep('predict-agentflow', await predict(talk, {}));
  keep('predict-agentflow-stream', await predict(talk, { streaming: true }));
  keep('predict-failed', await predict(chat, { question: 'FAIL401' }));
  keep('predict-failed-stream', await predict(talk, { question: 'FAIL401', streaming: true, chatId: 'recorded-failure' }));
  keep('execution-failed', await api.send('GET', `/executions?page=1&limit=1&agentflowId=${talk}&sessionId=recorded-failure`));
  keep('predict-missing', await predict(MISSING, {}));
  const paused = await predict(approval, { streaming: true, chatId: 'recorded-pause' });
  keep('predict-paused-stream', paused);
  const humanInput = { type: 'proceed', startNodeId: 'humanInputAgentflow_0', feedback: '' };
  keep('predict-resumed-stream', await predict(approval, { streaming: true, chatId: 'recorded-pause', humanInput }));
  keep('messages', await api.send('GET', `/chatmessage/${approval}?chatId=recorded-pause`));
  keep('abort', await api.send('PUT', `/chatmessage/abort/${echo}/recorded-pause`));
  const seeing = await saved('Seeing', chatflowConversation(needs, { allowImageUploads: true }));
  keep('uploads-images', await api.send('GET', `/chatflows-uploads/${seeing}`));
  keep('uploads-none', await api.send('GET', `/chatflows-uploads/${chat}`));
  const misnamed = { type: 'file', name: 'a.exe', mime: 'image/png', data: 'data:image/png;base64,AAAA' };
  keep('predict-upload-refused', await predict(seeing, { uploads: [misnamed] }));
  const order = await saved('Order', agentflowForm());
  keep('predict-form', await predict(order, { question: undefined, form: { name: 'Bob', count: 3 } }));
  const bound = (await api.send('GET', '/apikey')).json;
  const keyId = Array.isArray(bound) ? bound[0]?.id : undefined;
  await api.send('PUT', `/chatflows/${echo}`, { apikeyid: keyId ?? MISSING });
  keep('predict-unauthorized', await predict(echo, {}, new PlainApi(flowise.url, 'wrong-key')));
  const rateLimit = { status: true, limitMax: 1, limitDuration: 60, limitMsg: 'Slow down please' };
  await api.send('PUT', `/chatflows/${chat}`, { apiConfig: JSON.stringify({ rateLimit }) });
  await predict(chat, {});
  keep('predict-rate-limited', await predict(chat, {}));

  const model = {
    name: 'chatOpenAI',
    credential: needs.credential,
    inputs: { modelName: 'gpt-4o-mini', basepath: needs.modelUrl, streaming: false },
  };
  const generate = (question: string) => api.send('POST', '/agentflowv2-generator/generate', { question, selectedChatModel: model });
  keep('generate', await generate('Create a translator that translates what it is given'));
  keep('generate-failed', await generate('NONSENSE please'));
  return replies;
}

if (import.meta.main) {
  const instance = await startInstance();
  try {
    mkdirSync(FOLDER, { recursive: true });
    const wanted = process.argv.slice(2);
    for (const [name, reply] of await recordReplies(instance)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify(reply, null, 2)}\n`);
      process.stderr.write(`${name}: ${reply.status} ${reply.body.length} characters\n`);
    }
  } finally {
    await instance.close();
  }
}
