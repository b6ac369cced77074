import { z } from 'zod';
import { filledIn, plainText, type Template, type Value } from '../../language/template.ts';
import { defineNode, field, type NodeBase } from './node.ts';

export type PersistNode = NodeBase & { kind: 'persist'; key: Template; value: Value; ttlMs: number | undefined };

export const persist = defineNode({
  keys: ['persist_state'],
  usage: '`persist_state: {key, value, ttl}`',
  summary: 'Kept for later sessions of the same user',
  fields: () => ({ persist_state: z.strictObject({ key: field.text, value: z.unknown().optional(), ttl: field.duration.optional() }) }),

  compile(data, compiler, path) {
    const { key, value, ttl } = data.persist_state;
    const at = [...path, 'persist_state'];
    return {
      kind: 'persist',
      ...compiler.base(data, path),
      key: compiler.template(key, [...at, 'key']),
      value: compiler.value(value ?? `\${${key}}`, [...at, 'value']),
      ttlMs: compiler.duration(ttl, [...at, 'ttl']),
    };
  },

  run(node: PersistNode, { machine, fiber, variables }) {
    const expiresAt = node.ttlMs === undefined ? null : new Date(machine.ports.now().getTime() + node.ttlMs).toISOString();
    machine.writes.push({ key: plainText(node.key, variables), value: filledIn(node.value, variables), expiresAt });
    machine.next(fiber);
  },

  preview: (node, preview) => ({ what: `Keep ${preview.text(node.key)} for later sessions` }),
});
