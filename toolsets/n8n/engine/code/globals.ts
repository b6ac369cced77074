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
const SILENT = ['time', 'timeEnd', 'timeLog', 'assert', 'clear', 'count', 'countReset', 'group', 'groupCollapsed', 'groupEnd'];

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

/** What a script can ask n8n to do, which its engine does: its own process has neither the network nor the binary data. */
const HELPERS = [
  'assertBinaryData',
  'getBinaryDataBuffer',
  'prepareBinaryData',
  'setBinaryDataBuffer',
  'binaryToString',
  'httpRequest',
  'request',
];

export function isHelper(name: string): boolean {
  return HELPERS.includes(name);
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
