import { type Failure, outputJsonSchema, type Reply, type Tool, type Wire } from '@millrace/kernel';

/** What every handler returns: prose for people and models, and the same as data. */
export interface Prose {
  text: string;
}

/** The published replies are prose; structured content is the data behind it, or `error`. */
export const flowragWire: Wire = {
  outputSchema(tool: Tool) {
    const { properties } = outputJsonSchema(tool.output) as { properties: Record<string, unknown> };
    const { text: _text, ...data } = properties;
    return { type: 'object', properties: { ...data, error: { type: 'object' } } };
  },

  success(_tool, result): Reply {
    const { text, ...structured } = result as Prose;
    return { structured, text, isError: false };
  },

  failure(_tool, failure: Failure): Reply {
    const { code, message, details, fix } = failure;
    const error = { code, message, ...(Object.keys(details).length > 0 && { details }), ...(fix && { fix: fix.instruction }) };
    return { structured: { error }, text: fix ? `${message}\n${fix.instruction}.` : message, isError: true, failure };
  },
};
