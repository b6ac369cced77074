/** What a flow needs from outside: a model that answers on loopback and a credential for it. */
export interface FlowNeeds {
  modelUrl: string;
  credential: string;
}

const START = { id: 'startAgentflow_0', name: 'startAgentflow', inputs: {} };

/** An agentflow that runs with no model: JavaScript echoes the question. */
export function agentflowFunction(code = "return 'ECHO: ' + $flow.input"): string {
  return JSON.stringify({
    nodes: [
      START,
      { id: 'customFunctionAgentflow_0', name: 'customFunctionAgentflow', inputs: { customFunctionJavascriptFunction: code } },
    ],
    edges: [{ source: 'startAgentflow_0', target: 'customFunctionAgentflow_0' }],
  });
}

/** A chatflow that runs with no model. */
export function chatflowFunction(): string {
  const inputs = { functionName: 'echo', javascriptFunction: "return 'CF: ' + $input" };
  return JSON.stringify({ nodes: [{ id: 'customFunction_0', name: 'customFunction', inputs, output: 'EndingNode' }], edges: [] });
}

export function agentflowModel({ modelUrl, credential }: FlowNeeds, settings: object = {}): string {
  const inputs = {
    llmModel: 'chatOpenAI',
    llmMessages: [{ role: 'system', content: 'You are terse' }],
    llmModelConfig: { modelName: 'gpt-4o-mini', basepath: modelUrl, streaming: true, credential, ...settings },
  };
  return JSON.stringify({
    nodes: [START, { id: 'llmAgentflow_0', name: 'llmAgentflow', inputs }],
    edges: [{ source: 'startAgentflow_0', target: 'llmAgentflow_0' }],
  });
}

/** Its model does not stream: LangChain would fetch its tokenizer from outside. */
export function chatflowConversation({ modelUrl, credential }: FlowNeeds, settings: object = {}): string {
  return JSON.stringify({
    nodes: [
      { id: 'chatOpenAI_0', name: 'chatOpenAI', credential, inputs: { basepath: modelUrl, streaming: false, ...settings } },
      { id: 'bufferMemory_0', name: 'bufferMemory', inputs: {} },
      { id: 'conversationChain_0', name: 'conversationChain', inputs: { model: 'chatOpenAI_0', memory: 'bufferMemory_0' } },
    ],
    edges: [],
  });
}

/** Starts with a form, and answers with what was filled in. */
export function agentflowForm(): string {
  const formInputTypes = [
    { type: 'string', label: 'Your name', name: 'name' },
    { type: 'number', label: 'How many', name: 'count' },
  ];
  return JSON.stringify({
    nodes: [
      {
        id: 'startAgentflow_0',
        name: 'startAgentflow',
        inputs: { startInputType: 'formInput', formTitle: 'Order', formDescription: 'What may it be?', formInputTypes },
      },
      { id: 'directReplyAgentflow_0', name: 'directReplyAgentflow', inputs: { directReplyMessage: '{{$form.count}} for {{$form.name}}' } },
    ],
    edges: [{ source: 'startAgentflow_0', target: 'directReplyAgentflow_0' }],
  });
}

/** Stops for a person, and answers with what was decided. */
export function agentflowApproval(): string {
  return JSON.stringify({
    nodes: [
      START,
      {
        id: 'humanInputAgentflow_0',
        name: 'humanInputAgentflow',
        inputs: { humanInputDescriptionType: 'fixed', humanInputDescription: 'Publish it?', humanInputEnableFeedback: true },
      },
      { id: 'directReplyAgentflow_0', name: 'directReplyAgentflow', inputs: { directReplyMessage: 'APPROVED' } },
      { id: 'directReplyAgentflow_1', name: 'directReplyAgentflow', inputs: { directReplyMessage: 'REJECTED' } },
    ],
    edges: [
      { source: 'startAgentflow_0', target: 'humanInputAgentflow_0' },
      { source: 'humanInputAgentflow_0', target: 'directReplyAgentflow_0', output: 'proceed' },
      { source: 'humanInputAgentflow_0', target: 'directReplyAgentflow_1', output: 'reject' },
    ],
  });
}

/** What the published contract shows as an example: it can be saved and could never run. */
export const SKELETON = '{"nodes":[{"id":"node-1","type":"llm","data":{}}],"edges":[]}';
