import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseConfiguration } from '@millrace/flowrag';
import { makeFolder } from '@millrace/storage';

/** Sets the documents folder in a flowrag.config.json and keeps everything else. A broken file is refused, never replaced. */
export function writeDocumentsFolder(path: string, docs: string): void {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '{}';
  parseConfiguration(text, path);
  const content = JSON.parse(text.replace(/^\uFEFF/, '')) as Record<string, unknown>;
  makeFolder(dirname(path), { mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify({ ...content, docs }, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}
