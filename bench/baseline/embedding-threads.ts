/** The local model in worker threads of the same process, as it ran before it had separate processes. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { ModelFiles } from '../../packages/models/src/local/model-files.ts';
import { readTokenizer, tokenIds } from '../../packages/models/src/local/tokenizer.ts';

const SLICE = 4;

export class ThreadPool {
  readonly #workers: Worker[];

  constructor(files: ModelFiles, sessions: number) {
    this.#workers = Array.from({ length: sessions }, () => {
      const limits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 256 };
      return new Worker(new URL(import.meta.url), { workerData: files, resourceLimits: limits });
    });
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    const starts = Array.from({ length: Math.ceil(texts.length / SLICE) }, (_, slice) => slice * SLICE).values();
    const work = async (worker: Worker) => {
      for (const start of starts) {
        const reply = new Promise<Float32Array[]>((resolve) => worker.once('message', resolve));
        worker.postMessage(texts.slice(start, start + SLICE));
        for (const [index, vector] of (await reply).entries()) vectors[start + index] = vector;
      }
    };
    await Promise.all(this.#workers.map(work));
    return vectors;
  }
}

async function serve(files: ModelFiles): Promise<void> {
  const tokenizer = await readTokenizer(files.folder);
  const session = await InferenceSession.create(files.weights, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
  });
  const embed = async (text: string) => {
    const ids = BigInt64Array.from(tokenIds(tokenizer, text, files.maxTokens), BigInt);
    const shape = [1, ids.length];
    const output = await session.run({
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
      token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), shape),
    });
    return mean((output.last_hidden_state as Tensor).data as Float32Array, files.dimensions);
  };
  parentPort?.on('message', async (texts: string[]) => {
    const vectors: Float32Array[] = [];
    for (const text of texts) vectors.push(await embed(text));
    parentPort?.postMessage(vectors, vectors.map((vector) => vector.buffer) as ArrayBuffer[]);
  });
}

function mean(states: Float32Array, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (let offset = 0; offset < states.length; offset += dimensions) {
    for (let column = 0; column < dimensions; column++) vector[column] = (vector[column] as number) + (states[offset + column] as number);
  }
  let squares = 0;
  for (const value of vector) squares += value * value;
  const norm = Math.sqrt(squares) || 1;
  return vector.map((value) => value / norm);
}

if (!isMainThread) await serve(workerData as ModelFiles);
