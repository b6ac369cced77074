import type { Extractor } from '../ports.ts';
import type { GraphSchema } from '../schema.ts';

export function rulesExtractor(_schema: GraphSchema): Extractor {
  return { provider: 'rules', model: 'rules', version: '0', extract: async () => ({ entities: [], relations: [] }) };
}
