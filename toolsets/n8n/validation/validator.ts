import { engineMissing } from '../availability.ts';
import { type NodePorts, portsOf } from '../catalogue/node-ports.ts';
import type { NodeType } from '../catalogue/type-store.ts';
import type { OpenedPack, PackReader } from '../pack/opened-pack.ts';
import type { Validation, Validator } from '../ports.ts';
import type { Workflow } from '../workflow/model.ts';
import { checkConnections, connectedNames } from './connections.ts';
import { checkCredentials } from './credentials.ts';
import { Findings } from './findings.ts';
import { checkFlow } from './flow.ts';
import { checkType } from './node-types.ts';
import { checkParameters } from './parameters.ts';
import { checkReferences } from './references.ts';
import { checkRequiredInputs } from './required-inputs.ts';
import { checkShape } from './shape.ts';

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

export function validated(pack: OpenedPack, workflow: unknown): Validation {
  const findings = new Findings();
  const shape = checkShape(workflow, findings);
  const connected = connectedNames(shape);
  const types = new Map<string, NodeType>();
  const ports = new Map<string, NodePorts>();
  for (const placed of shape.nodes) {
    const type = checkType(pack, placed, findings);
    if (!type) continue;
    const inUse = connected.has(placed.node.name) || type.entry.trigger;
    const resolved = checkParameters({ pack, type, placed, inUse, findings });
    checkCredentials(pack, type, placed, resolved, findings);
    if (shape.byName.get(placed.node.name) !== placed) continue;
    types.set(placed.node.name, type);
    ports.set(placed.node.name, portsOf(pack, type, placed.node, resolved));
  }
  const edges = checkConnections(shape, ports, findings);
  checkRequiredInputs(shape, ports, edges, connected, findings);
  checkFlow(shape, types, edges, findings);
  checkReferences(shape, findings);
  return { valid: findings.errors.length === 0, errors: findings.errors, warnings: findings.warnings };
}
