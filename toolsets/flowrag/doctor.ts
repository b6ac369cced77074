import { stat } from 'node:fs/promises';
import { type Check, Failure } from '@millrace/kernel';
import { WITHOUT_ENTITIES } from './ingest/report.ts';
import type { FlowragServices } from './services.ts';

const CHOOSE = { instruction: 'Choose a folder of documents', command: 'init' };
const EXTRACT = { instruction: 'An extractor with a model finds more: set "extractor" in flowrag.config.json' };
const INDEX = { instruction: 'Index the documents', command: 'flowrag index' };

/** The state of the documents and their index, and how to fix what is wrong. */
export async function flowragChecks(services: FlowragServices): Promise<Check[]> {
  return [await documentsCheck(services.configuration.docs), await indexCheck(services)];
}

async function documentsCheck(docs: string | undefined): Promise<Check> {
  const name = 'FlowRAG documents';
  if (docs === undefined) return { name, state: 'optional', detail: 'no folder is set up, so there is nothing to search', fix: CHOOSE };
  const found = await stat(docs).catch(() => undefined);
  if (found?.isDirectory()) return { name, state: 'ok', detail: docs };
  return { name, state: 'broken', detail: `${docs} is not a folder that can be read`, fix: CHOOSE };
}

async function indexCheck(services: FlowragServices): Promise<Check> {
  const name = 'FlowRAG index';
  try {
    const { documents, entities } = await (await services.collection()).counts();
    if (documents === 0)
      return { name, state: 'optional', detail: 'empty', fix: services.configuration.docs === undefined ? CHOOSE : INDEX };
    const [warning] = await services.provenance.warnings();
    if (warning !== undefined) return { name, state: 'broken', detail: warning, fix: { ...INDEX, command: `${INDEX.command} --force` } };
    const held = `${documents === 1 ? '1 document' : `${documents} documents`} in ${services.configuration.data}`;
    if (await services.provenance.isUnfinished())
      return { name, state: 'optional', detail: `${held}; the last run has not finished, so documents may be missing`, fix: INDEX };
    if (entities > 0) return { name, state: 'ok', detail: held };
    const fix = services.models.extractorChoice().provider === 'rules' ? { fix: EXTRACT } : {};
    return { name, state: 'ok', detail: `${held}, 0 entities: ${WITHOUT_ENTITIES}`, ...fix };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { name, state: 'broken', detail: error.message, ...(error.fix && { fix: error.fix }) };
  }
}
