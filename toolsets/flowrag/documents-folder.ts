import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@millrace/storage';
import type { DocumentsFolder } from '@millrace/toolset';
import { CONFIGURATION_FILE, parseConfiguration, readConfiguration } from './configuration.ts';

export const documentsFolder: DocumentsFolder = {
  async current({ workspace, workingDirectory }) {
    return (await readConfiguration({ workingFolder: workingDirectory, home: workspace })).docs;
  },

  /** Keeps everything else in the file. A broken file is refused, never replaced. */
  set(workspace, docs) {
    const path = join(workspace, CONFIGURATION_FILE);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '{}';
    parseConfiguration(text, path);
    const content: object = JSON.parse(text.replace(/^\uFEFF/, ''));
    makeFolder(workspace, { mode: 0o700 });
    const temporary = `${path}.${process.pid}.tmp`;
    writeFileSync(temporary, `${JSON.stringify({ ...content, docs }, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, path);
    return path;
  },

  command: 'index',
};
