import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Reply } from '@millrace/kernel';
import type { Embedder } from '@millrace/models';
import { testCatalog } from '../../../test/harness/catalog.ts';
import { readConfiguration } from '../configuration.ts';
import type { Extraction, Extractor } from '../extraction/extraction.ts';
import type { FlowragOptions, FlowragServices } from '../services.ts';
import { flowragToolset } from '../toolset.ts';

/** A bag of hashed words: quick, deterministic, and near for texts that share words. */
export function wordEmbedder(overrides: Partial<Embedder> = {}): Embedder & { embedded: string[] } {
  const dimensions = overrides.dimensions ?? 64;
  const embedded: string[] = [];
  return {
    embedded,
    provider: 'local',
    model: 'words',
    dimensions,
    maxTokens: 128,
    fingerprint: async () => `words-${dimensions}`,
    countTokens: async (text) => text.split(/\s+/).filter(Boolean).length + 2,
    async embed(texts, { signal } = { kind: 'passage' }) {
      signal?.throwIfAborted();
      embedded.push(...texts);
      return texts.map((text) => wordVector(text, dimensions));
    },
    close: async () => {},
    ...overrides,
  };
}

function wordVector(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
    let hash = 7;
    for (const letter of word) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
    vector[hash % dimensions] = (vector[hash % dimensions] ?? 0) + ((hash >>> 9) % 2 === 0 ? 1 : -1);
  }
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
  return vector.map((value) => value / norm);
}

/** Understands lines such as `Checkout --[PRODUCES]--> Kafka: orders`, `[TEAM] Payments: who they are` and `Kafka aka event bus`. */
export function lineExtractor(overrides: Partial<Extractor> = {}): Extractor {
  return {
    provider: 'rules',
    model: 'rules',
    version: '1',
    async extract(document, chunks): Promise<Extraction> {
      const extraction: Extraction = { entities: [], relations: [] };
      const chunkOf = (line: number) => chunks.find((chunk) => chunk.startLine <= line && line <= chunk.endLine)?.ordinal ?? 0;
      const entity = (name: string, line: number, type = 'SERVICE', description = '', aliases: string[] = []) =>
        extraction.entities.push({ name, type, description, fields: document.frontMatter, aliases, chunks: [chunkOf(line)] });
      for (const [index, text] of document.text.split('\n').entries()) {
        const line = index + 1;
        const relation = /^(.+?) --\[(\w+)(\?)?\]--> (.+?)(?:: (.*))?$/.exec(text);
        const typed = /^\[(\w+)\] (.+?)(?:: (.*))?$/.exec(text);
        const alias = /^(.+?) aka (.+)$/.exec(text);
        if (relation) {
          const [, source = '', type = '', guess, target = '', description = ''] = relation;
          entity(source, line);
          entity(target, line);
          const evidence = { line, text };
          extraction.relations.push({
            source,
            type,
            target,
            description,
            fields: {},
            confidence: guess ? 0.3 : 0.9,
            evidence,
            inferred: guess === '?',
          });
        } else if (typed) entity(typed[2] ?? '', line, typed[1], typed[3] ?? '');
        else if (alias) entity(alias[1] ?? '', line, 'SERVICE', '', [alias[2] ?? '']);
      }
      return extraction;
    },
    ...overrides,
  };
}

export interface TestFlowrag {
  folder: string;
  services: FlowragServices;
  embedder: ReturnType<typeof wordEmbedder>;
  logged: ReturnType<typeof testCatalog>['logged'];
  catalog: ReturnType<typeof testCatalog>;
  call(tool: string, parameters?: unknown): Promise<Reply>;
  write(path: string, text: string | Uint8Array): void;
  remove(path: string): void;
  rename(from: string, to: string): void;
  close(): Promise<void>;
}

export type TestFlowragOptions = Partial<Omit<FlowragOptions, 'configuration'>> & {
  folder?: string;
  /** What flowrag.config.json says. */
  config?: Record<string, unknown>;
  real?: boolean;
};

/** A folder with docs/ and data/, and the toolset over it with the whole pipeline. */
export async function testFlowrag(options: TestFlowragOptions = {}): Promise<TestFlowrag> {
  const { config = {}, real, folder = mkdtempSync(join(tmpdir(), 'flowrag-')), ...rest } = options;
  mkdirSync(join(folder, 'docs'), { recursive: true });
  writeFileSync(join(folder, 'flowrag.config.json'), JSON.stringify({ data: './data', docs: './docs', ...config }));
  const embedder = wordEmbedder();
  const logged: TestFlowrag['logged'] = [];
  const logAs = (level: string) => (details: object, message: string) => void logged.push({ level, details, message });
  const toolset = flowragToolset({
    configuration: await readConfiguration({ workingFolder: folder }),
    environment: {},
    modelFolders: [],
    clock: { now: () => new Date() },
    log: { debug: logAs('debug'), info: logAs('info'), warn: logAs('warn'), error: logAs('error') },
    ...(!real && { embedder, extractor: lineExtractor() }),
    ...rest,
  });
  const catalog = testCatalog([toolset]);
  const at = (path: string) => join(folder, 'docs', path);
  return {
    folder,
    services: toolset.services,
    embedder,
    logged,
    catalog,
    call: (tool, parameters) => catalog.call(tool, parameters),
    write(path, text) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), text);
    },
    remove: (path) => rmSync(at(path), { recursive: true, force: true }),
    rename(from, to) {
      mkdirSync(dirname(at(to)), { recursive: true });
      renameSync(at(from), at(to));
    },
    async close() {
      await catalog.catalog.close();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
