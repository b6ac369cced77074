import type { ContextDefinition } from '../../language/context.ts';
import { everyNode, type FlowNode } from '../../language/flow.ts';
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

interface Steps {
  least: number;
  most: number;
}

function stepsText(least: number, most: number): string {
  if (most === Number.POSITIVE_INFINITY) return `${least} or more, depending on how often it repeats`;
  return least === most ? String(least) : `${least}-${most} depending on the branches taken`;
}

const STEPS = new Set(['step', 'ask', 'call', 'workflow']);

function stepsOf(flow: readonly FlowNode[]): Steps {
  return sum(flow.map(stepsOfNode));
}

function stepsOfNode(node: FlowNode): Steps {
  switch (node.kind) {
    case 'if':
      return either([...node.branches.map((branch) => stepsOf(branch.body)), stepsOf(node.otherwise)]);
    case 'switch':
    case 'switch_semantic':
      return either([...node.cases.map((each) => stepsOf(each.body)), stepsOf(node.otherwise)]);
    case 'while':
      return { least: node.test === 'after' ? stepsOf(node.body).least : 0, most: repeated(stepsOf(node.body)) };
    case 'for_each':
      return { least: 0, most: repeated(stepsOf(node.body)) };
    case 'parallel':
      return sum(node.tasks.map((task) => stepsOf(task.body)));
    case 'try': {
      const body = stepsOf(node.body);
      const caught = either([{ least: 0, most: 0 }, ...node.catches.map((each) => stepsOf(each.body))]);
      return sum([body, { least: 0, most: caught.most }, stepsOf(node.finally)]);
    }
    default:
      return STEPS.has(node.kind) ? { least: node.kind === 'step' && node.when ? 0 : 1, most: 1 } : { least: 0, most: 0 };
  }
}

function sum(parts: readonly Steps[]): Steps {
  return parts.reduce((total, part) => ({ least: total.least + part.least, most: total.most + part.most }), { least: 0, most: 0 });
}

function either(parts: readonly Steps[]): Steps {
  return { least: Math.min(...parts.map((part) => part.least)), most: Math.max(...parts.map((part) => part.most)) };
}

function repeated(body: Steps): number {
  return body.most > 0 ? Number.POSITIVE_INFINITY : 0;
}
