import { type Reply, type Toolset, toolsOf } from '@millrace/kernel';
import { z } from 'zod';
import { type TestCatalog, testCatalog } from './catalog.ts';
import { plainWire } from './plain-wire.ts';

/** A call of a tool that does this and nothing else, through the whole pipeline. */
export async function callWith(work: () => Promise<unknown>): Promise<{ reply: Reply } & Pick<TestCatalog, 'logged' | 'rows'>> {
  const tool = toolsOf<null>()({
    name: 'work',
    description: 'Does it',
    said: [],
    access: 'read',
    annotations: { title: 'Work', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    input: z.strictObject({}),
    output: z.object({ done: z.unknown() }),
    run: async () => ({ done: await work() }),
  });
  const toolset: Toolset<null> = { name: 'test', title: 'Test', instructions: '', tools: [tool], wire: plainWire, services: null };
  const { call, logged, rows } = testCatalog([toolset]);
  return { reply: await call('work'), logged, rows };
}

/** A value with a bug in it: whoever looks at it gets a TypeError. Counts the looks. */
export function buggy(property: string): { value: never; looks(): number } {
  let looks = 0;
  const value = {
    get [property]() {
      looks++;
      return (undefined as unknown as { bug: string }).bug;
    },
  };
  return { value: value as never, looks: () => looks };
}
