import type { Clock } from '@millrace/kernel';
import type { Store } from '@millrace/storage';
import type { ContextTables } from '../../migrations.ts';
import { ContextIndex, type IndexState } from './context-index.ts';
import type { Segment } from './lexical-index.ts';

/** Changes when the layout below, the words or the fit change their meaning. */
const LAYOUT = 5;

interface Header<Fit> {
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

/** The index with what was measured on it. */
export interface Snapshot<Fit> {
  index: ContextIndex;
  fit: Fit;
}

/** The index as it was last saved for this model; undefined when there is none of this layout. */
export async function readSnapshot<Fit>(store: Store<ContextTables>, model: string): Promise<Snapshot<Fit> | undefined> {
  const row = await store.db.selectFrom('flowmind_index').select(['header', 'body']).where('model', '=', model).executeTakeFirst();
  if (!row) return undefined;
  const header: Header<Fit> = JSON.parse(row.header);
  if (header.layout !== LAYOUT) return undefined;
  return { index: ContextIndex.restore(stateOf(header, row.body)), fit: header.fit };
}

export async function saveSnapshot<Fit>(
  store: Store<ContextTables>,
  model: string,
  { index, fit }: Snapshot<Fit>,
  clock: Clock,
): Promise<void> {
  const state = index.state();
  if (!state) return;
  const { arrays, lengths } = arraysOf(state);
  const header: Header<Fit> = {
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

function stateOf(header: Header<unknown>, body: Uint8Array): IndexState {
  let offset = 0;
  let next = 0;
  const take = () => {
    const end = offset + (header.lengths[next++] ?? 0);
    // A copy of its own: a view would have to start at a multiple of four.
    const part = new Uint8Array(body.subarray(offset, end)).buffer;
    offset = end;
    return part;
  };
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
