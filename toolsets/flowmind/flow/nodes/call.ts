import { z } from 'zod';
import { filledIn, filledInEntries, quoted, type Value } from '../../language/template.ts';
import { mayBegin } from '../gates.ts';
import type { Preview, Previewed } from '../preview.ts';
import type { ApprovalKind, ToolTraits } from '../state.ts';
import { defineNode, field, type NodeBase, ONE_STEP, stored, storeOf, type Visit } from './node.ts';
import { agentUri } from './step.ts';

/** Calls a tool of any toolset, a function of the same context, or the flow that it is in. */
export interface CallNode extends NodeBase {
  kind: 'call';
  target: { kind: 'tool'; name: string } | { kind: 'function'; name: string } | { kind: 'self'; maxDepth: number };
  with: [string, Value][];
  store: string | undefined;
}

const DEFAULT_DEPTH = 10;

export const call = defineNode({
  keys: ['call'],
  usage: '`call`, `with`',
  summary: 'A tool of any toolset, a function of the file, or `self`',
  fields: () => ({
    call: field.text,
    with: field.values.optional(),
    recursive: z.boolean().optional(),
    max_depth: z.number().int().min(1).max(50).optional(),
    ...stored,
  }),

  /** A context that is called is a workflow node. */
  compile(data, compiler, path) {
    const shared = { ...compiler.base(data, path), with: compiler.values(data.with, [...path, 'with']), store: storeOf(data) };
    if (/^(workflow|pattern|agent):\/\//.test(data.call)) {
      const uri = data.call.startsWith('agent:') ? agentUri(data.call) : data.call;
      return { kind: 'workflow', ...shared, uri: compiler.template(uri, [...path, 'call']) };
    }
    if (data.call === 'self') return { kind: 'call', ...shared, target: { kind: 'self', maxDepth: data.max_depth ?? DEFAULT_DEPTH } };
    const tool = toolName(data.call);
    if (tool === 'execute_workflow')
      compiler.document.error([...path, 'call'], 'Run another context with {workflow: uri}: it keeps to the limits of this session');
    const local = data.call.replace(/^functions?\./, '');
    const isFunction = compiler.functions.has(local);
    return { kind: 'call', ...shared, target: isFunction ? { kind: 'function', name: local } : { kind: 'tool', name: tool } };
  },

  run(node: CallNode, visit) {
    const given = filledInEntries(node.with, visit.variables);
    if (node.target.kind === 'function') callFunction(node, visit, node.target.name, given);
    else if (node.target.kind === 'self') callSelf(node, visit, node.target.maxDepth, given);
    else callTool(node, visit, node.target.name, given);
  },

  async preview(node, preview) {
    const { target } = node;
    if (target.kind === 'self') return { what: `Run itself again, at most ${target.maxDepth} deep` };
    if (target.kind === 'tool') return previewTool(node, target.name, preview);
    const inside = preview.into(preview.definition, `${preview.definition.uri}#${target.name}`);
    const body = preview.definition.functions[target.name]?.body ?? [];
    return { what: `Run the function ${target.name}`, ...(inside && { steps: await inside.flow(body) }) };
  },

  traits: ({ target }) => ({ loops: target.kind === 'self' }),
  steps: () => ONE_STEP,
});

/** `tool://todo/create-todo` names the tool create_todo. */
export function toolName(written: string): string {
  const [, name] = /^tool:\/\/(?:[^/]+\/)*([^/]+)$/.exec(written) ?? [];
  return name ? name.replaceAll('-', '_') : written.trim();
}

function callTool(node: CallNode, visit: Visit, tool: string, given: Record<string, unknown>): void {
  const { machine, fiber } = visit;
  const traits = machine.ports.tool(tool);
  if (!traits) {
    machine.raise(fiber, { code: 'unknown_tool', message: `There is no tool named "${tool.slice(0, 100)}"`, step: node.id });
    return;
  }
  const parameters = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== undefined));
  if (!mayBegin(visit, node, tool, approvalsOf(traits), `Call ${tool} with ${quoted(parameters)}?`)) return;
  machine.startEffect(fiber, { kind: 'tool', tool, parameters });
}

/** The approvals that a call of a tool needs, if the run demands them. */
function approvalsOf(traits: ToolTraits): ApprovalKind[] {
  return [...(traits.openWorld ? (['external_api_calls'] as const) : []), ...(traits.readOnly ? [] : (['file_modifications'] as const))];
}

function callFunction(node: CallNode, { machine, fiber, frame }: Visit, name: string, given: Record<string, unknown>): void {
  const { uri } = frame;
  const definition = machine.program(uri).definition.functions[name];
  if (!definition) throw new Error(`${uri} has no function ${name}`);
  const depth = machine.breadcrumbs(fiber).filter((each) => each === `${uri}#${name}`).length;
  if (depth >= definition.maxDepth) {
    machine.cut(fiber, node, `${name} called itself ${depth} times`);
    return;
  }
  const variables: Record<string, unknown> = {};
  for (const parameter of definition.parameters) {
    const value = given[parameter.name] ?? (parameter.default && filledIn(parameter.default, given));
    if (value === undefined && parameter.required) {
      machine.raise(fiber, { code: 'missing_variables', message: `${name} needs ${parameter.name}`, step: node.id });
      return;
    }
    variables[parameter.name] = value ?? null;
  }
  for (const [key, value] of Object.entries(given)) variables[key] ??= value;
  machine.call(fiber, { of: 'function', uri, name, store: node.store }, `#function:${name}`, variables);
}

function callSelf(node: CallNode, visit: Visit, maxDepth: number, given: Record<string, unknown>): void {
  const { machine, fiber } = visit;
  const inside = machine.innermost(fiber);
  if (inside.of === 'function') {
    callFunction(node, visit, inside.name, given);
    return;
  }
  const depth = machine.breadcrumbs(fiber).filter((each) => each === inside.uri).length;
  if (depth > maxDepth) machine.cut(fiber, node, `it called itself ${maxDepth} times`);
  else
    machine.call(fiber, { of: 'workflow', uri: inside.uri, name: node.id, store: node.store }, '#flow', { ...visit.variables, ...given });
}

function previewTool(node: CallNode, name: string, preview: Preview): Previewed {
  preview.run.found.tools.add(name);
  const traits = preview.run.tool(name);
  const { readOnly, openWorld } = traits ?? { readOnly: false, openWorld: false };
  const parameters = node.with.map(([key, value]) => `${key}: ${JSON.stringify(preview.value(value)) ?? 'null'}`);
  return {
    what: `Call ${name} {${parameters.join(', ').slice(0, 500)}}`,
    tool: {
      name,
      exists: traits !== undefined,
      changes_things: !readOnly,
      reaches_outside: openWorld,
      approvals: approvalsOf({ readOnly, openWorld, idempotent: false }),
    },
  };
}
