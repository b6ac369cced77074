import { readFile } from 'node:fs/promises';

interface Header {
  model: string;
  hashes: string[];
}

/** Vectors by the hash of their text, as they are kept. */
export type KeptVectors = ReadonlyMap<string, Uint8Array>;

const LENGTH_BYTES = 4;

/** One file: the length of the header, the header as JSON, then vector after vector. */
export function packVectors(model: string, vectors: KeptVectors): Buffer {
  const header = Buffer.from(JSON.stringify({ model, hashes: [...vectors.keys()] } satisfies Header));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(header.length);
  return Buffer.concat([length, header, ...vectors.values()]);
}

/** Vectors that came with the product, so that its own contexts need not be embedded on a new machine; none when they are of another model. */
export async function readVectors(path: string, model: string): Promise<KeptVectors> {
  const bytes = await readFile(path);
  const start = LENGTH_BYTES + bytes.readUInt32LE(0);
  const header = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, start)) as Header;
  if (header.model !== model || header.hashes.length === 0) return new Map();
  const size = (bytes.length - start) / header.hashes.length;
  return new Map(header.hashes.map((hash, at) => [hash, bytes.subarray(start + at * size, start + (at + 1) * size)]));
}
