import { createHash } from 'node:crypto';
import type { ContextDefinition } from './context.ts';
import { bodiesOf, everyNode, type FlowNode } from './nodes/registry.ts';

/** A definition, laid out so that every node and every list of nodes has a name that a saved state can point at. */
export class Program {
  readonly definition: ContextDefinition;
  /** Identifies the definition's text: a session runs to its end with the one it began with. */
  readonly hash: string;
  readonly #nodes = new Map<string, FlowNode>();
  readonly #blocks = new Map<string, FlowNode[]>();

  constructor(definition: ContextDefinition) {
    this.definition = definition;
    this.hash = createHash('sha256').update(`${definition.uri}\n${definition.source.kind}\n${definition.source.text}`).digest('hex');
    this.#add('#flow', definition.flow);
    for (const each of Object.values(definition.functions)) this.#add(`#function:${each.name}`, each.body);
  }

  #add(name: string, flow: FlowNode[]): void {
    this.#blocks.set(name, flow);
    for (const node of everyNode(flow)) {
      this.#nodes.set(node.id, node);
      bodiesOf(node).forEach((body, index) => {
        this.#blocks.set(`${node.id}#${index}`, body);
      });
    }
  }

  node(id: string): FlowNode {
    const node = this.#nodes.get(id);
    if (!node) throw new Error(`${this.definition.uri} has no node ${id}`);
    return node;
  }

  block(name: string): FlowNode[] {
    const block = this.#blocks.get(name);
    if (!block) throw new Error(`${this.definition.uri} has no block ${name}`);
    return block;
  }

  /** The name of one of the lists of nodes inside a node. */
  blockOf(node: FlowNode, body: FlowNode[]): string {
    return `${node.id}#${bodiesOf(node).indexOf(body)}`;
  }
}
