import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findFault } from './json.ts';
import { rewriteJson } from './rewrite.ts';

function rewritten(text: string, change: (value: never) => void): string {
  const before = JSON.parse(text.replace(/^\uFEFF/, ''));
  const after = structuredClone(before);
  change(after as never);
  return rewriteJson(Buffer.from(text), before, after).toString();
}

describe('rewriteJson', () => {
  test('keeps the spelling of everything that did not change', () => {
    const text = '\uFEFF{\r\n\t"a" : 1.0,\r\n\t"b":[ 1e3,"\\u00e9\\/" ],\r\n\t"big": 12345678901234567890,\r\n\t"old": true\r\n}\r\n\r\n';
    expect(
      rewritten(text, (value: { old: boolean }) => {
        value.old = false;
      }),
    ).toBe(text.replace('true', 'false'));
  });

  test('adds to lists and objects in the way of their neighbours', () => {
    const text = '{\n    "nodes": [\n        {\n            "id": "a"\n        }\n    ],\n    "empty": {}\n}\n';
    const changed = rewritten(text, (value: { nodes: unknown[]; empty: Record<string, unknown> }) => {
      value.nodes.push({ id: 'b', position: [0, 1] });
      value.empty['x'] = [];
    });
    expect(changed).toBe(
      '{\n    "nodes": [\n        {\n            "id": "a"\n        },\n        {\n            "id": "b",\n            "position": [\n                0,\n                1\n            ]\n        }\n    ],\n    "empty": {\n        "x": []\n    }\n}\n',
    );
  });

  test('stays on one line in a minified file', () => {
    expect(
      rewritten('{"nodes":[{"id":"a"}],"c":{}}', (value: { nodes: unknown[]; c: Record<string, unknown> }) => {
        value.nodes.push({ id: 'b', n: [1, 2] });
        value.c['x'] = { y: 1 };
      }),
    ).toBe('{"nodes":[{"id":"a"},{"id":"b","n":[1,2]}],"c":{"x":{"y":1}}}');
  });

  test('keeps positions on one line where the file does', () => {
    const text = '{\n  "nodes": [\n    { "id": "a", "position": [0, 0] }\n  ]\n}';
    expect(rewritten(text, (value: { nodes: unknown[] }) => void value.nodes.push({ id: 'b', position: [1, 2] }))).toBe(
      '{\n  "nodes": [\n    { "id": "a", "position": [0, 0] },\n    {\n      "id": "b",\n      "position": [1, 2]\n    }\n  ]\n}',
    );
  });

  test('takes one element out of the middle and leaves the rest alone', () => {
    const text = '{ "nodes": [ {"id":"a"},\n  {"id":"b"}, {"id":"c"} ] }';
    expect(rewritten(text, (value: { nodes: unknown[] }) => void value.nodes.splice(1, 1))).toBe(
      '{ "nodes": [ {"id":"a"},\n  {"id":"c"} ] }',
    );
  });

  test('renames a key in its place', () => {
    const text = '{"c":{"Old":  {"main": [ [] ]},"z":1}}';
    const before = JSON.parse(text);
    const after = { c: { New: before.c.Old, z: 1 } };
    expect(rewriteJson(Buffer.from(text), before, after).toString()).toBe('{"c":{"New":  {"main": [ [] ]},"z":1}}');
  });

  test('means the last of two equal keys', () => {
    expect(
      rewritten('{"a":1,"a":2,"b":3}', (value: { a: number }) => {
        value.a = 5;
      }),
    ).toBe('{"a":1,"a":5,"b":3}');
    expect(rewritten('{"a":1,"a":2,"b":3}', (value: { a?: number }) => void delete value.a)).toBe('{"b":3}');
  });

  test('escapes where the file is plain ASCII', () => {
    expect(
      rewritten('{"a":"caf\\u00e9","b":""}', (value: { b: string }) => {
        value.b = 'ü';
      }),
    ).toBe('{"a":"caf\\u00e9","b":"\\u00fc"}');
  });

  test('writes what was asked, for any pair of values and any layout', () => {
    const value = fc.jsonValue({ maxDepth: 4 }).map((json) => JSON.parse(JSON.stringify(json)));
    const layouts = fc.constantFrom(undefined, 1, 2, 4, '\t');
    fc.assert(
      fc.property(value, value, layouts, fc.boolean(), fc.boolean(), (before, after, space, crlf, mark) => {
        const plain = JSON.stringify(before, null, space);
        const text = (mark ? '\uFEFF' : '') + (crlf ? plain.replaceAll('\n', '\r\n') : plain);
        const bytes = Buffer.from(text);
        expect(rewriteJson(bytes, before, structuredClone(before)).equals(bytes)).toBe(true);
        const result = rewriteJson(bytes, before, after)
          .toString()
          .replace(/^\uFEFF/, '');
        expect(JSON.parse(result)).toEqual(after);
      }),
      { numRuns: 500 },
    );
  });

  test('takes a mutation of a tree anywhere', () => {
    const tree = fc.object({
      maxDepth: 4,
      maxKeys: 5,
      values: [fc.string({ unit: 'binary' }), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)],
    });
    fc.assert(
      fc.property(tree, fc.nat(), fc.constantFrom('remove', 'add', 'replace'), (value, seed, kind) => {
        const before = JSON.parse(JSON.stringify(value));
        const after = structuredClone(before);
        const containers = collect(after);
        const target = containers[seed % containers.length] as Record<string, unknown> | unknown[];
        if (Array.isArray(target)) {
          if (kind === 'remove') target.splice(seed % (target.length + 1), 1);
          else target.splice(seed % (target.length + 1), kind === 'add' ? 0 : 1, { new: [seed] });
        } else {
          const keys = Object.keys(target);
          const key = keys[seed % (keys.length || 1)];
          if (kind === 'add' || key === undefined) target[`new ${seed}`] = [seed];
          else if (kind === 'remove') delete target[key];
          else Object.defineProperty(target, key, { value: 'replaced', enumerable: true, writable: true, configurable: true });
        }
        const text = JSON.stringify(before, null, 2);
        expect(JSON.parse(rewriteJson(Buffer.from(text), before, after).toString())).toEqual(after);
      }),
      { numRuns: 200 },
    );
  });
});

function collect(value: unknown): unknown[] {
  if (value === null || typeof value !== 'object') return [];
  return [value, ...Object.values(value).flatMap(collect)];
}

describe('findFault', () => {
  test.each([
    ['{"a": 1,}', 1, 9, 'expected a key in double quotes'],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, 'expected a comma or }'],
    ['[1, 2', 1, 6, 'the text ends where a comma or ] should stand'],
    ['{"a": nope}', 1, 7, 'expected a value'],
    ['{"a": "x\n"}', 1, 7, 'this string is not closed or has a bad escape'],
    ['{} x', 1, 4, 'expected the end of the file'],
    ['', 1, 1, 'the text ends where a value should stand'],
  ])('%j', (text, line, column, problem) => {
    expect(findFault(text)).toEqual({ line, column, problem });
  });

  test('agrees with JSON.parse on what is JSON', () => {
    const nearlyJson = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', '"', 'x', '\n')).map(([text, at, junk]) => {
      const cut = at % (text.length + 1);
      return text.slice(0, cut) + junk + text.slice(cut + (at % 2));
    });
    fc.assert(
      fc.property(nearlyJson, (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(findFault(text) === undefined).toBe(valid);
      }),
      { numRuns: 1000 },
    );
  });
});
