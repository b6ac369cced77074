import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGE } from '../harness/package.ts';

const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8');

function linksOf(markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
}

/** The id that a heading gets where Markdown is shown as HTML. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(
    ([, title = '']) =>
      `#${title
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replaceAll(' ', '-')}`,
  );
}

test('every relative link of a packed page leads to a packed file', () => {
  const broken = globSync('{*.md,docs/**/*.md}', { cwd: PACKAGE }).flatMap((page) =>
    linksOf(readFileSync(join(PACKAGE, page), 'utf8'))
      .filter((link) => !/^(https?:|#)/.test(link))
      .filter((link) => !existsSync(join(PACKAGE, dirname(page), link.split('#')[0] ?? '')))
      .map((link) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test('links within the page lead to a heading', () => {
  const inner = linksOf(readme).filter((link) => link.startsWith('#'));
  expect(anchorsOf(readme)).toEqual(expect.arrayContaining(inner));
});

test('absolute links lead to the repository and to the two editors', () => {
  const hosts = linksOf(readme).flatMap((link) => (link.startsWith('http') ? [new URL(link)] : []));
  const repository = hosts.filter(({ hostname }) => hostname === 'github.com').map(({ pathname }) => pathname);
  expect(repository.every((path) => path.startsWith('/millrace/millrace'))).toBe(true);
  expect(new Set(hosts.map(({ hostname }) => hostname))).toEqual(new Set(['github.com', 'vscode.dev', 'cursor.com']));
});

test('the links that install into an editor start the published package', () => {
  const config = (host: string) => {
    const link = linksOf(readme).find((one) => one.startsWith(`https://${host}/`)) ?? '';
    return new URL(link).searchParams.get('config') ?? '';
  };
  const launch = { command: 'npx', args: ['-y', 'millrace'] };
  expect(JSON.parse(config('vscode.dev'))).toEqual(launch);
  expect(JSON.parse(Buffer.from(config('cursor.com'), 'base64').toString())).toEqual(launch);
});

test('it states the Node version that the package requires', () => {
  const { engines } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { engines: { node: string } };
  expect(readme).toContain(`Node ${engines.node.replace('>=', '')} or newer`);
});
