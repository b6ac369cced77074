import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@millrace/storage';

/** Sets variables in the .env of a folder and keeps every other line. Only its owner can read the file afterwards. */
export function writeDotEnv(folder: string, values: Record<string, string>): string {
  const path = join(folder, '.env');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').replace(/\n$/, '').split('\n') : [];
  for (const [name, value] of Object.entries(values)) {
    const line = `${name}=${quoted(value)}`;
    const at = lines.findIndex((old) => new RegExp(`^\\s*(export\\s+)?${name}\\s*=`).test(old));
    if (at === -1) lines.push(line);
    else lines[at] = line;
  }
  makeFolder(folder, { mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${lines.filter((line, index) => line !== '' || index > 0).join('\n')}\n`, { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, path);
  return path;
}

/** Quoted so that Node's .env reader accepts it: with the first kind of quote that the value does not contain. */
function quoted(value: string): string {
  if (/^[\w./:@%+,=~-]*$/.test(value)) return value;
  const quote = ["'", '"', '`'].find((candidate) => !value.includes(candidate)) ?? "'";
  return `${quote}${value}${quote}`;
}
