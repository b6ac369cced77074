import { outputJsonSchema, type Wire } from 'millrace';

/** The envelope of every reply: the result with a sentence, or an error with what to do. */
export const notesWire: Wire = {
  outputSchema(tool) {
    const { properties } = outputJsonSchema(tool.output);
    return { type: 'object', properties: { ...(properties as object), error: { type: 'object' } } };
  },
  success: (_tool, { data, words }) => ({ structured: data, text: words, isError: false }),
  failure(_tool, failure) {
    const { code, message, fix } = failure;
    return { structured: { error: { code, message, ...(fix && { fix: fix.instruction }) } }, text: message, isError: true, failure };
  },
};
