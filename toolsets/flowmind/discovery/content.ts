import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { isSystemError } from '@millrace/kernel';
import type { FieldRequest } from './request.ts';

/** Large content is announced, but neither summed up nor somewhere we may read it. */
export async function contentIsMissing({ content_reference }: FieldRequest, roots: readonly string[]): Promise<boolean> {
  if (!content_reference?.has_large_content) return false;
  if (content_reference.content_summary?.trim()) return false;
  return !(content_reference.content_file_path && (await isReadable(content_reference.content_file_path, roots)));
}

async function isReadable(path: string, roots: readonly string[]): Promise<boolean> {
  for (const root of roots) {
    try {
      const [below, file] = await Promise.all([realpath(root), realpath(resolve(root, path))]);
      if (!file.startsWith(below + sep)) continue;
      await access(file, constants.R_OK);
      if ((await stat(file)).isFile()) return true;
    } catch (error) {
      // Not there, or not ours to read: the next root may have it.
      if (!isSystemError(error)) throw error;
    }
  }
  return false;
}
