import { mayBegin } from '../gates.ts';
import { defineNode, field, type NodeBase } from './node.ts';
import { loadedProgram, MAX_CIRCLES, previewContext } from './workflow.ts';

/** Runs another context's flow in place, with the same variables. */
export type IncludeNode = NodeBase & { kind: 'include'; uri: string };

export const include = defineNode({
  keys: ['include'],
  usage: '`include: uri`',
  summary: "Another context's flow in place",
  fields: () => ({ include: field.text }),
  compile: (data, compiler, path) => ({ kind: 'include', ...compiler.base(data, path), uri: data.include }),

  run(node: IncludeNode, visit) {
    const { machine, fiber, frame } = visit;
    const program = loadedProgram(node, visit, node.uri);
    if (!program) return;
    const depth = fiber.stack.filter((each) => each.kind === 'block' && each.block === '#flow' && each.uri === node.uri).length;
    if (depth > MAX_CIRCLES) {
      machine.cut(fiber, node, `${node.uri} includes itself`);
      return;
    }
    if (!mayBegin(visit, node, program.definition.name, ['context_switches'], `Include ${node.uri}?`)) return;
    machine.state.stepsDone++;
    machine.next(fiber);
    machine.open(fiber, node.uri, frame.scope, '#flow');
  },

  uses: (node) => [node.uri],
  preview: (node, preview) => previewContext(node.uri, preview),
});
