import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunkDocument, embeddedText } from './chunk.ts';
import { parseDocument } from './parse.ts';

const countTokens = async (text: string) => text.split(/\s+/).filter(Boolean).length;
const size = { maxTokens: 128, countTokens };
const BUDGET = 80;

async function chunksOf(markdown: string) {
  return chunkDocument(await parseDocument('a.md', Buffer.from(markdown), { format: 'markdown' }), size);
}

describe('chunks', () => {
  test('small sections are joined under their common heading, large ones stand alone', async () => {
    const long = 'word '.repeat(70).trim();
    const chunks = await chunksOf(`# Top\n\nintro\n\n## One\n\nfirst\n\n## Two\n\nsecond\n\n## Big\n\n${long}\n\n# Other\n\n${long}\n`);
    expect(chunks.map((chunk) => [chunk.ordinal, chunk.headings, chunk.startLine, chunk.endLine])).toEqual([
      [0, ['Top'], 3, 11],
      [1, ['Top', 'Big'], 15, 15],
      [2, ['Other'], 19, 19],
    ]);
    expect(chunks[0]?.text).toBe('intro\n\nOne\n\nfirst\n\nTwo\n\nsecond');
  });

  test('a heading alone is still found', async () => {
    expect((await chunksOf('# Only a heading\n')).map((chunk) => chunk.text)).toEqual(['Only a heading']);
    expect(await chunksOf('\n\n')).toEqual([]);
  });

  test('a long line is cut at sentences, a long sentence at words, a long word in the middle', async () => {
    const sentences = await chunksOf(`${'One two three four five six. '.repeat(40)}\n`);
    expect(sentences.length).toBeGreaterThan(2);
    for (const chunk of sentences) expect(chunk.text).toMatch(/^One .*six\.$/);
    const endless = await chunkDocument(await parseDocument('a.md', Buffer.from('x'.repeat(5000)), { format: 'markdown' }), {
      maxTokens: 128,
      countTokens: async (text) => Math.ceil(text.length / 10),
    });
    expect(
      endless
        .map((chunk) => chunk.text)
        .join('')
        .replace(/\s/g, ''),
    ).toBe('x'.repeat(5000));
    const unsplittable = await chunkDocument(await parseDocument('a.md', Buffer.from('abc'), { format: 'markdown' }), {
      maxTokens: 128,
      countTokens: async () => 1000,
    });
    expect(unsplittable.map((chunk) => chunk.text)).toEqual(['a', 'b', 'c']);
  });

  test('what is embedded begins with the title and the headings', () => {
    expect(embeddedText('Guide', { headings: ['Guide', 'Orders'], text: 'body' })).toBe('Guide > Orders\nbody');
    expect(embeddedText('T'.repeat(500), { headings: [], text: 'b' })).toBe(`${'T'.repeat(80)}\nb`);
  });

  test('every word of a document is in a chunk, in order, and every chunk fits and knows its lines', async () => {
    const word = fc.constantFrom('alpha', 'beta.', 'gamma', 'delta', '- item', '\n## H\n', '\n', '\n\n', '| a | b |');
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 300 }), async (words) => {
        const text = words.join(' ').replace(/ *\n */g, '\n');
        const lines = text.split('\n');
        const chunks = await chunksOf(text);
        const plain = (source: string) => source.match(/alpha|beta|gamma|delta|item/g) ?? [];
        expect(chunks.flatMap((chunk) => plain(chunk.text))).toEqual(plain(text));
        for (const chunk of chunks) {
          expect(await countTokens(chunk.text)).toBeLessThanOrEqual(BUDGET);
          expect(plain(chunk.text).length).toBeLessThanOrEqual(plain(lines.slice(chunk.startLine - 1, chunk.endLine).join('\n')).length);
        }
      }),
      { numRuns: 60 },
    );
  });
});
