import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { ModelFiles } from './model-files.ts';
import { readTokenizer, tokenIds } from './tokenizer.ts';

/**
 * The program of one process with one single-threaded session: side by side they are faster than one session with several
 * threads, and native code that fails or is ended in the middle of a run takes only this process with it.
 */
export interface SessionRequest {
  texts: string[];
}

/** The vectors of all texts, one after the other. */
export type SessionReply = { vectors: Float32Array } | { error: string };

const files = JSON.parse(process.argv[2] as string) as ModelFiles;
const SESSION: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  graphOptimizationLevel: 'all',
  extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
};
const loaded = load();
loaded.catch(() => {});

async function load() {
  const tokenizer = await readTokenizer(files.folder);
  const session = await InferenceSession.create(files.weights, SESSION);
  return { tokenizer, session };
}

/** Texts are run one at a time: a batch would pad them, and a text's vector must not depend on its neighbours. */
async function embed(texts: readonly string[]): Promise<Float32Array> {
  const { tokenizer, session } = await loaded;
  const vectors = new Float32Array(texts.length * files.dimensions);
  for (const [index, text] of texts.entries()) {
    const ids = BigInt64Array.from(tokenIds(tokenizer, text, files.maxTokens), BigInt);
    const shape = [1, ids.length];
    const feeds: Record<string, Tensor> = {
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
    };
    if (session.inputNames.includes('token_type_ids')) feeds.token_type_ids = new Tensor('int64', new BigInt64Array(ids.length), shape);
    const output = await session.run(feeds);
    const states = output.last_hidden_state ?? output[session.outputNames[0] as string];
    vectors.set(pooled((states as Tensor).data as Float32Array, ids.length), index * files.dimensions);
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

process.on('message', async ({ texts }: SessionRequest) => {
  const reply: SessionReply = await embed(texts).then(
    (vectors) => ({ vectors }),
    (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
  );
  process.send?.(reply);
});

// Ctrl-C reaches every process of a terminal: the parent decides what it means.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

/** Without a parent there is nothing to do. An ordinary exit would run the native code's own clean-up, which can abort. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}
process.on('disconnect', end);
if (!process.connected) end();
