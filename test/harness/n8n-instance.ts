import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What the instance does wrong on purpose. */
export interface Mischief {
  /** Answers everything with this page. */
  html?: string;
  redirectTo?: string;
  /** Never answers. */
  silent?: boolean;
  /** Answers the next requests with these statuses. */
  statuses?: number[];
  /** Knows only the fields of n8n 1.x. */
  old?: boolean;
  /** Answers activation with 200 and does it a few reads later. */
  lazyActivation?: number;
  /** How many deletions are refused because the workflow was active a moment ago. */
  busyDeletes?: number;
  /** Refuses to activate with this status. */
  refuseActivation?: number;
}

interface Stored {
  id: string;
  active: boolean;
  name: string;
  nodes: Record<string, unknown>[];
  [key: string]: unknown;
}

export interface FakeInstance {
  url: string;
  workflows: Map<string, Stored>;
  requests: { method: string; path: string; body: Record<string, unknown> | undefined }[];
  mischief: Mischief;
  executions: unknown[];
}

export const KEY = 'the-key';
const BODY = ['name', 'nodes', 'connections', 'settings', 'staticData', 'pinData', 'nodeGroups'];
const OLD_BODY = ['name', 'nodes', 'connections', 'settings', 'staticData'];
const SETTINGS = ['executionOrder', 'timezone', 'errorWorkflow', 'executionTimeout', 'callerPolicy', 'availableInMCP'];
const OLD_SETTINGS = ['executionOrder', 'timezone', 'errorWorkflow', 'executionTimeout'];
const NODE = ['id', 'name', 'webhookId', 'disabled', 'type', 'typeVersion', 'position', 'parameters', 'credentials', 'onError', 'notes'];

/** An HTTP server that answers as the public API of n8n 2.41 was seen to: the same statuses, messages and strictness. */
export async function fakeInstance(mischief: Mischief = {}): Promise<FakeInstance> {
  const instance: FakeInstance = { url: '', workflows: new Map(), requests: [], mischief, executions: [] };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    answer(instance, request, response, text ? (JSON.parse(text) as Record<string, unknown>) : undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  instance.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return instance;
}

function answer(
  instance: FakeInstance,
  request: IncomingMessage,
  response: ServerResponse,
  body: Record<string, unknown> | undefined,
): unknown {
  const { mischief } = instance;
  const path = (request.url ?? '').replace('/api/v1', '');
  const method = request.method ?? 'GET';
  instance.requests.push({ method, path, body });
  const send = (status: number, value: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...(status === 429 && { 'retry-after': '0.01' }) });
    return response.end(JSON.stringify(value));
  };
  if (mischief.silent) return undefined;
  if (mischief.html !== undefined) {
    response.writeHead(200, { 'content-type': 'text/html' });
    return response.end(mischief.html);
  }
  if (mischief.redirectTo) {
    response.writeHead(301, { location: mischief.redirectTo });
    return response.end();
  }
  const status = mischief.statuses?.shift();
  if (status) return send(status, { message: `status ${status}` });
  if (request.headers['x-n8n-api-key'] !== KEY) return send(401, { message: 'Unauthorized' });
  const [, id = '', action = ''] = /^\/workflows(?:\/([^/?]+))?(?:\/(\w+))?/.exec(path) ?? [];
  if (path.startsWith('/executions')) return send(200, { data: instance.executions, nextCursor: null });
  if (!path.startsWith('/workflows')) return send(404, { message: 'not found' });
  if (!id && method === 'GET') {
    const name = new URL(path, 'http://x').searchParams.get('name');
    return send(200, { data: [...instance.workflows.values()].filter((workflow) => workflow.name === name), nextCursor: null });
  }
  const refusal = body && (method === 'PUT' || !id) ? refusalOf(body, mischief.old ?? false) : undefined;
  if (refusal) return send(400, { message: refusal });
  if (!id && method === 'POST') return send(200, store(instance, `remote${instance.workflows.size + 1}`, body ?? {}, false));
  const workflow = instance.workflows.get(id);
  if (!workflow) return send(404, { message: 'Not Found' });
  if (action) return activate(instance, workflow, action === 'activate', send);
  if (method === 'DELETE') {
    if (workflow.active) return send(409, { message: 'Workflow is active' });
    if (mischief.busyDeletes) {
      mischief.busyDeletes--;
      return send(409, { message: 'Workflow is still being unpublished' });
    }
    instance.workflows.delete(id);
    return send(200, workflow);
  }
  if (method === 'PUT') return send(200, store(instance, id, { pinData: workflow['pinData'], ...body }, workflow.active));
  return send(200, shown(instance, workflow));
}

function refusalOf(body: Record<string, unknown>, old: boolean): string | undefined {
  const settings = (body['settings'] ?? {}) as object;
  const stray = (record: object, allowed: string[]) => Object.keys(record).find((key) => !allowed.includes(key));
  const unknown = (where: string, key: string) =>
    old ? `request/body${where} must NOT have additional properties` : `request/body${where} Unrecognized key(s) in object: '${key}'`;
  if (body['id'] !== undefined) return 'request/body/id is read-only';
  const field = stray(body, old ? OLD_BODY : BODY);
  if (field) return unknown('', field);
  const setting = stray(settings, old ? OLD_SETTINGS : SETTINGS);
  if (setting) return unknown('/settings', setting);
  for (const [index, node] of (body['nodes'] as object[]).entries()) {
    const key = stray(node, NODE);
    if (key) return unknown(`/nodes/${index}`, key);
  }
  return undefined;
}

function store(instance: FakeInstance, id: string, body: Record<string, unknown>, active: boolean): Stored {
  const nodes = (body['nodes'] as Record<string, unknown>[]).map((node) =>
    String(node['type']).endsWith('webhook') ? { webhookId: `hook-${instance.requests.length}`, ...node } : node,
  );
  const stored = {
    id,
    description: null,
    active,
    createdAt: '2026-11-15T22:17:56.201Z',
    updatedAt: new Date().toISOString(),
    isArchived: false,
    versionId: `v${instance.requests.length}`,
    triggerCount: 0,
    nodeGroups: [],
    staticData: null,
    pinData: null,
    meta: null,
    tags: [],
    ...body,
    nodes,
  } as unknown as Stored;
  instance.workflows.set(id, stored);
  return stored;
}

function activate(instance: FakeInstance, workflow: Stored, active: boolean, send: (status: number, value: unknown) => unknown): unknown {
  if (active && instance.mischief.refuseActivation)
    return send(instance.mischief.refuseActivation, { message: 'There is a conflict with one of the webhooks.' });
  const hasTrigger = workflow.nodes.some((node) => /webhook|scheduleTrigger/.test(String(node['type'])));
  if (active && !hasTrigger) {
    return send(400, {
      message: 'Workflow cannot be activated because it has no trigger node. At least one trigger, webhook, or polling node is required.',
    });
  }
  workflow.active = active;
  return send(200, workflow);
}

/** A lazy instance shows the old state for a while. */
function shown({ mischief }: FakeInstance, workflow: Stored): Stored {
  if (!mischief.lazyActivation) return workflow;
  mischief.lazyActivation--;
  return { ...workflow, active: !workflow.active };
}
