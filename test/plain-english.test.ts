import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import { type SyntaxNode, walk } from './unknown-errors.ts';

const ROOT = join(import.meta.dirname, '..');

/** What to write instead of each of our worst habits. Spaces also match line breaks. */
const HABITS: [RegExp, string][] = [
  [/\bmend(?:s|ed|ing)?\b/, 'fix, repair'],
  [/\banew\b/, 'again'],
  [/\bshall\b/, 'should, must, or do you want me to'],
  [/\bbelongs? into\b/, 'belongs in'],
  [/\bso many\b/, 'maximum number of, up to n, this many'],
  [/\b(?:taken|take|takes) up\b(?! (?:space|room)\b)/, 'resumed, continued'],
  [/\bleft behind\b/, 'abandoned, remaining'],
  [/(?<!\bwhat )\b(?:is|are|was|were|be|been) (?:told|said)\b(?! apart\b)/, 'reports, shows, explains'],
  [/\bsays so\b/, 'reports it, explains why'],
  [/\b(?:go|goes|going|gone|went) on\b(?! (?:top|the)\b)/, 'continue'],
  [/(?<!\bthere(?: \w+){0,2} )\b(?:is|are|was|were|be) no (?!longer\b|more\b|fewer\b|matter\b|\w+er\b)[a-z]+/, 'is not a, is not an'],
  [/\b(?:has|have) not the\b/, 'does not have the, is not a valid'],
  [/(?<!\bkeep in )\bMind: /, 'Keep in mind:'],
];

/** Strings that are the words of users, or of texts that tests and benchmarks read. They may contain any words. */
const WORDS_OF_OTHERS = [
  'packages/agent/src/rules/language/**',
  'test/agent/phrasings*.ts',
  'test/agent/tool-needs.ts',
  'bench/flowrag-corpus/**',
];

/** Sentences that stay, by file, each with its reason. */
const EXCEPTIONS: { file: string; text: string; why: string }[] = [
  { file: 'scripts/release/natives.ts', text: 'shall', why: 'the MIT licence' },
  { file: 'scripts/release/natives.ts', text: 'SHALL', why: 'the MIT licence' },
  { file: 'test/agent/recovery.test.ts', text: '"go on"', why: 'what a user says' },
  { file: 'test/contract/flowmind-discovery/help.test.ts', text: 'How do I go on', why: 'what a user asks' },
  { file: 'test/contract/flowise/around.test.ts', text: 'left behind', why: 'left_behind is a field of published replies' },
  { file: 'test/real/flowise-trouble.test.ts', text: 'left behind', why: 'left_behind is a field of published replies' },
  { file: 'test/storage/flowmind-discovery.test.ts', text: 'lessons taken up', why: 'lessons_taken_up is a field of published replies' },
  {
    file: 'test/contract/flowmind-discovery/teaching.test.ts',
    text: 'lessons taken up',
    why: 'lessons_taken_up is a field of published replies',
  },
  { file: 'toolsets/flowise/tools/create-chatflow.ts', text: 'left behind', why: 'left_behind is a field of published replies' },
  { file: 'toolsets/flowmind/teaching/teacher.ts', text: 'lessons taken up', why: 'lessons_taken_up is a field of published replies' },
  { file: 'toolsets/flowise/engine/command.ts', text: 'left behind by a start', why: 'the contract suite quotes it' },
  { file: 'test/contract/flowise/engine-command.test.ts', text: 'left behind by a start', why: 'quotes millrace engine add flowise' },
  { file: 'toolsets/flowise/prediction/runs.ts', text: 'The run may go on', why: 'the contract suite quotes it' },
  { file: 'toolsets/flowise/tools/run-prediction.ts', text: 'another one may go on', why: 'the contract suite quotes it' },
  { file: 'test/contract/flowise/predictions.test.ts', text: '"may go on"', why: 'quotes run_prediction' },
  { file: 'test/real/flowise-runs.test.ts', text: '"may go on"', why: 'quotes run_prediction' },
  { file: 'toolsets/flowrag/provenance/provenance.test.ts', text: 'flowrag-change-force-mends', why: 'the id of a promise' },
  { file: 'toolsets/flowrag/names/titles.ts', text: 'shall', why: 'a stop word' },
  { file: 'toolsets/flowmind/language/lexicon.ts', text: 'go on 1.2', why: 'how people agree' },
  { file: 'toolsets/flowmind/execution/answers.ts', text: '"go on"', why: 'how people agree' },
];

