// An MCP client that starts Millrace and manages todos: node examples/todos-over-stdio.mjs
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const client = new Client({ name: 'example', version: '1.0.0' });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL('../bin/millrace.js', import.meta.url)), '--toolsets', 'todo'],
    env: { ...process.env },
  }),
);

const added = await client.callTool({ name: 'create_todo', arguments: { title: 'Buy groceries', due: 'friday 5pm', priority: 'high' } });
process.stdout.write(`${added.structuredContent.user_message}\n`);

const { id } = added.structuredContent.todo;
const done = await client.callTool({ name: 'update_todo', arguments: { id, status: 'completed' } });
process.stdout.write(`${done.structuredContent.user_message}\n`);

const open = await client.callTool({ name: 'read_todos', arguments: { status: 'open' } });
process.stdout.write(`${open.structuredContent.total} still open\n`);
await client.close();
