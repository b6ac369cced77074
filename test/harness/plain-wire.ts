import type { Failure, Reply, Wire } from '@millrace/kernel';
import { z } from 'zod';

/** The plainest envelope: the result as it is, failures as {error: {code, message, details, fix}}. */
export const plainWire: Wire = {
  outputSchema(tool) {
    const { $schema: _dialect, required: _required, ...open } = z.toJSONSchema(tool.output, { unrepresentable: 'any' });
    return { ...open, properties: { ...open.properties, error: { type: 'object' } }, additionalProperties: true };
  },
  success: (_tool, { data }) => reply(data, false),
  failure: (_tool, failure) =>
    reply({ error: { code: failure.code, message: failure.message, details: failure.details, fix: failure.fix } }, true, failure),
};

function reply(structured: unknown, isError: boolean, failure?: Failure): Reply {
  return { structured, text: JSON.stringify(structured), isError, ...(failure && { failure }) };
}
