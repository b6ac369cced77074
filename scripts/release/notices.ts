import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { mitLicence } from './natives.ts';

const root = join(import.meta.dirname, '../..');

interface Manifest {
  name: string;
  version: string;
  license?: string;
  author?: string | { name?: string };
}

interface Notice {
  name: string;
  licence: string;
  text: string;
}

/** Licences under which a bundled package may be shipped: all of them require no more than this file. */
const PERMISSIVE = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0', 'Unlicense', 'Zlib'];

/** The licence of everything inside the published files, the embedding model's too. */
export function thirdPartyNotices(metafiles: readonly Metafile[]): string {
  const folders = new Set(metafiles.flatMap(({ inputs }) => Object.keys(inputs)).flatMap(packageFolder));
  const notices = [...[...folders].map(noticeOf), modelNotice()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const sections = notices.map(({ name, licence, text }) => `${name} (${licence})\n\n${text.trim()}\n`);
  return `Millrace contains the following third-party software and data.\n\n${sections.join(`\n${'-'.repeat(78)}\n\n`)}`;
}

/** The folder of the package that a bundled file came from. */
function packageFolder(input: string): string[] {
  const found = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input);
  return found ? [join(root, found[0])] : [];
}

function noticeOf(folder: string): Notice {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const { name, version, license: licence } = manifest;
  const choices = licence?.replace(/[()]/g, '').split(' OR ') ?? [];
  const allowed = choices.find((choice) => choice.split(' AND ').every((one) => PERMISSIVE.includes(one)));
  if (!licence || !allowed) throw new Error(`${name} ${version} is under ${licence ?? 'no stated licence'}: it may not be bundled`);
  const files = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .sort();
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'));
  return { name: `${name} ${version}`, licence, text: texts.length > 0 ? texts.join('\n\n') : standardText(manifest, allowed) };
}

function standardText({ name, author }: Manifest, licence: string): string {
  const holder = (typeof author === 'string' ? author : author?.name) ?? `the authors of ${name}`;
  if (licence === 'MIT') return mitLicence(holder);
  if (licence === 'Apache-2.0') return `Copyright ${holder}\n\n${apacheLicence()}`;
  throw new Error(`${name} does not include the text of its licence ${licence}`);
}

function apacheLicence(): string {
  return readFileSync(join(root, 'node_modules/@opentelemetry/api/LICENSE'), 'utf8');
}

function modelNotice(): Notice {
  return {
    name: 'all-MiniLM-L6-v2 (sentence-transformers; quantized ONNX files by Xenova)',
    licence: 'Apache-2.0',
    text: apacheLicence(),
  };
}
