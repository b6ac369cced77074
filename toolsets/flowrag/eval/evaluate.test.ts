import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collectionOf, wordEmbedder } from '../testing/collection.ts';
import { type EvalReport, evalTable, evaluate, goldMatches, measure, readQuestions } from './evaluate.ts';

describe('the file of questions', () => {
  test('fields may be called in several ways, and gold documents written in several', () => {
    const text = [
      '\uFEFF{"question": "a?", "gold": ["x.md", "x.md", "y"]}',
      '',
      '// a remark',
      '# another',
      '{"query": "b?", "relevant": "one.md"}',
      '{"q": "c?", "documents": [{"path": "p.md"}, {"title": "T"}, {"id": 7}, 8]}',
      '{"question": "d?", "supporting_facts": [["Title A", 0], ["Title B", 3]]}\r',
    ].join('\n');
    expect(readQuestions(text, 'q.jsonl')).toEqual([
      { query: 'a?', gold: ['x.md', 'y'], line: 1 },
      { query: 'b?', gold: ['one.md'], line: 5 },
      { query: 'c?', gold: ['p.md', 'T', '7', '8'], line: 6 },
      { query: 'd?', gold: ['Title A', 'Title B'], line: 7 },
    ]);
  });

  test.each([
    ['{"question": "a?"', 'q.jsonl, line 1: this is not JSON'],
    ['[1]', 'q.jsonl, line 1: an object is needed'],
    ['{"gold": ["x"]}', 'q.jsonl, line 1: question must be a text'],
    ['{"query": " ", "gold": ["x"]}', 'q.jsonl, line 1: query must be a text'],
    ['{"question": "a?"}', 'q.jsonl, line 1: gold is missing; it lists the documents that the answer needs'],
    ['{"question": "a?", "relevant": []}', 'q.jsonl, line 1: relevant must be a list of paths, titles or ids'],
    ['{"question": "a?", "gold": [{"name": "x"}]}', 'q.jsonl, line 1: gold must be a list of paths, titles or ids'],
    ['\n\n', 'q.jsonl has no questions'],
  ])('%s', (text, message) => {
    expect(() => readQuestions(text, 'q.jsonl')).toThrow(message);
  });
});

test.each([
  ['a/b/Carol Reed.md', 'Carol Reed', ['a/b/carol reed.md'], [0]],
  ['a/b/x12.md', 'Carol Reed', ['x12', 'x12.md', 'carol reed', './a/b/x12.md', 'b/x12.md', 'a\\b\\x12.md'], [0, 1, 2, 3, 4, 5]],
  ['a/b/x12.md', 'The Quiet American (2002 film)', ['Quiet American (2002 film)', 'The Quiet American', 'x1', '12.md'], [0]],
  ['carol-reed.txt', 'Something', ['Carol Reed'], [0]],
])('%s (%s) is %j', (path, title, gold, expected) => {
  expect(goldMatches({ path, title }, gold)).toEqual(expected);
});

describe('measures', () => {
  test('worked by hand', () => {
    expect(measure([[0], [], [1]], 2, 10)).toEqual({ ndcg: (1 + 1 / 2) / (1 + 1 / Math.log2(3)), recall: 1, allGold: 1 });
    expect(measure([[], [0]], 2, 10)).toEqual({ ndcg: 1 / Math.log2(3) / (1 + 1 / Math.log2(3)), recall: 0.5, allGold: 0 });
    expect(measure([[0], [0], [1]], 2, 2)).toMatchObject({ recall: 0.5 });
  });

  test('stay between 0 and 1, and are 1 when the gold documents come first', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(3), { maxLength: 2 }), { maxLength: 15 }), (found) => {
        const { ndcg, recall } = measure(found, 4, 10);
        expect(ndcg >= 0 && ndcg <= 1 + 1e-9 && recall >= 0 && recall <= 1).toBe(true);
      }),
    );
    expect(measure([[2], [0], [1]], 3, 10)).toEqual({ ndcg: 1, recall: 1, allGold: 1 });
  });
});

const REPORT: EvalReport = {
  questions: 2,
  limit: 10,
  modes: [
    { mode: 'bm25', measures: { ndcg: 0.5, recall: 0.5, allGold: 0.25 }, milliseconds: 1.23 },
    { mode: 'naive', measures: { ndcg: 0.61, recall: 0.5, allGold: 0.2 }, milliseconds: 2 },
    { mode: 'hybrid', measures: { ndcg: 0.7, recall: 1, allGold: 0.1 }, milliseconds: 30 },
  ],
  unmatched: [],
};

test('the report is a table, with the gain over the better baseline', () => {
  expect(evalTable(REPORT)).toBe(`| mode   | nDCG@10 | recall@10 | all-gold@10 | ms/question |
|--------|--------:|----------:|------------:|------------:|
| bm25   |   0.500 |     0.500 |       0.250 |         1.2 |
| naive  |   0.610 |     0.500 |       0.200 |         2.0 |
| hybrid |   0.700 |     1.000 |       0.100 |        30.0 |

2 questions
hybrid over the better of bm25 and naive: nDCG +9.0 points, all-gold -15.0 points`);
  const partial = evalTable({ ...REPORT, modes: REPORT.modes.slice(0, 1), unmatched: [{ line: 3, gold: ['nowhere.md'] }] });
  expect(partial).toContain(
    '1 questions found none of their gold documents, the first at line 3 ("nowhere.md"): check that the names match paths or titles',
  );
  expect(partial).not.toContain('hybrid over');
});

test('every mode is asked every question, progress is reported, and it can be stopped', async () => {
  const collection = await collectionOf([
    { path: 'a.md', title: 'Carol Reed', texts: ['A director.'] },
    { path: 'b.md', title: 'Seas', texts: ['A film by Carol Reed.'] },
  ]);
  const questions = readQuestions(
    '{"question": "Who made Seas?", "gold": ["b.md", "Carol Reed"]}\n{"question": "Who made Seas?", "gold": ["zzz"]}',
    'q',
  );
  const told: number[] = [];
  const report = await evaluate({
    store: collection,
    embedder: wordEmbedder,
    questions,
    progress: (done) => told.push(done),
    signal: new AbortController().signal,
  });
  expect(report.modes.map(({ mode }) => mode)).toEqual(['bm25', 'naive', 'local', 'global', 'hybrid']);
  expect(report.modes.find(({ mode }) => mode === 'hybrid')?.measures.recall).toBe(0.5);
  expect(report.unmatched).toEqual([{ line: 2, gold: ['zzz'] }]);
  expect(told.at(-1)).toBe(10);
  await expect(evaluate({ store: collection, embedder: wordEmbedder, questions, signal: AbortSignal.abort() })).rejects.toThrow();
  expect((await evaluate({ store: collection, embedder: wordEmbedder, questions: [], modes: ['bm25'] })).modes[0]?.measures).toEqual({
    ndcg: 0,
    recall: 0,
    allGold: 0,
  });
  await collection.close();
});
