import type { Finding, Workflow } from '../../document/workflow/model.ts';
import type { PackReader } from '../pack/pack-reader.ts';
import { type NodePorts, portsOf } from '../types/node-ports.ts';
import type { OpenedPack } from '../types/opened-pack.ts';
import type { NodeType } from '../types/type-store.ts';
import { checkConnections, checkSubNodes, connectedNames } from './connections.ts';
import { checkExpressions } from './expressions.ts';
import { Findings } from './findings.ts';
import { checkFlow } from './flow.ts';
import { checkType } from './node-types.ts';
import { checkCredentials, checkParameters } from './parameters.ts';
import { checkShape, type PlacedNode } from './shape.ts';

export interface Validation {
  valid: boolean;
  errors: Finding[];
  warnings: Finding[];
}

export interface Validator {
  validate(workflow: Workflow): Promise<Validation>;
}

/** Says what n8n would refuse or fail at, by n8n's own rules where it has some. */
export function packValidator(reader: PackReader): Validator {
  return {
    async validate(workflow) {
      const pack = await reader.open();
      if (!pack) throw reader.missing('Validation');
      return validated(pack, workflow);
    },
  };
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

/** What is known about a node by itself, whatever surrounds it. */
interface CheckedNode {
  /** Undefined when n8n has no such type. */
  known: { type: NodeType; ports: NodePorts } | undefined;
  findings: Findings;
}

const MOST_REMEMBERED = 3000;
const LONGEST_REMEMBERED = 20_000;

/** Remembers what was found about a node until it changes: after an edit, all other nodes are as they were. */
class CheckedNodes {
  readonly #pack: OpenedPack;
  readonly #remembered = new Map<string, CheckedNode>();

  constructor(pack: OpenedPack) {
    this.#pack = pack;
  }

  /** Adds what is wrong with the node to the findings. */
  check(placed: PlacedNode, isConnected: boolean, findings: Findings): CheckedNode['known'] {
    const checked = this.#checked(placed, isConnected);
    findings.add(checked.findings, placed.path);
    return checked.known;
  }

  #checked({ node }: PlacedNode, isConnected: boolean): CheckedNode {
    const { id: _id, position: _position, notes: _notes, ...telling } = node;
    const key = `${isConnected} ${JSON.stringify(telling)}`;
    const remembered = this.#remembered.get(key);
    if (remembered) return remembered;
    const checked = checkedNode(this.#pack, { node, path: '' }, isConnected);
    if (key.length <= LONGEST_REMEMBERED) {
      const [oldest] = this.#remembered.keys();
      if (oldest !== undefined && this.#remembered.size >= MOST_REMEMBERED) this.#remembered.delete(oldest);
      this.#remembered.set(key, checked);
    }
    return checked;
  }
}

function checkedNode(pack: OpenedPack, placed: PlacedNode, isConnected: boolean): CheckedNode {
  const findings = new Findings();
  const type = checkType(pack, placed, findings);
  if (!type) return { known: undefined, findings };
  const inUse = isConnected || type.entry.trigger;
  const resolved = checkParameters({ pack, type, placed, inUse, findings });
  checkCredentials(pack, type, placed, resolved, findings);
  return { known: { type, ports: portsOf(pack, type, placed.node, resolved) }, findings };
}
