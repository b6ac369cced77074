import { Failure } from '@millrace/kernel';
import type { Client, Launch } from './clients.ts';

const NAME = 'millrace';

/** The text to paste into a client's configuration. */
export function snippet(client: Client, launch: Launch): string {
  if (client.format === 'toml') return tomlSection(client, launch);
  return JSON.stringify({ [client.key]: { [NAME]: client.entry(launch) } }, null, 2);
}

/** The client's configuration with our entry in it, everything else as it was. */
export function withEntry(current: string | undefined, client: Client, launch: Launch, path: string): string {
  return client.format === 'toml' ? inToml(current ?? '', client, launch) : inJson(current ?? '', client, launch, path);
}

function inJson(current: string, client: Client, launch: Launch, path: string): string {
  let content: unknown = {};
  try {
    if (current.trim() !== '') content = JSON.parse(current.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new Failure('invalid_input', `${path} is not plain JSON (it may have comments), so it was left as it is`, {
      fix: { instruction: `Paste this into it:\n${snippet(client, launch)}` },
      cause: error,
    });
  }
  if (content === null || typeof content !== 'object' || Array.isArray(content)) {
    throw new Failure('invalid_input', `${path} does not hold an object, so it was left as it is`, {
      fix: { instruction: `Paste this into it:\n${snippet(client, launch)}` },
    });
  }
  const settings = content as Record<string, unknown>;
  const servers = (settings[client.key] ?? {}) as Record<string, unknown>;
  const changed = { ...settings, [client.key]: { ...servers, [NAME]: client.entry(launch) } };
  return `${JSON.stringify(changed, null, indentOf(current))}\n`;
}

function indentOf(text: string): string | number {
  return /^\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? 2;
}

function inToml(current: string, client: Client, launch: Launch): string {
  const lines = current.split('\n');
  const kept: string[] = [];
  let inside = false;
  for (const line of lines) {
    const header = /^\s*\[+\s*([^\]]+?)\s*\]+/.exec(line)?.[1];
    if (header !== undefined) inside = header === `${client.key}.${NAME}` || header.startsWith(`${client.key}.${NAME}.`);
    if (!inside) kept.push(line);
  }
  const before = kept.join('\n').trimEnd();
  return `${before === '' ? '' : `${before}\n\n`}${tomlSection(client, launch)}\n`;
}

function tomlSection(client: Client, launch: Launch): string {
  const env = Object.entries(launch.env).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return [
    `[${client.key}.${NAME}]`,
    `command = ${JSON.stringify(launch.command)}`,
    `args = [${launch.args.map((argument) => JSON.stringify(argument)).join(', ')}]`,
    ...(env.length > 0 ? ['', `[${client.key}.${NAME}.env]`, ...env] : []),
  ].join('\n');
}
