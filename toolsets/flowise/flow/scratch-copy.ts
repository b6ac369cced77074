import type { Call } from '@millrace/kernel';
import type { FlowiseServices } from '../services.ts';
import type { Flow } from './flow-data.ts';
import { readNode } from './node.ts';
import type { PreparedFlow } from './prepare.ts';

/** A copy must not run by itself: Flowise plans the schedule of a start node as soon as it is saved. */
function unscheduled(flow: Flow): string {
  const nodes = flow.nodes.map((node) => {
    const { name, data, inputs } = readNode(node);
    if (name !== 'startAgentflow' || inputs['startInputType'] !== 'scheduleInput') return node;
    return { ...node, data: { ...data, inputs: { ...inputs, startInputType: 'chatInput' } } };
  });
  return JSON.stringify({ ...flow, nodes });
}

/** Does something with an undeployed copy of the flow in Flowise, which is gone again afterwards. */
export async function onScratchCopy<Result>(
  { type, flow }: PreparedFlow,
  { services, signal, log }: Call<FlowiseServices>,
  work: (id: string) => Promise<Result>,
): Promise<Result> {
  const copy = await services.flowise.create(
    { name: 'Millrace: being checked', type, flowData: unscheduled(flow), deployed: false },
    { signal },
  );
  try {
    return await work(copy.id);
  } finally {
    await services.flowise.delete(copy.id, { signal: new AbortController().signal }).catch((error: unknown) => {
      log.warn({ err: error, chatflow: copy.id }, 'a scratch copy of a chatflow could not be deleted');
    });
  }
}
