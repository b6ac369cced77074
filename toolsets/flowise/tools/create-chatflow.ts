import { type Call, Failure } from '@millrace/kernel';
import { z } from 'zod';
import type { Chatflow } from '../client/chatflow.ts';
import type { Finding } from '../flow/findings.ts';
import { flowiseFindings, type PreparedFlow, prepareFlow, refuseErrors, withoutRepeats } from '../flow/prepare.ts';
import { chatflowName, chatflowType, createdChatflow, flowData, listed, withWarnings } from '../schema.ts';
import { type FlowiseServices, tool } from '../services.ts';

export const createChatflow = tool({
  name: 'create_chatflow',
  description:
    'Create a new Flowise chatflow from workflow structure. Nodes need only {id, name, inputs}, edges {source, target}. Agentflow nodes without type make an AGENTFLOW. A flow that cannot run is refused if deployed, else saved with warnings.',
  said: [
    'create a new chatflow in flowise',
    'build a chatbot that answers from our faq',
    'save this flow as a new chatflow',
    'set up an empty chatflow called support',
  ],
  access: 'write',
  annotations: { title: 'Create chatflow', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    name: chatflowName.describe('Chatflow name'),
    flow_data: flowData.describe('JSON string containing workflow structure (nodes and edges), below 1 MB'),
    type: chatflowType.optional().describe('Chatflow type').meta({ default: 'CHATFLOW' }),
    deployed: z.boolean().default(false).describe('Whether to deploy immediately'),
  }),
  output: createdChatflow,

  async run({ name, flow_data, type, deployed }, call) {
    const prepared = await prepareFlow(flow_data, type, call.services.nodes);
    if (deployed) return createDeployed(name, prepared, call);
    const created = await save(name, prepared, call);
    const findings = await ownFindings(created, prepared, call);
    return { ...listed(created), ...withWarnings(findings) };
  },
});

/** Flowise only checks saved flows: this one is saved undeployed first, and deleted if it cannot run. */
async function createDeployed(name: string, prepared: PreparedFlow, call: Call<FlowiseServices>) {
  refuseErrors(prepared.findings, 'created');
  const created = await save(name, prepared, call);
  try {
    const findings = await ownFindings(created, prepared, call);
    refuseErrors(findings, 'created');
    const deployed = await call.services.flowise.update(created.id, { deployed: true }, call);
    return { ...listed(deployed), ...withWarnings(findings) };
  } catch (error) {
    throw (await takenBack(created, call)) ? error : notTakenBack(error, created);
  }
}

function save(name: string, { type, flowData }: PreparedFlow, { services, signal }: Call<FlowiseServices>): Promise<Chatflow> {
  return services.flowise.create({ name, type, flowData, deployed: false }, { signal });
}

async function ownFindings(created: Chatflow, prepared: PreparedFlow, call: Call<FlowiseServices>): Promise<Finding[]> {
  return withoutRepeats(prepared.findings, await flowiseFindings(call.services.flowise, created.id, prepared.type, call.signal));
}

async function takenBack(created: Chatflow, { services, log }: Call<FlowiseServices>): Promise<boolean> {
  try {
    await services.flowise.delete(created.id, { signal: new AbortController().signal });
    return true;
  } catch (error) {
    log.warn({ err: error, chatflow: created.id }, 'could not delete a refused chatflow');
    return false;
  }
}

/** Names the chatflow that could not be deleted. */
function notTakenBack(error: unknown, { id }: Chatflow): unknown {
  if (!(error instanceof Failure)) return error;
  return new Failure(
    error.code,
    `${error.message}. The chatflow is in Flowise, undeployed, with the id ${id}: it could not be taken back`,
    {
      details: { ...error.details, left_behind: id },
      ...(error.fix && { fix: error.fix }),
      cause: error,
    },
  );
}
