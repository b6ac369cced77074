import type { Flow, FlowNode } from '../flow/flow-data.ts';
import { completeConfig, modelInputsOf } from '../flow/hydrate.ts';
import { readNode } from '../flow/node.ts';
import type { Definitions } from '../nodes/definition.ts';
import type { ChatModel } from './chat-model.ts';

/** Gives every node that needs a chat model the chosen one: Flowise's generator leaves them without. */
export function injectModel(flow: Flow, model: ChatModel, definitions: Definitions): Flow {
  return { ...flow, nodes: flow.nodes.map((node) => withModel(node, model, definitions)) };
}

function withModel(node: FlowNode, model: ChatModel, definitions: Definitions): FlowNode {
  const { name, data, inputs } = readNode(node);
  const definition = definitions.get(name);
  if (!definition) return node;
  const filled = { ...inputs };
  for (const input of modelInputsOf(definition, inputs)) {
    if (filled[input.name] && filled[`${input.name}Config`]) continue;
    const written = { ...model.inputs, ...(model.credential && { FLOWISE_CREDENTIAL_ID: model.credential }) };
    filled[input.name] = model.name;
    filled[`${input.name}Config`] = completeConfig(input, model.name, written, definitions.get(model.name));
  }
  return { ...node, data: { ...data, inputs: filled } };
}
