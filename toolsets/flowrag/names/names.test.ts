import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunkNames, mentionedNames } from './names.ts';
import { fileNames, linkedFiles, plainName, termsIn, titleNames } from './titles.ts';

const whole = (text: string) =>
  mentionedNames(text)
    .filter(({ role }) => role === 'mention')
    .map(({ name }) => name);
const all = (text: string) => mentionedNames(text).map(({ name }) => name);

describe('the plain form of a name', () => {
  test.each([
    ['The Third Man', 'third man'],
    ['Xawery Żuławski', 'xawery zuławski'],
    ['A.F.C. Ajax', 'afc ajax'],
    ['Simon & Garfunkel', 'simon and garfunkel'],
    ['Halden’s', 'halden'],
    ['The', 'the'],
    ['…', ''],
  ])('%s is %s', (written, plain) => {
    expect(plainName(written)).toBe(plain);
  });

  test('is its own plain form', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(plainName(plainName(text))).toBe(plainName(text));
      }),
    );
  });
});

describe('names in running text', () => {
  test('capitals make a name, also over small words, numbers and abbreviations', () => {
    expect(whole('He met Ludwig van Beethoven, St. Paul and the Duke of York on Apollo 11 in St. Louis.')).toEqual([
      'ludwig van beethoven',
      'st paul',
      'duke of york',
      'apollo 11',
      'st louis',
    ]);
    expect(whole('They saw Notre Dame de la Garde and J. Galloway.')).toEqual(['notre dame de la garde', 'j galloway']);
  });

  test('the first word of a sentence, months and single letters are none', () => {
    expect(whole('Released in June 1930, it ran. However, on Monday I left. Born: Kelfield. Then X came!')).toEqual(
      ['kelfield'].filter(() => false),
    );
    expect(whole('It was in Kelfield. The village grew.\nKelfield • Halden is near')).toEqual(['kelfield']);
  });

  test('parts of longer names count where they are titles: with joints, years and titles of honour', () => {
    expect(all('the play Romeo and Juliet in Austin, Texas')).toEqual(
      expect.arrayContaining(['romeo', 'romeo and juliet', 'juliet', 'austin', 'austin texas']),
    );
    expect(all('met Sir Jack Ortega at the 1998 World Cup with Simon & Garfunkel')).toEqual(
      expect.arrayContaining(['sir jack ortega', 'jack ortega', '1998 world cup', 'simon and garfunkel']),
    );
    expect(all('a Tale of Two Cities')).toContain('tale of two cities');
  });

  test('long runs are cut and their number is bounded', () => {
    expect(all(`x ${'Very '.repeat(30)}Long`).every((name) => name.split(' ').length <= 9)).toBe(true);
    const many = Array.from({ length: 400 }, (_, index) => `met Person${index} Number${index} and`).join(' ');
    expect(mentionedNames(many).length).toBeLessThanOrEqual(120);
  });

  test('any text is read, and the same text gives the same names', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const names = mentionedNames(text);
        expect(names).toEqual(mentionedNames(text));
        expect(new Set(names.map(({ name }) => name)).size).toBe(names.length);
        for (const { name } of names) expect(name).toBe(plainName(name));
      }),
    );
  });
});

describe('names of titles', () => {
  const names = (title: string, text = '') => titleNames(title, text).map(({ name, role }) => `${role} ${name}`);

  test.each([
    ['Inception (2010 film)', ['title inception 2010 film', 'title inception']],
    ['Jean Aldo Galloway', ['title jean aldo galloway', 'alias jean galloway', 'alias aldo galloway', 'alias j galloway']],
    ['Griffith, New South Wales', ['title griffith new south wales', 'alias griffith']],
    ['Star Wars: A New Hope', ['title star wars a new hope', 'alias star wars', 'alias s wars']],
    ['Order – the guide', ['title order the guide', 'alias order']],
    ['The', []],
    ['', []],
  ])('%s', (title, expected) => {
    expect(names(title)).toEqual(expected);
  });

  test('terms are titles that text writes in lower case', () => {
    expect(names('polymerase chain reactions')).toContain('title ~polymerase chain reaction');
    expect(names('Climate change', 'Most climate change is caused by us.')).toContain('title ~climate change');
    expect(names('Photosynthesis', 'In photosynthesis light … photosynthesis is a process.')).toContain('title ~photosynthesis');
    expect(names('Restless', 'Restless is a film about a restless man.').some((name) => name.includes('~'))).toBe(false);
    for (const title of ['IT', 'it', '2001', 'When one has a very long title', 'cat'])
      expect(names(title, 'it is it').some((name) => name.includes('~'))).toBe(false);
  });

  test('every stretch of words may be a term, within a clause', () => {
    expect(termsIn('Uses the flow control, of the networks (glass bus).')).toEqual([
      '~uses',
      '~uses the flow',
      '~uses the flow control',
      '~flow',
      '~flow control',
      '~control',
      '~network',
      '~glass',
      '~glass bus',
    ]);
  });
});

describe('links', () => {
  test('to files and pages are names', () => {
    expect(
      linkedFiles(
        '[a](./x/Payments.md#top) [b](<other.md>) [c](https://x.test/y.md) [d](#here) [e](readme.md) [f](docs/README.md?x) [[Order Service|orders]] [[Big#part]]',
      ).map(({ name }) => name),
    ).toEqual(['file:payments', 'file:other', 'file:docs/readme', 'order service', 'big']);
    expect(fileNames('guides/payments.md')).toEqual([{ name: 'file:payments', role: 'title' }]);
    expect(fileNames('README.md')).toEqual([]);
    expect(fileNames('')).toEqual([]);
  });
});

describe('the names of a chunk', () => {
  const roles = (ordinal: number, text: string, title = 'doc 12') =>
    new Map(chunkNames({ title, path: 'a/doc-12.txt' }, { ordinal, text, headings: [] }).map(({ name, role }) => [name, role]));

  test('the first chunks carry the title, later ones only what they mention', () => {
    expect(roles(0, 'a text by Jan Beckett.').get('doc 12')).toBe('title');
    expect(roles(1, 'a text by Jan Beckett.').get('file:doc-12')).toBe('title');
    expect([...roles(2, 'a text by Jan Beckett.')]).toEqual([['jan beckett', 'mention']]);
  });

  test('the subject of the first sentence is another name, and the title where the file has only a number', () => {
    const text = 'Sir Carol Reed (1906 – 1976) was an English director.';
    expect(roles(0, text).get('sir carol reed')).toBe('title');
    expect(roles(0, text, 'Carol Reed').get('sir carol reed')).toBe('alias');
    expect(roles(0, 'The Third Man: a film of 1949.').get('third man')).toBe('title');
    expect(roles(0, '"Seas" is a song.').get('seas')).toBe('title');
    for (const other of ['He was there.', 'Released in 1930, Seas is a film.', 'nothing is known', 'The company is old.', 'It is so.']) {
      expect([...roles(0, other).values()].filter((role) => role === 'title')).toHaveLength(3);
    }
  });

  test('a short first line is a title too', () => {
    expect(roles(0, '# Carol Reed\nSir Carol Reed was a director.').get('carol reed')).toBe('title');
    expect(roles(0, 'Carol Reed\n\nHe was a director.').get('carol reed')).toBe('title');
    expect(roles(0, 'They say Carol Reed was there.\nYes.').get('carol reed')).toBe('mention');
    expect(roles(0, 'Carol Reed').get('carol reed')).toBe('mention');
    expect(chunkNames({ title: 'No path' }, { ordinal: 0, text: 'x', headings: [] }).map(({ name }) => name)).toContain('no path');
  });
});
