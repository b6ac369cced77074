import { isRecord } from '@millrace/kernel';
import { z } from 'zod';
import { quotedText, type Template } from '../../language/template.ts';
import { type Condition, compileCondition } from '../condition.ts';
import { conditionOf, mayBegin } from '../gates.ts';
import type { StepContext } from '../state.ts';
import { defineNode, field, type NodeBase, ONE_STEP, stored, storeOf, type Visit } from './node.ts';

/** An instruction for the calling assistant, whose answer comes back. */
export interface StepNode extends NodeBase {
  kind: 'step';
  name: string;
  instruction: Template;
  /** Who to be, in words. */
  persona: Template | undefined;
  /** Who to be, as a context. */
  agent: string | undefined;
  deliverables: string[];
  successCriteria: string[];
  when: Condition | undefined;
  store: string | undefined;
}

const texts = z.union([field.text, z.array(z.union([field.text, field.values]))]).optional();

const fields = {
  step: z.union([field.text, z.number()]).optional(),
  instruction: field.text.optional(),
  prompt: field.text.optional(),
  persona: field.text.optional(),
  agent: field.text.optional(),
  role: field.text.optional(),
  personalities: z.union([field.text, z.array(field.text), field.values]).optional(),
  deliverables: texts,
  success_criteria: texts,
  when_complete: field.text.optional(),
  conditions: z.union([field.text, z.array(field.text)]).optional(),
  when: field.expression.optional(),
  when_semantic: field.text.optional(),
  confidence_threshold: field.threshold.optional(),
  ...stored,
};

type WrittenStep = z.output<z.ZodObject<typeof fields>> & { name?: string | undefined; description?: string | undefined };

export const step = defineNode({
  keys: ['step', 'instruction', 'prompt', 'agent', 'role'],
  weakKeys: ['name', 'description'],
  usage: '`step`, `instruction`, `agent` or `persona`',
  summary: 'An instruction for the calling assistant; its answer is the result. `deliverables`, `success_criteria` and `when` are optional',
  fields: () => fields,

  compile(data, compiler, path) {
    const instruction = instructionIn(data);
    const persona = personaIn(data);
    const more = data.instruction && data.prompt ? [data.prompt] : [];
    const conditions = listOf(data.conditions).map((text) => `Keep in mind: ${text}`);
    const isConditional = data.when !== undefined || data.when_semantic !== undefined;
    return {
      kind: 'step',
      ...compiler.base(data, path),
      name: nameIn(data) ?? firstWords(instruction),
      instruction: compiler.template([instruction, ...more, ...conditions].join('\n'), path),
      persona: persona === undefined ? undefined : compiler.template(persona, [...path, 'persona']),
      agent: data.agent === undefined ? undefined : agentUri(data.agent),
      deliverables: listOf(data.deliverables),
      successCriteria: [...listOf(data.success_criteria), ...listOf(data.when_complete)],
      when: isConditional ? compileCondition(compiler, { ...data, if: data.when, if_semantic: data.when_semantic }, path) : undefined,
      store: storeOf(data),
    };
  },

  run(node: StepNode, visit) {
    const { machine, fiber, variables } = visit;
    if (node.when) {
      const holds = conditionOf(visit, node.when, 'when');
      if (holds === undefined) return;
      if (!holds) {
        machine.note('skipped', node.id);
        machine.next(fiber);
        return;
      }
    }
    if (node.agent && machine.ports.program(node.agent) === undefined) {
      machine.startEffect(fiber, { kind: 'load', uri: node.agent });
      return;
    }
    if (!mayBegin(visit, node, node.name, node.agent ? ['context_switches'] : [], `Do the step "${node.name}"?`)) return;
    const context = contextOf(node, visit);
    const instruction = instructionOf(node, variables);
    const { mode } = machine.state.options;
    if (mode === 'autonomous' && machine.ports.hasModel) {
      machine.startEffect(fiber, { kind: 'generate', instruction, persona: context.persona ?? '' });
      return;
    }
    machine.ask(fiber, {
      reason: mode === 'autonomous' ? 'model_required' : 'step',
      node: node.id,
      step: node.name,
      text: `What is the result of the step "${node.name}"?`,
      answer: { kind: 'any' },
      audience: 'assistant',
      instruction,
      context,
    });
  },

  uses: (node) => (node.agent ? [node.agent] : []),

  async preview(node, preview) {
    if (node.agent) preview.run.found.contexts.add(node.agent);
    return {
      what: `${node.name}: ${preview.text(node.instruction)}`,
      ...(node.when && { branches: await preview.branches(preview.alternatives([{ condition: node.when, body: [] }], [])) }),
    };
  },

  steps: (node) => (node.when ? { least: 0, most: 1 } : ONE_STEP),
});

function instructionIn(data: WrittenStep): string {
  const name = typeof data.step === 'string' ? data.step : data.name;
  return data.instruction ?? data.prompt ?? data.description ?? name ?? 'Do this step';
}

function nameIn(data: WrittenStep): string | undefined {
  return data.name ?? (typeof data.step === 'number' ? `Step ${data.step}` : data.step);
}

function personaIn(data: WrittenStep): string | undefined {
  const role = data.role && !data.agent ? `Act as ${data.role}.` : undefined;
  const voices = data.personalities === undefined ? undefined : `Speak for: ${namesIn(data.personalities)}.`;
  return data.persona ?? ([role, voices].filter(Boolean).join(' ') || undefined);
}

function namesIn(personalities: NonNullable<WrittenStep['personalities']>): string {
  if (typeof personalities === 'string') return personalities;
  return (Array.isArray(personalities) ? personalities : Object.keys(personalities)).join(', ');
}

function listOf(written: string | (string | Record<string, unknown>)[] | undefined): string[] {
  const list = written === undefined ? [] : Array.isArray(written) ? written : [written];
  return list.map((each) =>
    isRecord(each)
      ? Object.entries(each)
          .map(([key, value]) => `${key}: ${String(value)}`)
          .join('; ')
      : each,
  );
}

function firstWords(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length <= 60 ? line : `${line.slice(0, 57).replace(/\s+\S*$/, '')}…`;
}

/** The origin's files name agents with and without the scheme. */
export function agentUri(written: string): string {
  if (written.includes('://')) return written;
  const slug = written.trim().toLowerCase();
  return `agent://${slug.replace(/[^a-z0-9/]+/g, '-')}`;
}

function instructionOf(node: StepNode, variables: Record<string, unknown>): string {
  const wanted = node.deliverables.length > 0 ? [`Deliver: ${node.deliverables.join('; ')}.`] : [];
  const done = node.successCriteria.length > 0 ? [`It is done when: ${node.successCriteria.join('; ')}.`] : [];
  return [quotedText(node.instruction, variables).trim(), ...wanted, ...done].join('\n');
}

function contextOf(node: StepNode, { machine, fiber, frame, variables }: Visit): StepContext {
  const { uri } = frame;
  const { name, persona } = machine.program(uri).definition;
  const agent = node.agent ? machine.ports.program(node.agent)?.definition : undefined;
  const unknownAgent = node.agent && !agent ? `Act as ${node.agent.replace(/^agent:\/\//, '').replaceAll('-', ' ')}.` : undefined;
  const own = node.persona && quotedText(node.persona, variables);
  return {
    uri,
    name,
    agent: node.agent ?? null,
    persona: [agent?.persona ?? agent?.description ?? unknownAgent, own].filter(Boolean).join('\n') || persona || null,
    deliverables: node.deliverables,
    success_criteria: node.successCriteria,
    breadcrumbs: machine.breadcrumbs(fiber),
  };
}
