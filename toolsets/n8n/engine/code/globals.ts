import assert from 'node:assert';
import buffer from 'node:buffer';
import crypto from 'node:crypto';
import events from 'node:events';
import path from 'node:path';
import querystring from 'node:querystring';
import stringDecoder from 'node:string_decoder';
import url from 'node:url';
import util from 'node:util';
import zlib from 'node:zlib';
import { HELPERS } from '../protocol.ts';

/** Something that the script did and we refuse; it is reported with its line. */
export class ScriptFault extends Error {
  readonly description: string;

  constructor(message: string, description: string) {
    super(message);
    this.description = description;
  }
}

/** What every script has besides JavaScript itself: the same as in n8n, so that a script that works here works there. */
export const NATIVE = {
  Buffer,
  setTimeout,
  setInterval,
  setImmediate,
  clearTimeout,
  clearInterval,
  clearImmediate,
  btoa,
  atob,
  TextDecoder,
  TextDecoderStream,
  TextEncoder,
  TextEncoderStream,
  FormData,
};

const MOST_LINES = 1000;
const LONGEST_LINE = 5000;

const WRITING = ['log', 'info', 'warn', 'error', 'debug', 'trace', 'table', 'dir'];
const SILENT = 'time timeEnd timeLog assert clear count countReset group groupCollapsed groupEnd'.split(' ');

/** A console whose lines become those of the run. */
export function consoleOf(logs: string[]): Record<string, (...parts: unknown[]) => void> {
  const write = (...parts: unknown[]) => {
    if (logs.length < MOST_LINES) logs.push(parts.map(shown).join(' ').slice(0, LONGEST_LINE));
  };
  const nothing = () => {};
  return Object.fromEntries([...WRITING.map((name) => [name, write]), ...SILENT.map((name) => [name, nothing])]);
}

function shown(part: unknown): string {
  if (typeof part === 'string') return part;
  const { message, stack } = (part ?? {}) as { message?: unknown; stack?: unknown };
  if (typeof message === 'string' && typeof stack === 'string') return message;
  try {
    return JSON.stringify(part) ?? String(part);
  } catch {
    return String(part);
  }
}

export function helpersOf(call: (name: string, parameters: unknown[]) => Promise<unknown>): object {
  const offered = Object.fromEntries(HELPERS.map((name) => [name, (...parameters: unknown[]) => call(name, parameters)]));
  return new Proxy(offered, {
    get(target, name, receiver) {
      if (typeof name === 'symbol' || name in target || name === 'then') return Reflect.get(target, name, receiver);
      return () => {
        throw new Error(`The function "helpers.${name}" is not supported in the Code Node`);
      };
    },
  });
}

/** Node's own modules that only reckon. */
const BUILT_IN: Record<string, unknown> = {
  assert,
  buffer,
  crypto,
  events,
  path,
  querystring,
  string_decoder: stringDecoder,
  url,
  util,
  zlib,
};

/** Packages that come with n8n and only reckon; others may be allowed on an instance, but are not here. */
const EXTERNAL = ['lodash', 'luxon', 'moment', 'moment-timezone', 'uuid'];

export interface ModuleSource {
  load(name: string): unknown;
  /** Tells the person what to know about a module. */
  note(line: string): void;
}

/** What `require` gives a script. n8n refuses every module unless its instance allows it, which a note explains. */
export function requireOf({ load, note }: ModuleSource): (name: unknown) => unknown {
  return (given) => {
    const name = String(given).replace(/^node:/, '');
    if (Object.hasOwn(BUILT_IN, name)) {
      note(`require('${name}') works here; an instance needs NODE_FUNCTION_ALLOW_BUILTIN=${name}`);
      return BUILT_IN[name];
    }
    if (EXTERNAL.includes(name)) {
      note(`require('${name}') works here; an instance needs NODE_FUNCTION_ALLOW_EXTERNAL=${name}`);
      return load(name);
    }
    const offered = [...Object.keys(BUILT_IN), ...EXTERNAL].join(', ');
    throw new ScriptFault(`Module '${name.slice(0, 100)}' is disallowed`, `Code nodes of the embedded engine can require ${offered}`);
  };
}
