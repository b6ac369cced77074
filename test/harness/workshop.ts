import type * as Kernel from '@millrace/kernel';
import type { Call, Tool, Toolset } from '@millrace/kernel';
import { z } from 'zod';
import { plainWire } from './plain-wire.ts';

interface SpeakingTool {
  name: string;
  description: string;
  access: 'read' | 'write';
  openWorldHint?: boolean;
  asks?: true;
  run(text: string, call: Call<unknown>): Promise<string> | string;
}

/** A toolset whose tools take a text and say one. */
export function speaking(name: string, tools: readonly SpeakingTool[]): Toolset {
  const defined = tools.map(
    ({ description, access, openWorldHint = false, run, ...tool }): Tool => ({
      ...tool,
      description,
      said: [],
      access,
      annotations: {
        title: description,
        readOnlyHint: access === 'read',
        idempotentHint: access === 'read',
        destructiveHint: false,
        openWorldHint,
      },
      input: z.strictObject({ text: z.string() }),
      output: z.object({ said: z.string() }),
      run: async ({ text }, call) => ({ said: await run(text, call) }),
    }),
  );
  return { name, title: name, instructions: '', services: undefined, wire: plainWire, tools: defined };
}

/** A toolset whose tools leave a trace: what was done, in order. */
export function workshop(Failure: typeof Kernel.Failure) {
  const done: string[] = [];
  const gate = { open: Promise.resolve() as Promise<unknown> };
  const leave = (trace: string, said: string) => {
    done.push(trace);
    return said;
  };
  const toolset = speaking('workshop', [
    { name: 'note_down', description: 'Writes a note', access: 'write', run: (text) => leave(text, text) },
    { name: 'look_up', description: 'Looks something up', access: 'read', run: (text) => `found ${text}` },
    {
      name: 'send_mail',
      description: 'Sends a mail',
      access: 'write',
      openWorldHint: true,
      run: (text) => leave(`mail ${text}`, text),
    },
    {
      name: 'break_down',
      description: 'Fails until it is repaired',
      access: 'write',
      run: (text) => {
        if (!done.includes('repaired')) throw new Failure('upstream', 'The machine is broken');
        return text;
      },
    },
    {
      name: 'work_long',
      description: 'Works until the gate opens',
      access: 'write',
      run: async (text, { signal }) => {
        done.push(`began ${text}`);
        await Promise.race([gate.open, new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))]);
        return leave(`ended ${text}`, text);
      },
    },
    {
      name: 'ask_back',
      description: 'Asks before it writes',
      access: 'write',
      asks: true,
      run: async (text, call) => {
        const { sure } = await call.ask(`Sure about ${text}?`, z.object({ sure: z.boolean() }));
        return sure ? leave(`sure ${text}`, text) : 'no';
      },
    },
  ]);
  return { toolset, done, gate };
}
