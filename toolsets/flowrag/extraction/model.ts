import type { Generator } from '@millrace/models';
import type { Extractor } from '../ports.ts';
import type { GraphSchema } from '../schema.ts';

export function modelExtractor(generator: Generator, _schema: GraphSchema): Extractor {
  return { provider: generator.provider, model: generator.model, version: '0', extract: async () => ({ entities: [], relations: [] }) };
}
