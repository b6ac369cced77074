import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { posix } from 'node:path';
import { isRecord } from '@millrace/kernel';
import { parse as parseYaml } from 'yaml';
import type { ParsedDocument, Section } from './document.ts';
import type { FileKind } from './file-kinds.ts';
import { htmlText } from './html.ts';
import { markdownSections, paragraphSections, SectionReader } from './markdown.ts';
import { inSlices } from './slices.ts';

export function hashOf(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}

interface Content {
  title?: string | undefined;
  frontMatter?: Record<string, unknown>;
  lines: string[];
  sections: Section[];
}

/** Reads a file by its kind. Throws Unreadable where that cannot be done. */
export async function parseDocument(path: string, bytes: Buffer, kind: FileKind): Promise<ParsedDocument> {
  const content = await contentOf(path, bytes, kind);
  return {
    path,
    hash: hashOf(bytes),
    title: content.title?.trim() || titleOfPath(path),
    format: kind.format,
    ...(kind.language && { language: kind.language }),
    frontMatter: content.frontMatter ?? {},
    text: content.lines.join('\n'),
    sections: content.sections,
  };
}

async function contentOf(path: string, bytes: Buffer, { format, language }: FileKind): Promise<Content> {
  switch (format) {
    case 'pdf':
      return pdfContent((await pdfPages(bytes)).map(clean));
    case 'docx':
      return inSlices(markdownContent(htmlText(clean(await docxHtml(bytes)), false).lines));
    case 'html': {
      const { title, lines } = htmlText(textOf(bytes));
      return { ...(await inSlices(markdownContent(lines))), ...(title !== undefined && { title }) };
    }
    case 'markdown':
      return inSlices(withFrontMatter(linesOf(textOf(bytes))));
    case 'json':
    case 'yaml':
      return dataContent(path, linesOf(textOf(bytes)), format);
    case 'code':
      return plainContent(linesOf(textOf(bytes)), language);
    case 'text': {
      const lines = linesOf(textOf(bytes));
      return { ...plainContent(lines), title: firstLineTitle(lines) };
    }
  }
}

/** Text that is neither UTF-16 nor valid UTF-8 is taken for windows-1252; a stray NUL means that the file is binary. */
function textOf(bytes: Buffer): string {
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (!utf16 && bytes.includes(0)) throw new Unreadable('it is a binary file');
  const eightBit = isUtf8(bytes) ? 'utf-8' : 'windows-1252';
  const encoding = utf16 ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : eightBit;
  return clean(new TextDecoder(encoding).decode(bytes));
}