interface Passage {
  text: string;
  start: number;
  kind: 'comment' | 'string' | 'name' | 'markdown';
}

function passagesOf(path: string, source: string): Passage[] {
  if (path.endsWith('.md')) return [{ text: source, start: 0, kind: 'markdown' }];
  const { program, comments } = parseSync(path, source);
  const passages: Passage[] = comments.map(({ value, start }) => ({
    text: value.replace(/\n\s*\*/g, blank),
    start: start + 2,
    kind: 'comment',
  }));
  walk(program as unknown as SyntaxNode, [], (node, ancestors) => {
    if (node.type === 'Identifier') passages.push({ text: wordsOf(String(node['name'])), start: node.start, kind: 'name' });
    if (ancestors.some(isUserSentence)) return;
    if (node.type === 'Literal' && typeof node['value'] === 'string')
      passages.push({ text: node['value'], start: node.start, kind: 'string' });
    if (node.type === 'TemplateElement') passages.push({ text: (node['value'] as { raw: string }).raw, start: node.start, kind: 'string' });
  });
  return passages;
}

const blank = (text: string) => ' '.repeat(text.length);

const wordsOf = (name: string) => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ');

/** The `said` of a tool: sentences of its users. */
const isUserSentence = (node: SyntaxNode) => node.type === 'Property' && (node['key'] as SyntaxNode)['name'] === 'said';

function findings(path: string, source: string): string[] {
  const ofOthers = WORDS_OF_OTHERS.some((glob) => matchesGlob(path, glob));
  return passagesOf(path, source)
    .filter(({ kind }) => !(ofOthers && kind === 'string'))
    .flatMap(({ text, start }) =>
      HABITS.flatMap(([habit, better]) =>
        [...text.matchAll(new RegExp(habit.source.replaceAll(' ', '\\s+'), 'gi'))].map((match) => {
          const line = source.slice(0, start + match.index).split('\n').length;
          return `${path}:${line} "${around(text, match.index, match[0].length)}": write ${better}`;
        }),
      ),
    );
}

const around = (text: string, at: number, length: number) =>
  text
    .slice(Math.max(0, at - 40), at + length + 30)
    .replace(/\s+/g, ' ')
    .trim();

const isException = (finding: string) => EXCEPTIONS.some(({ file, text }) => finding.startsWith(`${file}:`) && finding.includes(text));

describe('plain English', () => {
  const found = globSync(['*.md', '{bench,bin,docs,examples,packages,scripts,test,toolsets}/**/*.{ts,mjs,js,cjs,md}'], {
    cwd: ROOT,
    exclude: (name) => /(^|\/)(node_modules|dist)(\/|$)/.test(name),
  })
    // This file names what it looks for.
    .filter((path) => path !== 'test/plain-english.test.ts')
    .flatMap((path) => findings(path, readFileSync(join(ROOT, path), 'utf8')));

  test('in comments, strings, names and pages', () => {
    expect(found.filter((finding) => !isException(finding))).toEqual([]);
  });

  test('every exception is still needed', () => {
    const needed = ({ file, text }: (typeof EXCEPTIONS)[number]) =>
      found.some((finding) => finding.startsWith(`${file}:`) && finding.includes(text));
    expect(EXCEPTIONS.filter((exception) => !needed(exception))).toEqual([]);
  });
});

describe('the check itself', () => {
  test.each([
    '// the command that mends it',
    '/** One that was left\n * behind. */',
    "const text = 'x is no level';",
    'const text = `It is told`;',
    'function takenUp() {}',
  ])('finds %s', (source) => {
    expect(findings('x.ts', source)).toHaveLength(1);
  });

  test.each([
    '// There is no such tool, and it is no longer needed; this is recommended.',
    '// Keep in mind: one at a time.',
    "tool({ said: ['go on, mend the fence'] })",
    'const pattern = /shall/;',
  ])('leaves %s alone', (source) => {
    expect(findings('x.ts', source)).toEqual([]);
  });
});
