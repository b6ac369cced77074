/** The inner product of a unit vector with the unit vector at an offset of a flat array. */
export function dotAt(flat: Float32Array, offset: number, vector: Float32Array): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  const length = vector.length;
  for (let index = 0; index < length; index += 4) {
    a += (flat[offset + index] ?? 0) * (vector[index] ?? 0);
    b += (flat[offset + index + 1] ?? 0) * (vector[index + 1] ?? 0);
    c += (flat[offset + index + 2] ?? 0) * (vector[index + 2] ?? 0);
    d += (flat[offset + index + 3] ?? 0) * (vector[index + 3] ?? 0);
  }
  return a + b + c + d;
}

export function dot(left: Float32Array, right: Float32Array): number {
  return dotAt(left, 0, right);
}

/** The same direction with length 1; a zero vector stays as it is. */
export function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  return length > 0 ? vector.map((value) => value / length) : vector;
}

/** Adds `times` the second vector to the first, in place. */
export function addTimes(sum: Float32Array, vector: Float32Array, times: number): void {
  for (let index = 0; index < sum.length; index++) sum[index] = (sum[index] ?? 0) + times * (vector[index] ?? 0);
}

/** One byte a dimension: cosines keep three digits, in a quarter of the space. */
export function toBytes(vector: Float32Array): Uint8Array {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const scale = largest > 0 ? 127 / largest : 0;
  return new Uint8Array(Int8Array.from(vector, (value) => Math.round(value * scale)).buffer);
}

export function fromBytes(bytes: Uint8Array): Float32Array {
  return unit(Float32Array.from(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)));
}
