import { parentPort, workerData } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { ModelFiles } from './model-files.ts';
import { NativeTurn } from './native-turn.ts';
import { readTokenizer, tokenIds } from './tokenizer.ts';

/** One thread, one single-threaded session: side by side they are faster than one session with several threads. */
export type WorkerRequest = { texts: string[] } | 'end';

export type WorkerReply = { vectors: Float32Array[] } | { error: string };

export interface WorkerData {
  files: ModelFiles;
  turn: SharedArrayBuffer;
}

const { files, turn: shared } = workerData as WorkerData;
const turn = new NativeTurn(shared);
const SESSION: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  graphOptimizationLevel: 'all',
  extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
};
const loaded = load();

async function load() {
  const tokenizer = await readTokenizer(files.folder);
  const session = await turn.run(() => InferenceSession.create(files.weights, SESSION));
  return { tokenizer, session };
}

/** Texts are run one at a time: a batch would pad them, and a text's vector must not depend on its neighbours. */
async function embed(texts: readonly string[]): Promise<Float32Array[]> {
  const { tokenizer, session } = await loaded;
  const vectors: Float32Array[] = [];
  for (const text of texts) {
    const ids = BigInt64Array.from(tokenIds(tokenizer, text, files.maxTokens), BigInt);
    const shape = [1, ids.length];
    const feeds: Record<string, Tensor> = {
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
    };
    if (session.inputNames.includes('token_type_ids')) feeds.token_type_ids = new Tensor('int64', new BigInt64Array(ids.length), shape);
    const output = await turn.run(() => session.run(feeds));
    const states = output.last_hidden_state ?? output[session.outputNames[0] as string];
    vectors.push(pooled((states as Tensor).data as Float32Array, ids.length));
  }
  return vectors;
}

function pooled(states: Float32Array, length: number): Float32Array {
  const { dimensions, pooling } = files;
  const rows = pooling === 'cls' ? 1 : length;
  const vector = new Float32Array(dimensions);
  for (let row = 0; row < rows; row++) {
    const offset = row * dimensions;
    for (let column = 0; column < dimensions; column++) vector[column] = (vector[column] as number) + (states[offset + column] as number);
  }
  let squares = 0;
  for (const value of vector) squares += value * value;
  const norm = Math.sqrt(squares) || 1;
  return vector.map((value) => value / norm);
}

loaded.catch(() => {});
parentPort?.on('message', async (request: WorkerRequest) => {
  if (request === 'end') return end();
  try {
    const vectors = await embed(request.texts);
    parentPort?.postMessage({ vectors } satisfies WorkerReply, vectors.map((vector) => vector.buffer) as ArrayBuffer[]);
  } catch (error) {
    parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) } satisfies WorkerReply);
  }
});

/** The thread ends by itself: ended from outside in the middle of a run, the native code would take the process with it. */
async function end(): Promise<void> {
  await loaded.then(({ session }) => session.release()).catch(() => {});
  parentPort?.close();
}
