import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { type Context, slugOf } from '@millrace/kernel';
import type { FlowragServices } from './services.ts';
import { readMetadata } from './store/metadata.ts';

const TITLES_SHOWN = 12;

/** The collection as a context that requests can find, once it has documents. */
export async function collectionContexts(services: FlowragServices): Promise<Context[]> {
  const { data, docs } = services.configuration;
  const indexed = await readMetadata(data);
  if (!indexed || indexed.documentCount === 0) return [];
  if (indexed.collection === undefined && !existsSync(services.databaseFile)) return [];
  const store = await services.collection();
  const entities = await store.entities({ limit: TITLES_SHOWN });
  const name = basename(docs ?? data);
  return [
    {
      uri: `tool://flowrag/${slug(name)}`,
      type: 'tool',
      name: `Documents: ${name}`,
      description: `A collection of ${indexed.documentCount === 1 ? '1 document' : `${indexed.documentCount} documents`} to answer questions from${entities.length > 0 ? `, about ${entities.map((entity) => entity.name).join(', ')}` : ''}.`,
      tags: ['flowrag', 'documents', 'knowledge', ...entities.slice(0, 5).map((entity) => entity.name.toLowerCase())],
      complexity: 'simple',
      examples: ['What do our documents say about …?', 'Search the documentation for …', 'Find where … is described'],
      variables: { required: ['query'], optional: ['mode', 'limit'] },
      updatedAt: new Date(indexed.lastIndexedAt),
      action: { tool: 'flowrag_search', parameters: {} },
    },
  ];
}

function slug(name: string): string {
  const plain = slugOf(name, Number.POSITIVE_INFINITY);
  return plain === '' || plain.startsWith('flowrag-') ? `collection${plain && `-${plain}`}` : plain;
}
