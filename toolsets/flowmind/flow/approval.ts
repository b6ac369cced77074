import type { Machine, Visit } from './machine.ts';
import type { NodeBase } from './nodes/node.ts';
import type { ApprovalKind } from './state.ts';

/** Whether there is budget for another step; otherwise the whole session asks before it continues. */
export function hasBudget(machine: Machine, node: string): boolean {
  const { state } = machine;
  if (state.stepsStarted < state.stepBudget) return true;
  machine.hold('max_steps', node, `${state.stepsStarted} steps are done, which is the limit. Continue for ${state.options.maxSteps} more?`);
  return false;
}

/** Whether a step may begin now: there is budget for it, and it is approved where that was demanded. */
export function mayBegin({ machine, fiber }: Visit, node: NodeBase, step: string, kinds: ApprovalKind[], text: string): boolean {
  if (!hasBudget(machine, node.id)) return false;
  const { options } = machine.state;
  const demanded = kinds.filter((kind) => options.approvals.includes(kind));
  if (!fiber.approved && (options.mode === 'step_confirm' || demanded.length > 0)) {
    const why = demanded.length > 0 ? ` (${demanded.map((kind) => kind.replaceAll('_', ' ')).join(' and ')} need approval)` : '';
    machine.ask(fiber, { reason: 'approval', node: node.id, step, text: `${text}${why}`, answer: { kind: 'approval' } });
    return false;
  }
  machine.state.stepsStarted++;
  return true;
}
