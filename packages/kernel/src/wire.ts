import { z } from 'zod';
import type { Failure } from './failure.ts';
import type { Question } from './ports.ts';
import type { Presented, Tool } from './tool.ts';

export type JsonSchema = Record<string, unknown>;

/** What a client gets: one object in two forms (structured, and as text for clients that read only text). */
export interface Reply {
  structured: unknown;
  text: string;
  isError: boolean;
  /** Content blocks in place of the text, for tools that answer with more than text. */
  content?: readonly object[];
  /** The failure behind an error reply, for transports that publish statuses. */
  failure?: Failure;
  /** Set when the call waits for an answer; pendingId continues it. */
  question?: { question: Question; pendingId: string };
}

/** The call, for wires whose envelope mentions it. */
export interface WireCall<Notes = unknown> {
  id: string;
  parameters: unknown;
  durationMs: number;
  /** What the toolset's own steps noted about the call, beside its result. */
  notes: Notes;
}

/** A toolset's published envelope: a pure function of the outcome. */
// biome-ignore lint/suspicious/noExplicitAny: without its own tool type, a wire accepts any tool
export interface Wire<OwnTool extends Tool = any, Notes = unknown> {
  /** The advertised outputSchema: an object that admits the success and the error envelope of this tool. */
  outputSchema(tool: OwnTool): JsonSchema;
  /** If the reply itself is not an object: the schema for clients that accept any root (2026-07-28 and later). */
  bareOutputSchema?(tool: OwnTool): JsonSchema | undefined;
  success(tool: OwnTool, result: Presented, call: WireCall<Notes>): Reply;
  failure(tool: OwnTool, failure: Failure, call: Omit<WireCall, 'notes'>): Reply;
}

/** The JSON Schema of a zod schema's output. */
export function outputJsonSchema(schema: z.ZodType): JsonSchema {
  return jsonSchemaOf(schema, 'output');
}

/** The JSON Schema of a zod schema's input. */
export function inputJsonSchema(schema: z.ZodType): JsonSchema {
  return jsonSchemaOf(schema, 'input');
}

function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

/** The reply of a toolset whose text is its published JSON, compact. */
export function jsonReply(structured: unknown, isError: boolean, failure?: Failure): Reply {
  return { structured, text: JSON.stringify(structured), isError, ...(failure && { failure }) };
}
