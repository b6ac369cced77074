import { extname, posix } from 'node:path';
import type { Format } from './document.ts';

export interface FileKind {
  format: Format;
  language?: string;
}

const FORMATS: Readonly<Record<string, Format>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.mdx': 'markdown',
  '.txt': 'text',
  '.text': 'text',
  '.rst': 'text',
  '.adoc': 'text',
  '.asciidoc': 'text',
  '.org': 'text',
  '.log': 'text',
  '.csv': 'text',
  '.html': 'html',
  '.htm': 'html',
  '.xhtml': 'html',
  '.pdf': 'pdf',
  '.docx': 'docx',
  '.json': 'json',
  '.jsonc': 'json',
  '.yaml': 'yaml',
  '.yml': 'yaml',
};

const LANGUAGES: Readonly<Record<string, string>> = {
  '.ts': 'typescript',
  '.tsx': 'typescript',
  '.mts': 'typescript',
  '.cts': 'typescript',
  '.js': 'javascript',
  '.jsx': 'javascript',
  '.mjs': 'javascript',
  '.cjs': 'javascript',
  '.vue': 'vue',
  '.svelte': 'svelte',
  '.py': 'python',
  '.rb': 'ruby',
  '.go': 'go',
  '.rs': 'rust',
  '.java': 'java',
  '.kt': 'kotlin',
  '.scala': 'scala',
  '.swift': 'swift',
  '.c': 'c',
  '.h': 'c',
  '.cc': 'cpp',
  '.cpp': 'cpp',
  '.hpp': 'cpp',
  '.cs': 'csharp',
  '.fs': 'fsharp',
  '.php': 'php',
  '.pl': 'perl',
  '.lua': 'lua',
  '.r': 'r',
  '.jl': 'julia',
  '.ex': 'elixir',
  '.exs': 'elixir',
  '.erl': 'erlang',
  '.hs': 'haskell',
  '.clj': 'clojure',
  '.sh': 'shell',
  '.bash': 'shell',
  '.zsh': 'shell',
  '.ps1': 'powershell',
  '.sql': 'sql',
  '.graphql': 'graphql',
  '.proto': 'protobuf',
  '.tf': 'terraform',
  '.toml': 'toml',
  '.ini': 'ini',
  '.xml': 'xml',
  '.css': 'css',
  '.scss': 'css',
  '.dockerfile': 'dockerfile',
};

const NAMED: Readonly<Record<string, FileKind>> = {
  readme: { format: 'text' },
  license: { format: 'text' },
  changelog: { format: 'text' },
  codeowners: { format: 'text' },
  notice: { format: 'text' },
  dockerfile: { format: 'code', language: 'dockerfile' },
  makefile: { format: 'code', language: 'makefile' },
  jenkinsfile: { format: 'code', language: 'groovy' },
};

/** What a file is by its name; undefined for what is not a document. */
export function kindOf(path: string): FileKind | undefined {
  const name = posix.basename(path).toLowerCase();
  const extension = extname(name);
  const format = FORMATS[extension];
  if (format) return { format };
  const language = LANGUAGES[extension];
  if (language) return { format: 'code', language };
  return NAMED[name] ?? (name.startsWith('dockerfile.') ? NAMED.dockerfile : undefined);
}

/** How many bytes of a file are read: beyond that it is data, not a document. */
export function largestFile(format: Format): number {
  return format === 'pdf' || format === 'docx' ? 50_000_000 : 5_000_000;
}
