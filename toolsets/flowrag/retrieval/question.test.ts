import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contextOf, plainText } from './links.ts';
import { readQuestion, stemOf } from './question.ts';
import { snippetOf, tokensOf } from './search.ts';

const names = (text: string) => readQuestion(text).names.map(({ name }) => name);

describe('a question', () => {
  test('is words without the small ones, or all words where there are no others', () => {
    expect(readQuestion('Who is the mother of the director of Seas?').words).toEqual(['mother', 'director', 'seas']);
    expect(readQuestion('who is it').words).toEqual(['who', 'is', 'it']);
    expect(readQuestion('"a" OR b* AND NEAR(x, 2) NOT col:y ^z {w} 😀 kafka-topic').words).toEqual(['near', 'col', 'kafka', 'topic']);
    expect(readQuestion('😀 …').words).toEqual([]);
    expect(readQuestion(Array.from({ length: 500 }, (_, index) => `word${index}`).join(' ')).words).toHaveLength(64);
  });

  test('names are stretches with capitals, the longest first', () => {
    expect(names('Did Carol Reed direct Oliver?').slice(0, 3)).toEqual([
      'did carol reed direct oliver',
      'did carol reed direct',
      'carol reed direct oliver',
    ]);
    expect(names('Where is Kelfield?')).toEqual(['where is kelfield', 'kelfield']);
    expect(names('Where is it?')).not.toContain('where');
  });

  test('in lower case anything that is not a small word may be a name', () => {
    expect(names('the third man')).toEqual(['third man', 'third']);
    expect(names('who directed the third man')).toEqual(expect.arrayContaining(['third man', 'directed the third man', 'directed']));
    expect(names('is it')).toEqual([]);
  });

  test('anything can be asked', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        const { words } = readQuestion(text);
        for (const word of words) expect(word).toMatch(/^[\p{L}\p{N}\p{M}]+$/u);
      }),
    );
  });

  test('a noun and its verb have one stem', () => {
    expect(stemOf('director')).toBe(stemOf('directed'));
    expect(stemOf('founder')).toBe(stemOf('founded'));
    expect(stemOf('films')).toBe(stemOf('film'));
  });
});

describe('words around a name', () => {
  const text = plainText('Seas is a film directed by Sofia Kendall’s aunt. Sofia Kendall was born in Valbourne & Żary; the director died.');

  test('count within its sentence', () => {
    const near = (...words: string[]) => contextOf(text, 'sofia kendall', new Set(words.map(stemOf)));
    expect(near('director', 'film', 'born')).toBeCloseTo(2.6);
    expect(near('aunt')).toBeCloseTo(0.6);
    expect(near('died')).toBe(0);
    expect(near('kendall')).toBe(0);
    expect(near('elephant')).toBe(0);
  });

  test('accents and signs are folded as in names', () => {
    expect(text).toContain(' valbourne and zary ');
    expect(plainText('plain\ntext')).toBe(' plain | text ');
  });
});

describe('a snippet', () => {
  const long = `${'Nothing to see here. '.repeat(40)}The director of Seas was born in Valbourne.${' More of the same.'.repeat(40)}`;

  test('is around the words of the question', () => {
    const snippet = snippetOf(long, readQuestion('where was the director of Seas born').stems);
    expect(snippet).toContain('director of Seas was born');
    expect(snippet).toMatch(/^… .* …$/);
    expect(snippet.length).toBeLessThan(330);
  });

  test('is the beginning where no word matches, the end where the match is there, and all of a short text', () => {
    expect(snippetOf(long, new Set(['zzz']))).toMatch(/^Nothing to see here/);
    expect(snippetOf(`${'Nothing here. '.repeat(60)}Halden`, new Set(['halden']))).toMatch(/Halden$/);
    expect(snippetOf(' short\n\ttext ', new Set())).toBe('short text');
    expect(snippetOf('x'.repeat(1000), new Set()).length).toBeLessThan(330);
  });

  test('is never much longer than it may be', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 2000 }), fc.array(fc.string()), (text, stems) => {
        expect(snippetOf(text, new Set(stems)).length).toBeLessThanOrEqual(325);
      }),
    );
    expect(tokensOf('four')).toBe(1);
  });
});
