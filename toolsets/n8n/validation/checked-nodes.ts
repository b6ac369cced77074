import { type NodePorts, portsOf } from '../catalogue/node-ports.ts';
import type { NodeType } from '../catalogue/type-store.ts';
import type { OpenedPack } from '../pack/opened-pack.ts';
import { checkCredentials } from './credentials.ts';
import { Findings } from './findings.ts';
import { checkType } from './node-types.ts';
import { checkParameters } from './parameters.ts';
import type { PlacedNode } from './shape.ts';

/** What is known about a node by itself, whatever surrounds it. */
export interface CheckedNode {
  /** Undefined when n8n has no such type. */
  known: { type: NodeType; ports: NodePorts } | undefined;
  findings: Findings;
}

const MOST_REMEMBERED = 3000;
const LONGEST_REMEMBERED = 20_000;

/**
 * A workflow is checked again after each edit, and all but one of its nodes are what they were: what was found about a node is
 * remembered as long as nothing of it changes.
 */
export class CheckedNodes {
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
      if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.delete(this.#remembered.keys().next().value as string);
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
