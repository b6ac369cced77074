import type { Clock } from '@millrace/kernel';
import type { Store } from '@millrace/storage';
import type { ContextTables } from '../contexts/migrations.ts';
import { ContextIndex, type IndexState } from './context-index.ts';
import type { Fit } from './fit.ts';
import type { Segment } from './lexical-index.ts';

/** Changes when the layout below, the words or the fit change their meaning. */
const LAYOUT = 5;

interface Header {
  layout: number;
  dimensions: number;
  uris: string[];
  hashes: string[];
  fit: Fit;
  sentences: number;
  segments: number;
  /** Bytes of each array, in the order of arraysOf(). */
  lengths: number[];
}

export interface Snapshot {
  index: ContextIndex;
  fit: Fit;
}

/** Reads the index as it was last kept for this model; undefined when there is none that fits. */
export async function readSnapshot(store: Store<ContextTables>, model: string): Promise<Snapshot | undefined> {
  const row = await store.db.selectFrom('flowmind_index').select(['header', 'body']).where('model', '=', model).executeTakeFirst();
  if (!row) return undefined;
  const header = JSON.parse(row.header) as Header;
  if (header.layout !== LAYOUT) return undefined;
  return { index: ContextIndex.restore(stateOf(header, row.body)), fit: header.fit };
}

export async function keepSnapshot(store: Store<ContextTables>, model: string, { index, fit }: Snapshot, clock: Clock): Promise<void> {
  const state = index.state();
  if (!state) return;
  const { arrays, lengths } = arraysOf(state);
  const header: Header = {
    layout: LAYOUT,
    dimensions: state.dimensions,
    uris: state.uris,
    hashes: state.hashes,
    fit,
    sentences: state.lexical.frequencies.sentences,
    segments: state.lexical.segments.length,
    lengths,
  };
  const row = { header: JSON.stringify(header), body: Buffer.concat(arrays), saved_at: clock.now().toISOString() };
  await store.db
    .insertInto('flowmind_index')
    .values({ model, ...row })
    .onConflict((conflict) => conflict.column('model').doUpdateSet(row))
    .execute();
}

function arraysOf(state: IndexState): { arrays: Uint8Array[]; lengths: number[] } {
  const { frequencies, segments } = state.lexical;
  const numbers = [
    state.examples,
    state.embedded,
    state.vectors,
    state.turned,
    frequencies.grams,
    frequencies.counts,
    ...segments.flatMap((segment) => [segment.grams, segment.offsets, segment.slots, segment.weights]),
  ];
  const arrays = numbers.map((array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  return { arrays, lengths: arrays.map((array) => array.byteLength) };
}

function stateOf(header: Header, body: Uint8Array): IndexState {
  let offset = 0;
  const parts = header.lengths.map((length) => {
    // A copy of its own: a view would have to start at a multiple of four.
    const part = new Uint8Array(body.subarray(offset, offset + length)).buffer;
    offset += length;
    return part;
  });
  let next = 0;
  const take = () => parts[next++] as ArrayBuffer;
  const words = () => new Uint32Array(take());
  const reals = () => new Float32Array(take());
  const examples = words();
  const embedded = new Uint8Array(take());
  const vectors = reals();
  const turned = reals();
  const frequencies = { sentences: header.sentences, grams: words(), counts: words() };
  const segments: Segment[] = [];
  for (let at = 0; at < header.segments; at++) segments.push({ grams: words(), offsets: words(), slots: words(), weights: reals() });
  return {
    dimensions: header.dimensions,
    uris: header.uris,
    hashes: header.hashes,
    examples,
    embedded,
    vectors,
    turned,
    lexical: { frequencies, segments },
  };
}
