import { type Call, Failure } from '@millrace/kernel';
import { z } from 'zod';
import type { Chatflow, ChatflowFields } from '../client/chatflow.ts';
import type { Finding } from '../flow/findings.ts';
import { type Flow, readNode } from '../flow/flow.ts';
import { checkSaved, flowiseFindings, type PreparedFlow, prepareFlow, refuseErrors, withoutRepeats } from '../flow/prepare.ts';
import { chatflowId, chatflowName, flowData, updated, updatedChatflow, withWarnings } from '../schema.ts';
import { type FlowiseServices, tool } from '../services.ts';

export const updateChatflow = tool({
  name: 'update_chatflow',
  description:
    'Update existing chatflow properties (partial updates supported). Give at least one of name, flow_data and deployed. A deployed flow that cannot run is refused. restore_chatflow undoes it.',
  said: [
    'change the prompt of our chatflow',
    'rename a chatflow',
    'update the nodes of an existing flow in flowise',
    'replace the model in the support chatflow',
  ],
  access: 'write',
  annotations: { title: 'Update chatflow', readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    chatflow_id: chatflowId.describe('Chatflow to update'),
    name: chatflowName.optional().describe('New chatflow name'),
    flow_data: flowData.optional().describe('New workflow structure'),
    deployed: z.boolean().optional().describe('New deployment status'),
    expected_updated_date: z
      .string()
      .refine((text) => !Number.isNaN(Date.parse(text)), {
        message: 'expected_updated_date must be a date-time',
        params: { constraint: 'format' },
      })
      .optional()
      .describe('updatedDate of your copy; refused if changed since'),
  }),
  output: updatedChatflow,

  async run(input, call) {
    const { chatflow_id, name, flow_data, deployed, expected_updated_date } = input;
    if (name === undefined && flow_data === undefined && deployed === undefined) throw nothingToUpdate();
    const work = async () => {
      const before = await call.services.flowise.get(chatflow_id, call);
      if (expected_updated_date !== undefined) demandCurrent(before, expected_updated_date);
      return change(before, { name, flow_data, deployed }, call);
    };
    return expected_updated_date === undefined ? work() : call.services.backups.inTurn(chatflow_id, work);
  },
});

interface Change {
  name: string | undefined;
  flow_data: string | undefined;
  deployed: boolean | undefined;
}

async function change(before: Chatflow, { name, flow_data, deployed }: Change, call: Call<FlowiseServices>) {
  const { flowise, nodes, backups } = call.services;
  const prepared = flow_data === undefined ? undefined : await prepareFlow(flow_data, before.type, nodes);
  const willBeDeployed = deployed ?? before.deployed;
  const findings = willBeDeployed ? await demandRunnable(before, prepared, deployed, call) : (prepared?.findings ?? []);
  await backups.keep(before, 'update', call.user.id);
  const fields: ChatflowFields = {
    ...(name !== undefined && { name }),
    ...(prepared && { flowData: prepared.flowData }),
    ...(deployed !== undefined && { deployed }),
  };
  const after = await flowise.update(before.id, fields, call);
  const own = prepared && !willBeDeployed ? await flowiseFindings(flowise, before.id, before.type, call.signal) : [];
  return { ...updated(after), ...withWarnings(withoutRepeats(findings, own)) };
}

/** What will be deployed must run: a new flow is checked before it takes the old one's place. */
async function demandRunnable(
  before: Chatflow,
  prepared: PreparedFlow | undefined,
  deployed: boolean | undefined,
  call: Call<FlowiseServices>,
): Promise<Finding[]> {
  const { flowise, nodes } = call.services;
  if (!prepared && deployed !== true) return [];
  const own = prepared ? prepared.findings : await checkSaved(before.flowData, before.type, nodes);
  refuseErrors(own, 'changed');
  const theirs = prepared
    ? await onScratchCopy(prepared, call, (id) => flowiseFindings(flowise, id, prepared.type, call.signal))
    : await flowiseFindings(flowise, before.id, before.type, call.signal);
  const findings = withoutRepeats(own, theirs);
  refuseErrors(findings, 'changed');
  return findings;
}

function nothingToUpdate(): Failure {
  return new Failure('invalid_input', 'No update field was provided: give at least one of name, flow_data and deployed', {
    details: { field: 'name', value: null, constraint: 'required', fields: ['name', 'flow_data', 'deployed'] },
  });
}

function demandCurrent({ updatedDate }: Chatflow, expected: string): void {
  if (updatedDate === undefined || Date.parse(updatedDate) === Date.parse(expected)) return;
  throw new Failure('conflict', 'The chatflow has changed since your copy was read, so nothing was changed', {
    details: { field: 'expected_updated_date', value: expected, constraint: 'current', updatedDate },
    fix: { instruction: 'Read it again with get_chatflow, repeat your change on what you get and send its updatedDate' },
  });
}

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
async function onScratchCopy<Result>(
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
      log.warn({ err: error, chatflow: copy.id }, 'could not delete a scratch copy of a chatflow');
    });
  }
}
