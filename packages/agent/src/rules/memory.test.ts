import { expect, test } from 'vitest';
import type { Prompt } from '../chat-model.ts';
import { lastRead, type Memory, memoryIn, type Todo, toMetadata } from './memory.ts';

const todo = (id: string): Todo => ({ id, title: `Todo ${id}`, status: 'open', priority: 'medium' });

const answered = (memory: Memory): Prompt[number] => ({
  role: 'assistant',
  content: [{ type: 'text', text: '1. Todo a', providerOptions: { millrace: toMetadata(memory) } }],
});

const read = (...todos: Todo[]): Prompt[number] => ({
  role: 'tool',
  content: [
    {
      type: 'tool-result',
      toolCallId: 'call',
      toolName: 'read_todos',
      output: { type: 'json', value: JSON.parse(JSON.stringify({ success: true, todos })) },
    },
  ],
});

test('what another model or an interrupted answer read has no numbers, and neither has the list before it', () => {
  const memory = memoryIn([answered({ list: [todo('a')], focus: [], undo: [] }), read(todo('b'), todo('c'))]);
  expect(memory.list).toEqual([]);
  expect(lastRead(memory)).toEqual([todo('b'), todo('c')]);
});

test('what was only counted is remembered beside the list that was shown', () => {
  const memory = memoryIn([answered({ list: [todo('a')], counted: [todo('b')], focus: [], undo: [] })]);
  expect(memory.list).toEqual([todo('a')]);
  expect(lastRead(memory)).toEqual([todo('b')]);
});
