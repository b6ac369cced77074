import type { Call } from '@millrace/kernel';
import type { FlowiseServices } from '../tool.ts';
import type { PreparedFlow } from './prepare.ts';

/** Does something with an undeployed copy of the flow in Flowise, which is gone again afterwards. */
export async function onScratchCopy<Result>(
  { type, flowData }: PreparedFlow,
  { services, signal, log }: Call<FlowiseServices>,
  work: (id: string) => Promise<Result>,
): Promise<Result> {
  const copy = await services.flowise.create({ name: 'Millrace: being checked', type, flowData, deployed: false }, { signal });
  try {
    return await work(copy.id);
  } finally {
    await services.flowise.delete(copy.id, { signal: new AbortController().signal }).catch((error: unknown) => {
      log.warn({ err: error, chatflow: copy.id }, 'a scratch copy of a chatflow could not be deleted');
    });
  }
}
