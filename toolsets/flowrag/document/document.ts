export type Format = 'markdown' | 'text' | 'html' | 'pdf' | 'docx' | 'json' | 'yaml' | 'code';

/** One file, read and understood, before it is chunked. Lines count from 1 and are those of the file. */
export interface ParsedDocument {
  /** Relative to the docs root, with forward slashes. */
  path: string;
  /** SHA-256 of the file's bytes, hexadecimal. */
  hash: string;
  title: string;
  format: Format;
  /** For code: the language by the file's extension, such as `typescript`. */
  language?: string;
  /** The front matter as it was written; empty where the format has none. */
  frontMatter: Record<string, unknown>;
  /** The text that lines count in. For PDF, DOCX and HTML: the text that was taken out of the file. */
  text: string;
  sections: Section[];
}

/** A heading and what follows it up to the next heading. The part before the first heading has no headings. */
export interface Section {
  /** From the outermost heading to this one. */
  headings: string[];
  startLine: number;
  endLine: number;
  blocks: Block[];
}

export type BlockKind = 'paragraph' | 'list' | 'table' | 'code' | 'quote' | 'data';

/** A paragraph, a list, a table, a fenced code block: chunks are not cut inside one unless they must be. */
export interface Block {
  kind: BlockKind;
  text: string;
  startLine: number;
  endLine: number;
  /** For code: what the fence names, such as `mermaid`. */
  language?: string;
}

/** A piece of a document that is embedded and found as one. */
export interface Chunk {
  /** Position within the document, from 0. */
  ordinal: number;
  text: string;
  startLine: number;
  endLine: number;
  headings: string[];
  tokens: number;
}

/** The chunks on each line, in their order. */
export function chunksByLine(chunks: readonly Chunk[]): Map<number, Chunk[]> {
  const lines = new Map<number, Chunk[]>();
  for (const chunk of chunks) {
    for (let line = chunk.startLine; line <= chunk.endLine; line++) {
      const here = lines.get(line);
      if (here) here.push(chunk);
      else lines.set(line, [chunk]);
    }
  }
  return lines;
}
