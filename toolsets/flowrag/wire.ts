import { type Failure, outputJsonSchema, type Reply, type Tool, type Wire } from '@millrace/kernel';

/** The published replies are prose; structured content is the data behind it, or `error`. */
export const flowragWire: Wire = {
  outputSchema(tool: Tool) {
    const { properties } = outputJsonSchema(tool.output);
    return { type: 'object', properties: { ...(properties as object), error: { type: 'object' } } };
  },

  success(_tool, { data, words }): Reply {
    return { structured: data, text: words, isError: false };
  },

  failure(_tool, failure: Failure): Reply {
    const { code, message, details, fix } = failure;
    const error = { code, message, ...(Object.keys(details).length > 0 && { details }), ...(fix && { fix: fix.instruction }) };
    return { structured: { error }, text: fix ? `${message}\n${fix.instruction}.` : message, isError: true, failure };
  },
};
