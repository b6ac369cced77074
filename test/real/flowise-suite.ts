import { afterAll, beforeAll, expect } from 'vitest';
import type { TestMillrace } from '../harness/millrace.ts';
import { type Instance, startInstance } from './flowise-instance.ts';

export const MISSING = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';

export interface FlowiseSuite {
  real: Instance;
  // biome-ignore lint/suspicious/noExplicitAny: replies are compared as literals
  call(tool: string, parameters: object, origin?: object, tools?: TestMillrace): Promise<any>;
  /** Creates a chatflow through our tools and returns its id. */
  create(name: string, flow_data: string, deployed?: boolean): Promise<string>;
}

/** A real Flowise for the tests of one file; `real` is there once they run. */
export function flowiseSuite(): FlowiseSuite {
  const suite: FlowiseSuite = {
    real: undefined as unknown as Instance,

    async call(tool, parameters, origin = {}, tools = suite.real.tools) {
      return (await tools.call(tool, parameters, undefined, origin)).structured;
    },

    async create(name, flow_data, deployed = true) {
      const reply = await suite.call('create_chatflow', { name, flow_data, deployed });
      expect(reply.error).toBeUndefined();
      return reply.id;
    },
  };
  beforeAll(async () => {
    suite.real = await startInstance();
  });
  afterAll(() => suite.real?.close());
  return suite;
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
}
