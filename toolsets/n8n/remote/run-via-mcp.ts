import { headerSecret } from '@millrace/http';
import { Failure } from '@millrace/kernel';
import { type InstanceRun, type InstanceRunner, pinnedCopy, Unsupported, withCopy } from './test-copy.ts';

interface ToolReply {
  executionId: string | null;
  error?: string;
}

/** By the instance's own MCP server, whose test_workflow runs a workflow with pinned data. */
export function mcpRunner(token: string): InstanceRunner {
  return {
    name: 'mcp',
    title: "the instance's MCP server",
    async run(run) {
      const copy = pinnedCopy(run);
      return withCopy(run, copy, async (workflowId) => {
        const parameters = { workflowId, pinData: copy.pinned, triggerNodeName: copy.trigger, timeout: Math.ceil(run.timeoutMs / 1000) };
        const { executionId, error } = await tested(run, token, parameters);
        if (executionId === null) throw new Unsupported(`it said ${JSON.stringify((error ?? 'nothing').slice(0, 200))}`);
        return executionId;
      });
    },
  };
}

async function tested({ client, limit }: InstanceRun, secret: string, parameters: Record<string, unknown>): Promise<ToolReply> {
  const token = headerSecret({ variable: 'N8N_MCP_TOKEN', value: secret, from: "the instance's settings, under MCP" });
  const { status, ok, text } = await client.instance.send({
    method: 'POST',
    path: '/mcp-server/http',
    headers: { authorization: `Bearer ${token ?? ''}`, accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'test_workflow', arguments: parameters } },
    signal: limit,
  });
  if (status === 401) throw new Unsupported('it refuses N8N_MCP_TOKEN');
  if (!ok) throw new Unsupported(`it is not switched on (status ${status})`);
  const reply = messageOf(text)?.result?.structuredContent;
  if (reply?.executionId === undefined) throw new Unsupported('it has no tool test_workflow');
  return reply;
}

interface RpcMessage {
  result?: { structuredContent?: ToolReply };
}

/** The reply is JSON, or an event whose data is. */
function messageOf(text: string): RpcMessage | undefined {
  const data = text.startsWith('{')
    ? text
    : text
        .split('\n')
        .findLast((line) => line.startsWith('data:') && line.includes('{'))
        ?.slice('data:'.length);
  try {
    return JSON.parse(data ?? '') as RpcMessage;
  } catch (error) {
    throw new Failure('upstream', "The instance's MCP server answered something that is not JSON", { cause: error });
  }
}
