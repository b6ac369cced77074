import type { Chunk, ParsedDocument } from '../document/document.ts';
import { inSlices } from '../document/slices.ts';
import type { GraphSchema } from '../schema.ts';
import { readArrows } from './arrows.ts';
import type { Extraction, Extractor } from './extraction.ts';
import { Findings } from './findings.ts';
import { legible } from './legible.ts';
import { isCompose, isKubernetes, readCompose, readKubernetes } from './manifests/containers.ts';
import { readManifests } from './manifests/manifest.ts';
import { isOpenApi, readOpenApi } from './manifests/openapi.ts';
import { isCatalog, isCodeOwners, isPackage, readCatalog, readCodeOwners, readPackage } from './manifests/repository.ts';
import { Ontology } from './ontology.ts';
import { readProse } from './prose.ts';
import { readFrontMatter, readStructure } from './structure.ts';
import { aboutSystems } from './system-words.ts';

/** Changes with every rule that could find something else in the same document. */
const VERSION = '1';

/**
 * Entities and relations without a model: what structure says first, then sentences that state a relation outright.
 * Each document is read by itself, and one that is not about systems gives nothing.
 */
export function rulesExtractor(schema: GraphSchema): Extractor {
  const ontology = new Ontology(schema);
  return {
    provider: 'rules',
    model: 'rules',
    version: VERSION,
    extract: async (document, chunks, _known, signal) => {
      signal.throwIfAborted();
      return inSlices(extractByRules(document, chunks, ontology), signal);
    },
  };
}

function* extractByRules(whole: ParsedDocument, chunks: readonly Chunk[], ontology: Ontology): Generator<void, Extraction, void> {
  const findings = new Findings(ontology);
  const document = legible(whole);
  if (isCodeOwners(document.path)) readCodeOwners(document.text, findings);
  else if (document.format === 'yaml' || document.format === 'json') readData(document, findings);
  else if (document.format !== 'code' && aboutSystems(document)) {
    readFrontMatter(document, findings);
    yield* readStructure(document.sections, findings);
    yield* readProse(document.sections, findings);
    yield* readArrows(document.sections, findings);
  }
  return yield* findings.toExtraction(document, chunks);
}

function readData({ path, text }: ParsedDocument, findings: Findings): void {
  const manifests = readManifests(text);
  readKubernetes(manifests.filter(isKubernetes), findings);
  for (const manifest of manifests) {
    if (isCatalog(manifest)) readCatalog(manifest, findings);
    else if (isCompose(path, manifest)) readCompose(manifest, findings);
    else if (isOpenApi(manifest)) readOpenApi(manifest, findings);
    else if (isPackage(path, manifest)) readPackage(manifest, findings);
  }
}
