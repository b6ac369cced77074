import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Reply } from '@millrace/kernel';

/** The n8n tools and the folder of workflow files that they work on. */
export interface N8nCalls {
  root: string;
  /** Calls a tool that must succeed. */
  done(tool: string, parameters: Record<string, unknown>): Promise<Record<string, never>>;
  /** Calls a tool that must fail, and gives its error. */
  refused(tool: string, parameters: Record<string, unknown>): Promise<{ message: string; code: string; details: Record<string, never> }>;
  write(name: string, content: string | object): string;
  read(name: string): string;
  json(name: string): Record<string, never>;
}

export function n8nCalls(root: string, call: (tool: string, parameters: unknown) => Promise<Reply>): N8nCalls {
  return {
    root,
    async done(tool, parameters) {
      const reply = await call(tool, parameters);
      if (reply.isError) throw new Error(`${tool} failed: ${reply.text}`);
      return reply.structured as Record<string, never>;
    },
    async refused(tool, parameters) {
      const reply = await call(tool, parameters);
      if (!reply.isError) throw new Error(`${tool} succeeded: ${reply.text}`);
      return (reply.structured as { error: never }).error;
    },
    write(name, content) {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
      return path;
    },
    read: (name) => readFileSync(join(root, name), 'utf8'),
    json: (name) => JSON.parse(readFileSync(join(root, name), 'utf8')),
  };
}