function clean(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

function* withFrontMatter(lines: string[]): Generator<void, Content, void> {
  if (lines[0]?.trim() !== '---') return yield* markdownContent(lines);
  const end = lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  const frontMatter = end > 0 ? yamlObject(lines.slice(1, end).join('\n')) : undefined;
  if (!frontMatter) return yield* markdownContent(lines);
  const content = yield* markdownContent(lines.slice(end + 1), end + 2);
  const title = typeof frontMatter.title === 'string' ? frontMatter.title : content.title;
  return { ...content, title, frontMatter, lines };
}

/** An object, or undefined where it is something else or does not parse: then it is not front matter. */
function yamlObject(source: string): Record<string, unknown> | undefined {
  try {
    return record(parseYaml(source, { maxAliasCount: 20, logLevel: 'silent' }));
  } catch {
    return undefined;
  }
}

/** Data of unknown shape as an object; undefined for lists and plain values. */
export function record(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined;
}

function* markdownContent(lines: string[], firstLine = 1): Generator<void, Content, void> {
  const sections = yield* markdownSections(lines, firstLine);
  return { title: sections.find((section) => section.headings.length === 1)?.headings[0], lines, sections };
}

function plainContent(lines: string[], language?: string): Content {
  return { lines, sections: language === undefined ? paragraphSections(lines) : paragraphSections(lines, 'code', language) };
}

/** A short first line without a full stop, followed by more text, is the title. */
function firstLineTitle(lines: readonly string[]): string | undefined {
  const first = lines.findIndex((line) => line.trim() !== '');
  const line = lines[first]?.trim() ?? '';
  const hasMore = lines.slice(first + 1).some((later) => later.trim() !== '');
  return hasMore && line.length <= 100 && !/[.,;:!]$/.test(line) ? line : undefined;
}

/** A page is a section: its number is what a reader can look up. */
function pdfContent(pages: readonly string[]): Content {
  const reader = new SectionReader();
  const lines: string[] = [];
  pages.forEach((page, index) => {
    const pageLines = linesOf(page);
    reader.heading(1, `Page ${index + 1}`, lines.length + 1);
    for (const section of paragraphSections(pageLines)) {
      for (const block of section.blocks) reader.block('paragraph', block.text.split('\n'), lines.length + block.startLine);
    }
    lines.push(...pageLines);
  });
  return { title: undefined, lines, sections: reader.finish(lines.length) };
}

/** Each top-level entry is a block; the name that the data gives itself is the title. */
function dataContent(path: string, lines: string[], format: 'json' | 'yaml'): Content {
  const reader = new SectionReader();
  const opensEntry = format === 'yaml' ? /^[^\s#-]/ : /^(?:\t| {1,4})"[^"]+"\s*:/;
  let start = 0;
  for (let index = 1; index <= lines.length; index++) {
    if (index < lines.length && !opensEntry.test(lines[index] ?? '')) continue;
    const entry = lines.slice(start, index);
    if (entry.some((line) => line.trim() !== '')) reader.block('data', entry, start + 1);
    start = index;
  }
  return { title: dataTitle(path, lines.join('\n')), lines, sections: reader.finish(lines.length) };
}

function dataTitle(path: string, source: string): string | undefined {
  const data = yamlObject(source.slice(0, 200_000));
  for (const candidate of [data?.title, record(data?.info)?.title, data?.name, record(data?.metadata)?.name]) {
    if (typeof candidate === 'string' && candidate.trim() !== '' && candidate.length <= 200)
      return `${candidate} (${posix.basename(path)})`;
  }
  return posix.basename(path);
}

function titleOfPath(path: string): string {
  const name = posix.basename(path);
  const words = name.replace(/(.)\.[^.]+$/, '$1').replace(/[-_]+/g, ' ');
  return words.trim() || name;
}

/** A file that cannot be indexed, with the reason in words for the report. */
export class Unreadable extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'Unreadable';
  }
}

const OLE_HEADER = [0xd0, 0xcf, 0x11, 0xe0];
const LARGEST_UNPACKED = 200_000_000;

/** The document as HTML. */
async function docxHtml(bytes: Buffer): Promise<string> {
  if (OLE_HEADER.every((byte, index) => bytes[index] === byte))
    throw new Unreadable('it is encrypted, or an old .doc file under a new name');
  if (unpackedSize(bytes) > LARGEST_UNPACKED) throw new Unreadable('it would unpack to more than 200 MB');
  const { default: mammoth } = await import('mammoth');
  try {
    const image = mammoth.images.imgElement(async () => ({ src: '' }));
    return (await mammoth.convertToHtml({ buffer: bytes }, { convertImage: image })).value;
  } catch (error) {
    throw new Unreadable('it is not a readable Word document', error);
  }
}

/** The sum that the archive's directory states, read without unpacking anything. */
function unpackedSize(bytes: Buffer): number {
  let total = 0;
  const entryFrom = (start: number) => bytes.indexOf('PK\x01\x02', start, 'latin1');
  for (let at = entryFrom(0); at >= 0 && at + 28 <= bytes.length; at = entryFrom(at + 4)) total += bytes.readUInt32LE(at + 24);
  return total;
}

/** The text of each page. */
async function pdfPages(bytes: Uint8Array): Promise<string[]> {
  const { extractText, getDocumentProxy } = await import('unpdf');
  try {
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 }), { mergePages: false });
    return text;
  } catch (error) {
    if (error instanceof Error && (error.name === 'PasswordException' || /password|encrypt/i.test(error.message)))
      throw new Unreadable('it is encrypted: it needs a password', error);
    throw new Unreadable('it is not a readable PDF', error);
  }
}
