import type { Edge, PortsByName } from './connections.ts';
import { type Findings, quoted } from './findings.ts';
import type { Shape } from './shape.ts';

/** An agent without a model, a vector store without embeddings: n8n fails when it comes to them. */
export function checkRequiredInputs(shape: Shape, ports: PortsByName, edges: Edge[], inUse: ReadonlySet<string>, findings: Findings): void {
  const connected = new Set(edges.flatMap((edge) => (edge.type === 'main' ? [] : [`${edge.to}\n${edge.type}`])));
  for (const { node, path } of shape.nodes) {
    const own = ports.get(node.name);
    if (!own?.certain.inputs || node.disabled === true) continue;
    for (const input of own.inputs) {
      if (input.type === 'main' || !input.required || connected.has(`${node.name}\n${input.type}`)) continue;
      findings[inUse.has(node.name) ? 'error' : 'warn']({
        code: 'required_input',
        node: node.name,
        path,
        message: `Nothing is connected to the input ${input.type} (${input.name}) of ${quoted(node.name)}, which it cannot run without`,
        fix: `Add a node that gives ${input.type}, and connect it with connection_create (sourceOutput "${input.type}")`,
      });
    }
  }
}
