import type { ContextDefinition } from '../../language/context.ts';
import { everyNode, stepsOf } from '../../nodes/registry.ts';
import type { Match } from './request.ts';

/** What running a context will be like, read off its flow. */
export function previewOf(context: ContextDefinition): Match['execution_preview'] {
  const { least, most } = stepsOf(context.flow);
  return {
    type: kindOf(context),
    estimated_steps: stepsText(least, most),
    contexts_involved: context.dependencies,
    stopping_condition: context.stoppingCondition ?? defaultStop(context),
  };
}

function kindOf(context: ContextDefinition): string {
  if (context.action) return 'tool_call';
  const nodes = [...everyNode(context.flow), ...Object.values(context.functions).flatMap((each) => [...everyNode(each.body)])];
  const loops = nodes.some((node) => node.kind === 'while' || (node.kind === 'call' && node.target.kind === 'self'));
  if (loops) return 'recursive_workflow';
  if (context.type === 'agent') return 'agent';
  const branches = nodes.some((node) => node.kind === 'if' || node.kind === 'switch' || node.kind === 'switch_semantic');
  return branches ? 'branching_workflow' : 'linear_workflow';
}

function defaultStop(context: ContextDefinition): string {
  return context.action ? `${context.action.tool} has answered` : 'All steps are done';
}

function stepsText(least: number, most: number): string {
  if (most === Number.POSITIVE_INFINITY) return `${least} or more, depending on how often it repeats`;
  return least === most ? String(least) : `${least}-${most} depending on the branches taken`;
}
