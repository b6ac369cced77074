import { engineMissing } from '../availability.ts';
import type { NodePorts } from '../catalogue/node-ports.ts';
import type { NodeType } from '../catalogue/type-store.ts';
import type { OpenedPack, PackReader } from '../pack/opened-pack.ts';
import type { Validation, Validator } from '../ports.ts';
import type { Workflow } from '../workflow/model.ts';
import { CheckedNodes } from './checked-nodes.ts';
import { checkConnections, connectedNames } from './connections.ts';
import { checkExpressions } from './expressions.ts';
import { Findings } from './findings.ts';
import { checkFlow } from './flow.ts';
import { checkShape } from './shape.ts';
import { checkSubNodes } from './sub-nodes.ts';

/** Says what n8n would refuse or fail at, by n8n's own rules where it has some. */
export class WorkflowValidator implements Validator {
  readonly #reader: PackReader;

  constructor(reader: PackReader) {
    this.#reader = reader;
  }

  async validate(workflow: Workflow): Promise<Validation> {
    const pack = await this.#reader.open();
    if (!pack) {
      const missing = await this.#reader.availability();
      if (!missing.available) throw engineMissing('Validation', missing);
    }
    return validated(pack as OpenedPack, workflow);
  }
}

const checkedNodes = new WeakMap<OpenedPack, CheckedNodes>();

function checkedNodesOf(pack: OpenedPack): CheckedNodes {
  const known = checkedNodes.get(pack) ?? new CheckedNodes(pack);
  checkedNodes.set(pack, known);
  return known;
}

export function validated(pack: OpenedPack, workflow: unknown): Validation {
  const findings = new Findings();
  const shape = checkShape(workflow, findings);
  const connected = connectedNames(shape);
  const types = new Map<string, NodeType>();
  const ports = new Map<string, NodePorts>();
  const nodes = checkedNodesOf(pack);
  for (const placed of shape.nodes) {
    const { name } = placed.node;
    const known = nodes.check(placed, connected.has(name), findings);
    if (!known || shape.byName.get(name) !== placed) continue;
    types.set(name, known.type);
    ports.set(name, known.ports);
  }
  const edges = checkConnections(shape, ports, findings);
  checkSubNodes(shape, ports, edges, connected, findings);
  checkFlow(shape, types, edges, findings);
  checkExpressions(pack, shape, findings);
  findings.summarize();
  return { valid: findings.errors.length === 0, errors: findings.errors, warnings: findings.warnings };
}
