import { basename, dirname } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import { slug } from '../flow/compile.ts';

const FRONT_MATTER = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/;

/** An Agent Skill (a folder with a SKILL.md) as the text of a context: its body becomes the instruction. */
export function skillAsContext(text: string, path: string): string {
  const [, front = '', body = text] = FRONT_MATTER.exec(text) ?? [];
  const fields = frontMatter(front);
  const folder = basename(dirname(path));
  const name = textOf(fields['name']) ?? folder;
  return stringify({
    metadata: {
      type: 'pattern',
      id: idOf(name) || idOf(folder),
      name,
      description: textOf(fields['description']) ?? firstSentence(body),
      tags: ['skill', ...listOf(fields['tags'])],
      complexity: 'moderate',
    },
    variables: { request: { type: 'string', description: 'What the person wants' } },
    examples: listOf(fields['examples']),
    flow: [{ step: name, instruction: plain(body.trim() || name), store_result: 'outcome' }, { return: '@outcome' }],
  });
}

/** Broken front matter counts as none: the checks of the context then report what is missing. */
function frontMatter(text: string): Record<string, unknown> {
  const document = parseDocument(text);
  const value: unknown = document.errors.length === 0 ? document.toJS({ maxAliasCount: 10 }) : undefined;
  return value !== null && typeof value === 'object' ? { ...value } : {};
}

/** A skill's text is never a template. In a replacement, `$$` stands for one `$`. */
function plain(text: string): string {
  return text.replaceAll('${', '$$$${').replaceAll('{{', '{ {');
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() ? value.trim() : undefined;
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}

function firstSentence(body: string): string {
  const line = body.split('\n').find((each) => each.trim() && !each.startsWith('#'));
  return (line ?? '').trim().slice(0, 300);
}

/** Letters outside of ASCII separate words, as they did when people first linked to skills. */
function idOf(name: string): string {
  return slug(name.toLowerCase().replaceAll(/\P{ASCII}+/gu, '-'));
}
