import { extname, posix } from 'node:path';
import type { Format } from './document.ts';

export interface FileKind {
  format: Format;
  language?: string;
}

/** File name extensions of each format. */
const FORMATS: readonly (readonly [Format, string])[] = [
  ['markdown', 'md markdown mdx'],
  ['text', 'txt text rst adoc asciidoc org log csv'],
  ['html', 'html htm xhtml'],
  ['pdf', 'pdf'],
  ['docx', 'docx'],
  ['json', 'json jsonc'],
  ['yaml', 'yaml yml'],
];

/** File name extensions of each language. */
const LANGUAGES: Readonly<Record<string, string>> = {
  typescript: 'ts tsx mts cts',
  javascript: 'js jsx mjs cjs',
  python: 'py',
  ruby: 'rb',
  rust: 'rs',
  kotlin: 'kt',
  c: 'c h',
  cpp: 'cc cpp hpp',
  csharp: 'cs',
  fsharp: 'fs',
  perl: 'pl',
  julia: 'jl',
  elixir: 'ex exs',
  erlang: 'erl',
  haskell: 'hs',
  clojure: 'clj',
  shell: 'sh bash zsh',
  powershell: 'ps1',
  protobuf: 'proto',
  terraform: 'tf',
  css: 'css scss',
};
/** Languages whose extension is their name. */
const EPONYMOUS = 'vue svelte go java scala swift php lua r sql graphql toml ini xml dockerfile';

const DOCKERFILE: FileKind = { format: 'code', language: 'dockerfile' };
const BY_NAME = new Map<string, FileKind>([
  ...['readme', 'license', 'changelog', 'codeowners', 'notice'].map((name): [string, FileKind] => [name, { format: 'text' }]),
  ['dockerfile', DOCKERFILE],
  ['makefile', { format: 'code', language: 'makefile' }],
  ['jenkinsfile', { format: 'code', language: 'groovy' }],
]);

const BY_EXTENSION = new Map<string, FileKind>([
  ...FORMATS.flatMap(([format, extensions]) => entriesOf(extensions, () => ({ format }))),
  ...Object.entries(LANGUAGES).flatMap(([language, extensions]) => entriesOf(extensions, () => ({ format: 'code', language }))),
  ...entriesOf(EPONYMOUS, (language) => ({ format: 'code', language })),
]);

function entriesOf(extensions: string, kind: (extension: string) => FileKind): [string, FileKind][] {
  return extensions.split(' ').map((extension) => [`.${extension}`, kind(extension)]);
}

/** What a file is by its name; undefined for what is not a document. */
export function kindOf(path: string): FileKind | undefined {
  const name = posix.basename(path).toLowerCase();
  return BY_EXTENSION.get(extname(name)) ?? BY_NAME.get(name) ?? (name.startsWith('dockerfile.') ? DOCKERFILE : undefined);
}

/** How many bytes of a file are read: beyond that it is data, not a document. */
export function largestFile(format: Format): number {
  return format === 'pdf' || format === 'docx' ? 50_000_000 : 5_000_000;
}
