const BUCKETS = 4096;

/** One bit a dimension: whether the value is positive. */
export function signatureOf(vector: Float32Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(vector.length / 8));
  for (const [index, value] of vector.entries()) if (value > 0) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
  return bits;
}

/**
 * The signatures of all vectors, in memory: 48 bytes for 384 dimensions. A query keeps its full precision: a table says
 * for every byte of a signature what it adds to the estimated product, so that scanning is one lookup a byte.
 */
export class SignatureIndex {
  readonly #bytes: number;
  #ids: Float64Array;
  #bits: Uint8Array;
  #count = 0;

  constructor(dimensions: number) {
    this.#bytes = Math.ceil(dimensions / 8);
    this.#ids = new Float64Array(1024);
    this.#bits = new Uint8Array(1024 * this.#bytes);
  }

  get count(): number {
    return this.#count;
  }

  /** The highest id so far: ids only grow. */
  get last(): number {
    return this.#ids[this.#count - 1] ?? 0;
  }

  add(id: number, bits: Uint8Array): void {
    if (this.#count === this.#ids.length) {
      const size = Math.ceil(this.#count * 1.5);
      const [ids, all] = [new Float64Array(size), new Uint8Array(size * this.#bytes)];
      ids.set(this.#ids);
      all.set(this.#bits);
      [this.#ids, this.#bits] = [ids, all];
    }
    this.#ids[this.#count] = id;
    this.#bits.set(bits.subarray(0, this.#bytes), this.#count * this.#bytes);
    this.#count++;
  }

  /** The ids whose signatures promise the highest product, in no order. */
  candidates(query: Float32Array, limit: number): number[] {
    const scores = this.#estimates(query);
    if (this.#count <= limit) return Array.from(this.#ids.subarray(0, this.#count));
    const threshold = kthLargest(scores, limit);
    const found: number[] = [];
    const tied: number[] = [];
    for (const [index, id] of this.#ids.subarray(0, this.#count).entries()) {
      const score = scores[index] ?? 0;
      if (score > threshold) found.push(id);
      else if (score === threshold) tied.push(id);
    }
    found.push(...tied.slice(0, limit - found.length));
    return found;
  }

  #estimates(query: Float32Array): Float32Array {
    const bytes = this.#bytes;
    const bits = this.#bits;
    const gains = gainsOf(query, bytes);
    const scores = new Float32Array(this.#count);
    const whole = bytes - (bytes % 4);
    for (let index = 0, at = 0; index < scores.length; index++) {
      let sum = 0;
      let table = 0;
      const end = at + whole;
      // Four at a time: this loop is where a search spends its time.
      for (; at < end; at += 4, table += 1024) {
        sum +=
          (gains[table + (bits[at] as number)] as number) +
          (gains[table + 256 + (bits[at + 1] as number)] as number) +
          (gains[table + 512 + (bits[at + 2] as number)] as number) +
          (gains[table + 768 + (bits[at + 3] as number)] as number);
      }
      for (let rest = whole; rest < bytes; rest++, table += 256) sum += gains[table + (bits[at++] as number)] as number;
      scores[index] = sum;
    }
    return scores;
  }
}

/** For each byte position and each value of that byte: the sum of the query's values whose bits are set. */
function gainsOf(query: Float32Array, bytes: number): Float32Array {
  const gains = new Float32Array(bytes * 256);
  for (let byte = 0; byte < bytes; byte++) {
    for (let value = 1; value < 256; value++) {
      const lowest = 31 - Math.clz32(value & -value);
      gains[byte * 256 + value] = (gains[byte * 256 + (value & (value - 1))] ?? 0) + (query[byte * 8 + lowest] ?? 0);
    }
  }
  return gains;
}

/** The k-th largest value, by counting: the scores are spread over buckets, and only one bucket is sorted. */
function kthLargest(scores: Float32Array, k: number): number {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const score of scores) {
    if (score < low) low = score;
    if (score > high) high = score;
  }
  const scale = (BUCKETS - 1) / (high - low || 1);
  const bucketOf = (score: number) => ((score - low) * scale) | 0;
  const sizes = new Uint32Array(BUCKETS);
  for (const score of scores) sizes[bucketOf(score)] = (sizes[bucketOf(score)] ?? 0) + 1;
  let bucket = BUCKETS - 1;
  let above = 0;
  for (let size = sizes[bucket] ?? 0; bucket > 0 && above + size < k; size = sizes[--bucket] ?? 0) above += size;
  const within = scores.filter((score) => bucketOf(score) === bucket).sort((a, b) => b - a);
  return within[k - above - 1] ?? low;
}

/** The inner product. Loops and not reduce: a search over a small collection spends its time here. */
export function product(a: Float32Array, b: Float32Array): number {
  const length = Math.min(a.length, b.length);
  let sum = 0;
  for (let index = 0; index < length; index++) sum += (a[index] as number) * (b[index] as number);
  return sum;
}
