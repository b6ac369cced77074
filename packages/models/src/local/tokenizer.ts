import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';

export async function readTokenizer(folder: string): Promise<Tokenizer> {
  const [tokenizer, configuration] = await Promise.all([
    readFile(join(folder, 'tokenizer.json'), 'utf8'),
    readFile(join(folder, 'tokenizer_config.json'), 'utf8').catch(() => '{}'),
  ]);
  return new Tokenizer(JSON.parse(tokenizer), JSON.parse(configuration));
}

/** The ids the model reads: too long a text keeps its beginning and its closing token. */
export function tokenIds(tokenizer: Tokenizer, text: string, maxTokens: number): number[] {
  const { ids } = tokenizer.encode(text);
  if (ids.length <= maxTokens) return ids;
  return [...ids.slice(0, maxTokens - 1), ids[ids.length - 1] as number];
}
