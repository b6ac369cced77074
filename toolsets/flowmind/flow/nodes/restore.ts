import { z } from 'zod';
import { plainText, type Template } from '../../language/template.ts';
import { defineNode, field, type NodeBase, stored, storeOf } from './node.ts';

export type RestoreNode = NodeBase & { kind: 'restore'; key: Template; store: string };

export const restore = defineNode({
  keys: ['restore_state'],
  usage: '`restore_state: {key, into}`',
  summary: 'What an earlier session kept',
  fields: () => ({ restore_state: z.strictObject({ key: field.text, into: field.variable.optional() }), ...stored }),

  compile(data, compiler, path) {
    const { key, into } = data.restore_state;
    return {
      kind: 'restore',
      ...compiler.base(data, path),
      key: compiler.template(key, [...path, 'restore_state', 'key']),
      store: into ?? storeOf(data) ?? key.replace(/[^\p{L}\p{N}_]/gu, '_'),
    };
  },

  run(node: RestoreNode, { machine, fiber, variables }) {
    machine.startEffect(fiber, { kind: 'restore', key: plainText(node.key, variables), store: node.store });
  },

  preview: (node, preview) => ({ what: `Restore ${preview.text(node.key)}` }),
});
