// A process to be killed: writes todos through the whole pipeline and says so on stdout, after each reply and not before.
import { writeSync } from 'node:fs';
import { openStorage } from '@millrace/storage';
import { todoMigrations, todoToolset } from '@millrace/todo';
import { testCatalog } from '../harness/catalog.ts';

const [home = '', name = ''] = process.argv.slice(2);
const clock = { now: () => new Date() };
const storage = await openStorage({ home, clock, migrations: todoMigrations });
const { call } = testCatalog([todoToolset({ store: storage.store, clock })], { ports: { clock, auditLog: storage.audit } });

async function acknowledged(what: string, tool: string, parameters: object): Promise<{ todo: { id: string } }> {
  const reply = await call(tool, parameters);
  if (reply.isError) throw new Error(`${reply.text} ${String(reply.failure?.cause ?? '')}`);
  writeSync(1, `${what}\n`);
  return reply.structured as { todo: { id: string } };
}

for (let number = 0; ; number += 1) {
  const title = `${name}-${number}`;
  const { todo } = await acknowledged(`created ${title}`, 'create_todo', { title });
  await acknowledged(`described ${title}`, 'update_todo', { id: todo.id, description: title, status: 'completed' });
  await acknowledged(`batch ${title}`, 'create_todos', { todos: ['a', 'b', 'c'].map((part) => ({ title: `${title}-${part}` })) });
  if (number % 2) await acknowledged(`deleted ${title}`, 'delete_todo', { id: todo.id });
}
