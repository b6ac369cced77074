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
import { ScriptFault } from './describe-error.ts';

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
  /** Loads a package of n8n's. */
  load(name: string): unknown;
  /** Tells the person what to know about a module. */
  note(line: string): void;
}

/** What `require` gives a script. n8n refuses every module unless its instance is set up otherwise, which is said. */
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
