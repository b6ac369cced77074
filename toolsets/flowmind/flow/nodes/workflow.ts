import { filledInEntries, plainText, type Template, type Value } from '../../language/template.ts';
import { mayBegin } from '../gates.ts';
import type { Preview, Previewed } from '../preview.ts';
import type { Program } from '../program.ts';
import { initialVariables } from '../variables.ts';
import { defineNode, field, type NodeBase, ONE_STEP, stored, storeOf, type Visit } from './node.ts';

/** Runs another context and comes back with its output. */
export interface WorkflowNode extends NodeBase {
  kind: 'workflow';
  uri: Template;
  with: [string, Value][];
  store: string | undefined;
}

/** How often a context may appear in its own trail before the circle is cut. */
export const MAX_CIRCLES = 3;

export const workflow = defineNode({
  keys: ['workflow', 'recurse_into'],
  usage: '`workflow: uri`, `with`',
  summary: 'Another context, in a scope of its own; variables of the same name are handed down',
  fields: () => ({
    workflow: field.text.optional(),
    recurse_into: field.text.optional(),
    with: field.values.optional(),
    ...stored,
  }),

  compile: (data, compiler, path) => ({
    kind: 'workflow',
    ...compiler.base(data, path),
    uri: compiler.template(data.workflow ?? data.recurse_into ?? '', [...path, data.workflow ? 'workflow' : 'recurse_into']),
    with: compiler.values(data.with, [...path, 'with']),
    store: storeOf(data),
  }),

  run(node: WorkflowNode, visit) {
    const { machine, fiber, variables } = visit;
    const uri = plainText(node.uri, variables);
    const program = loadedProgram(node, visit, uri);
    if (!program) return;
    if (machine.breadcrumbs(fiber).filter((each) => each === uri).length > MAX_CIRCLES) {
      machine.cut(fiber, node, `${uri} came around ${MAX_CIRCLES} times`);
      return;
    }
    const { definition } = program;
    if (!mayBegin(visit, node, definition.name, ['context_switches'], `Go into ${uri}?`)) return;
    const inherited = Object.keys(definition.variables).filter((name) => Object.hasOwn(variables, name));
    const given = { ...Object.fromEntries(inherited.map((name) => [name, variables[name]])), ...filledInEntries(node.with, variables) };
    const { variables: own, missing, problems } = initialVariables(definition, given);
    if (missing.length > 0 || problems.length > 0) {
      const message = missing.length > 0 ? `${uri} needs ${missing.join(', ')}` : (problems[0]?.issue ?? '');
      machine.raise(fiber, { code: 'missing_variables', message, step: node.id });
      return;
    }
    machine.state.stepsDone++;
    machine.note('entered', node.id, { uri });
    machine.call(fiber, { of: 'workflow', uri, name: node.id, store: node.store }, '#flow', own);
  },

  uses({ uri: [uri, ...more] }) {
    return typeof uri === 'string' && more.length === 0 ? [uri] : [];
  },

  preview: (node, preview) => previewContext(preview.text(node.uri).replaceAll('"', ''), preview),
  steps: () => ONE_STEP,
});

/** The program of another context; undefined while it is loaded, and when there is none. */
export function loadedProgram(node: NodeBase, { machine, fiber }: Visit, uri: string): Program | undefined {
  const program = machine.ports.program(uri);
  if (program === undefined) machine.startEffect(fiber, { kind: 'load', uri });
  if (program === null) machine.raise(fiber, { code: 'not_found', message: `There is no context ${uri.slice(0, 200)}`, step: node.id });
  return program ?? undefined;
}

export async function previewContext(uri: string, preview: Preview): Promise<Previewed> {
  preview.run.found.contexts.add(uri);
  const definition = await preview.run.context(uri);
  if (!definition) return { what: `Run ${uri}, which does not exist` };
  const inside = preview.into(definition, uri);
  return inside ? { what: `Run ${uri}`, steps: await inside.flow(definition.flow) } : { what: `Run ${uri} (not shown again)` };
}
