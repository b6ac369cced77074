import { isRecord } from '@millrace/kernel';
import { z } from 'zod';
import type { FlowCompiler } from '../compile.ts';
import type { Path } from '../document.ts';
import type { Completion, Placed } from '../state.ts';
import { defineNode, field, inSequence, NO_STEPS, type NodeBase, oneOf, type Visit } from './node.ts';
import type { FlowNode } from './registry.ts';

export interface TryNode extends NodeBase {
  kind: 'try';
  body: FlowNode[];
  /** `error` is a code such as not_found or timeout; undefined catches everything. */
  catches: { error: string | undefined; body: FlowNode[] }[];
  finally: FlowNode[];
}

export interface TryFrame extends Placed {
  kind: 'try';
  node: string;
  phase: 'body' | 'catch' | 'finally';
  /** The error or return that continues after `finally`. */
  completion: Completion | undefined;
}

export const tryNode = defineNode({
  keys: ['try'],
  usage: '`try`/`catch`/`finally`',
  summary: '`catch` is a list, or lists by error code; `error` has `code`, `message` and `step`',
  fields: (body) => ({
    try: body,
    catch: z.union([body, z.array(field.values), field.values]).optional(),
    finally: body.optional(),
  }),

  compile: (data, compiler, path) => ({
    kind: 'try',
    ...compiler.base(data, path),
    body: compiler.flow(data.try, [...path, 'try']),
    catches: compileCatches(compiler, data.catch, [...path, 'catch']),
    finally: compiler.flow(data.finally, [...path, 'finally']),
  }),

  run(node: TryNode, { machine, fiber, frame: { uri, scope } }) {
    machine.next(fiber);
    const frame: TryFrame = { kind: 'try', node: node.id, phase: 'body', completion: undefined, uri, scope };
    fiber.stack.push(frame);
    machine.openBody(fiber, frame, node, node.body);
  },

  resume(node, { machine, fiber, frame }: Visit<TryFrame>) {
    if (frame.phase !== 'finally' && node.finally.length > 0) {
      frame.phase = 'finally';
      machine.openBody(fiber, frame, node, node.finally);
      return;
    }
    fiber.stack.pop();
    const { completion } = frame;
    if (completion?.kind === 'error') machine.raise(fiber, completion.error);
    else if (completion) machine.return(fiber, completion.value);
  },

  intercept(node, { machine, fiber, frame, variables }, completion) {
    if (frame.phase === 'finally') return false;
    const handler = completion.kind === 'error' && frame.phase === 'body' ? handlerOf(node, completion.error.code) : undefined;
    if (completion.kind === 'error' && handler) {
      frame.phase = 'catch';
      variables['error'] = { ...completion.error };
      machine.openBody(fiber, frame, node, handler.body);
      return true;
    }
    if (node.finally.length === 0) return false;
    frame.phase = 'finally';
    frame.completion = completion;
    machine.openBody(fiber, frame, node, node.finally);
    return true;
  },

  catches: (node, frame, code) => frame.phase === 'body' && handlerOf(node, code) !== undefined,
  bodies: (node) => [node.body, ...node.catches.map((each) => each.body), node.finally],
  preview: async (node, preview) => ({ what: 'Try, and catch what fails', steps: await preview.flow(node.body) }),

  steps(node, stepsOf) {
    const { most } = oneOf([NO_STEPS, ...node.catches.map((each) => stepsOf(each.body))]);
    return inSequence([stepsOf(node.body), { least: 0, most }, stepsOf(node.finally)]);
  },
});

function handlerOf(node: TryNode, code: string): TryNode['catches'][number] | undefined {
  return node.catches.find((each) => each.error === undefined || each.error === code);
}

const ERROR_KEYS = ['error_type', 'error', 'on', 'type'];

/** `catch: [nodes]`, `catch: {timeout: [nodes]}` or `catch: [{error_type: timeout, do: [nodes]}]`. */
function compileCatches(compiler: FlowCompiler, written: unknown, path: Path): TryNode['catches'] {
  if (written === undefined) return [];
  if (Array.isArray(written) && written.some(isHandler)) {
    return written.map((each, index) => {
      const error = ERROR_KEYS.map((key) => each[key]).find((value) => typeof value === 'string');
      return { error: codeOf(error), body: compiler.flow(each['do'], [...path, index, 'do']) };
    });
  }
  const byCode = isRecord(written) ? Object.entries(written) : [];
  if (!isRecord(written) || byCode.some(([, body]) => !Array.isArray(body)))
    return [{ error: undefined, body: compiler.flow(written, path) }];
  return byCode.map(([error, body]) => ({ error: codeOf(error), body: compiler.flow(body, [...path, error]) }));
}

function isHandler(written: unknown): boolean {
  return isRecord(written) && 'do' in written && ERROR_KEYS.some((key) => key in written);
}

function codeOf(error: string | undefined): string | undefined {
  return error === undefined || ['any', 'all', 'default', '*', 'error'].includes(error) ? undefined : error;
}
