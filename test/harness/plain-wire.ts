import { jsonReply, outputJsonSchema, type Wire } from '@millrace/kernel';

/** The plainest envelope: the result as it is, failures as {error: {code, message, details, fix}}. */
export const plainWire: Wire = {
  outputSchema(tool) {
    const schema = outputJsonSchema(tool.output);
    const { required: _required, ...open } = schema;
    return { ...open, properties: { ...(schema.properties as object), error: { type: 'object' } }, additionalProperties: true };
  },
  success: (_tool, result) => jsonReply(result, false),
  failure: (_tool, failure) =>
    jsonReply({ error: { code: failure.code, message: failure.message, details: failure.details, fix: failure.fix } }, true, failure),
};
