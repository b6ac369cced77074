import { Failure } from '@millrace/kernel';
import { renameInConnections } from './connections.ts';
import { renameInExpressions } from './expressions.ts';
import type { Workflow, WorkflowNode } from './model.ts';
import { quoted } from './nodes.ts';

/** Gives a node another name, everywhere: connections, expressions, pinned and static data. */
export function renameNode(workflow: Workflow, node: WorkflowNode, to: string): void {
  const from = node.name;
  if (from === to) return;
  if (workflow.nodes.some((other) => other !== node && other.name === to)) {
    throw new Failure('conflict', `There is a node called ${quoted(to)} already`, { details: { name: to } });
  }
  const isOnlyOne = workflow.nodes.every((other) => other === node || other.name !== from);
  node.name = to;
  // The connections of a name that two nodes share belong to the other one.
  if (!isOnlyOne) return;
  renameInConnections(workflow, from, to);
  renameInExpressions(workflow, from, to);
  if (workflow.pinData) workflow.pinData = withKey(workflow.pinData, from, to);
  const { staticData } = workflow;
  if (staticData !== null && typeof staticData === 'object') {
    workflow['staticData'] = withKey(staticData as Record<string, unknown>, `node:${from}`, `node:${to}`);
  }
}

function withKey<Value>(record: Record<string, Value>, from: string, to: string): Record<string, Value> {
  if (!Object.hasOwn(record, from)) return record;
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key === from ? to : key, value]));
}
