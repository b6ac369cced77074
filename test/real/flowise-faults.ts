import type { Template } from './flowise-templates.ts';

// biome-ignore lint/suspicious/noExplicitAny: flows as Flowise's own canvas wrote them
type Any = any;

export interface Fault {
  kind: string;
  /** What must be found, and at which node. */
  code: string;
  node?: string;
  type: Template['type'];
  flow: Template['flow'];
}

const NOBODYS_CREDENTIAL = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';

/** One flow with each fault that it can have, one at a time. */
export function faultsIn({ type, flow }: Template, definitions: Map<string, Any>): Fault[] {
  const copy = () => structuredClone(flow);
  const isNote = (node: Any) => /^stickyNote/.test(node.data.name);
  const nodes = flow.nodes.filter((node) => !isNote(node));
  const victim = nodes.at(-1) as Any;
  const faults: (Fault | undefined)[] = [
    fault('unknown node', 'unknown_node', victim.id, type, copy(), (it) => {
      of(it, victim.id).data.name = 'noSuchNodeAnywhere';
    }),
    fault('wrong flow type', 'wrong_flow_type', undefined, type === 'AGENTFLOW' ? 'CHATFLOW' : 'AGENTFLOW', copy(), () => {}),
    fault('duplicate id', 'duplicate_id', victim.id, type, copy(), (it) => {
      it.nodes.push(structuredClone(of(it, victim.id)));
    }),
    fault('dangling edge', 'dangling_edge', undefined, type, copy(), (it) => {
      it.edges[0].target = 'no_such_node_0';
    }),
    missingAnchor(type, copy(), definitions),
    unknownCredential(type, copy(), definitions),
    type === 'AGENTFLOW'
      ? fault('no start', 'no_start', undefined, type, copy(), (it) => {
          const start = it.nodes.find((node) => node.data.name === 'startAgentflow');
          it.nodes = it.nodes.filter((node) => node !== start);
          it.edges = it.edges.filter((edge) => edge.source !== start.id);
        })
      : undefined,
  ];
  return faults.filter((one) => one !== undefined);
}

function fault(
  kind: string,
  code: string,
  node: string | undefined,
  type: Fault['type'],
  flow: Fault['flow'],
  seed: (flow: Fault['flow']) => void,
): Fault {
  seed(flow);
  return { kind, code, type, flow, ...(node !== undefined && { node }) };
}

function of(flow: Fault['flow'], id: string): Any {
  return flow.nodes.find((node) => node.id === id);
}

/** Something that a node must be connected to is taken away, with its edge. */
function missingAnchor(type: Fault['type'], flow: Fault['flow'], definitions: Map<string, Any>): Fault | undefined {
  for (const node of flow.nodes) {
    const inputs: Any[] = definitions.get(node.data.name)?.inputs ?? [];
    const anchor = inputs.find((input) => /^[A-Z]/.test(input.type) && !input.optional && !input.list && node.data.inputs?.[input.name]);
    if (!anchor || type === 'AGENTFLOW') continue;
    node.data.inputs[anchor.name] = '';
    flow.edges = flow.edges.filter((edge) => edge.target !== node.id || !edge.targetHandle.includes(`-input-${anchor.name}-`));
    return { kind: 'missing anchor', code: 'missing_connection', node: node.id, type, flow };
  }
  return undefined;
}

function unknownCredential(type: Fault['type'], flow: Fault['flow'], definitions: Map<string, Any>): Fault | undefined {
  for (const node of flow.nodes) {
    const definition = definitions.get(node.data.name);
    const choice = (definition?.inputs ?? []).find((input: Any) => input.loadConfig && node.data.inputs?.[input.name]);
    if (!definition?.credential && !choice) continue;
    if (choice) node.data.inputs[`${choice.name}Config`].FLOWISE_CREDENTIAL_ID = NOBODYS_CREDENTIAL;
    else node.data.credential = NOBODYS_CREDENTIAL;
    return { kind: 'missing credential', code: 'unknown_credential', node: node.id, type, flow };
  }
  return undefined;
}
