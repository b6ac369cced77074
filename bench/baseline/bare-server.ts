// The yardstick: a bare SDK server with as many zod tools as the product lists. `node bare-server.ts stdio|http <tools>`
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const count = Number(process.argv[3]);

function bareServer(): McpServer {
  const server = new McpServer({ name: 'bare', version: '1.0.0' });
  for (let number = 0; number < count; number++) {
    server.registerTool(
      number === 0 ? 'read_todos' : `tool_${number}`,
      {
        description: 'Creates one todo for the signed-in user and returns it',
        inputSchema: z.object({
          title: z.string().max(255).optional().describe('What to do'),
          description: z.string().max(10_000).optional().describe('More about it'),
          priority: z.enum(['low', 'medium', 'high']).default('medium').describe('How urgent it is'),
          limit: z.number().int().min(1).max(1000).optional().describe('Maximum number'),
        }),
        outputSchema: z.object({ success: z.boolean(), limit: z.number() }),
      },
      ({ limit }) => {
        const structuredContent = { success: true, limit: limit ?? 0 };
        return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
      },
    );
  }
  return server;
}

if (process.argv[2] === 'http') {
  const serve = toNodeHandler(createMcpHandler(bareServer));
  const server = createServer((request, response) => void serve(request as Parameters<typeof serve>[0], response));
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number };
    process.stderr.write(`{"url":"http://127.0.0.1:${port}"}\n`);
  });
} else {
  serveStdio(bareServer);
}
