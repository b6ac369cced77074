import { createRequire } from 'node:module';
import type { Entry, JsonSchema } from '@millrace/kernel';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { openMillrace, type TestMillrace } from '../harness/millrace.ts';
import { verifies } from '../requirements.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 500);
const ajv = new Ajv2020({ strict: false });
createRequire(import.meta.url)('ajv-formats')(ajv);
let millrace: TestMillrace;

beforeAll(async () => {
  millrace = await openMillrace();
});
afterAll(() => millrace.close());

/** The stack of the last error in the log, for the message of a failing check. */
function lastStack(): string {
  const { err } = (millrace.logged.findLast(({ level }) => level === 'error')?.details ?? {}) as { err?: unknown };
  return err instanceof Error ? String(err.stack) : '';
}

const nasty = fc.constantFrom(
  "'; DROP TABLE todos; --",
  '" OR 1=1 --',
  '../../../../etc/passwd',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of another language
  '${7*7}',
  '{{constructor.constructor("return process")()}}',
  '<script>alert(1)</script>',
  '\u0000',
  '\u202Eevil',
  '\uD800',
  '%00',
  'NaN',
  '__proto__',
  'constructor',
  'AND OR NOT NEAR(*',
  '"unterminated',
  '🙂'.repeat(50),
  'a'.repeat(20_000),
  '\r\n\r\nHTTP/1.1 200',
  'file:///etc/passwd',
  ' ',
);
const scalar = fc.oneof(
  nasty,
  fc.string(),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.bigInt().map(Number),
  fc.constantFrom(-1, 0, 1e9, Number.MAX_SAFE_INTEGER),
);
const anything = fc.oneof(
  { weight: 3, arbitrary: scalar },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 5 }) },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 30 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.oneof(fc.string(), nasty), scalar, { maxKeys: 8 }) },
);
const deep = fc.integer({ min: 1, max: 2000 }).map((levels) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`));

/** Values near what an argument wants, so that some calls get past the schema. */
function near(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  switch (schema.type) {
    case 'string':
      return fc.oneof(nasty, fc.string({ maxLength: 40 }), fc.uuid());
    case 'integer':
    case 'number':
      return fc.oneof(fc.integer({ min: -2, max: 200 }), fc.double());
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(near((schema.items ?? {}) as JsonSchema), { maxLength: 4 });
    case 'object':
      return schema.properties ? shaped(schema) : fc.dictionary(fc.oneof(fc.string({ maxLength: 10 }), nasty), scalar, { maxKeys: 5 });
    default:
      return anything;
  }
}

function shaped(schema: JsonSchema): fc.Arbitrary<Record<string, unknown>> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const required = (schema.required as string[] | undefined) ?? [];
  const fields = Object.fromEntries(
    properties.map(([name, field]) => [name, fc.oneof({ weight: 6, arbitrary: near(field) }, { weight: 1, arbitrary: anything })]),
  );
  return fc.record(fields, { requiredKeys: required.filter((name) => name in fields) });
}

function hostile(entry: Entry): fc.Arbitrary<unknown> {
  const good = shaped(entry.inputSchema);
  const withStray = fc
    .tuple(good, fc.oneof(nasty, fc.string()), anything)
    .map(([input, key, value]) => ({ ...input, ...JSON.parse(JSON.stringify({ [key]: value ?? null })) }));
  const withPrototype = good.map((input) =>
    JSON.parse(`{"__proto__":{"polluted":true},${JSON.stringify(input).slice(1)}`.replace(',}', '}')),
  );
  const withDepth = fc.tuple(good, deep).map(([input, value]) => ({ ...input, [Object.keys(input)[0] ?? 'x']: value }));
  return fc.oneof(
    { weight: 5, arbitrary: good },
    { weight: 2, arbitrary: withStray },
    { weight: 1, arbitrary: withPrototype },
    { weight: 1, arbitrary: withDepth },
    { weight: 2, arbitrary: anything },
  );
}

/** Words that only our own insides would say. */
const INTERNAL =
  /SQLITE_|node_modules|at Object\.|\.ts:\d+|TypeError|ReferenceError|Cannot read propert|is not a function|\[object Object\]|ZodError|syntax error at/;

/** Tools that start foreign code or long jobs get fewer inputs here; their own tests go deeper. */
const HEAVY = new Set(['test_workflow', 'flowrag_index']);

verifies(
  ['kernel-hostile-input', 'kernel-output-schema', 'kernel-internal-error'],
  `every tool answers ${RUNS} hostile inputs with its published error or a valid result`,
  async () => {
    for (const entry of millrace.catalog.entries()) {
      const conforms = ajv.compile(entry.bareOutputSchema);
      const runs = HEAVY.has(entry.tool.name) ? Math.min(RUNS, 100) : RUNS;
      await fc.assert(
        fc.asyncProperty(hostile(entry), async (input) => {
          const reply = await millrace.call(entry.tool.name, input);
          const context = `${entry.tool.name} ${JSON.stringify(input)?.slice(0, 300)} → ${reply.text.slice(0, 500)}`;
          expect(conforms(reply.structured), `${context} ${ajv.errorsText(conforms.errors)}`).toBe(true);
          expect(reply.failure?.code, `${context} ${lastStack()}`).not.toBe('internal');
          const ours = reply.isError ? reply.text.replaceAll(JSON.stringify(input) ?? '', '') : '';
          expect(INTERNAL.test(ours) && !INTERNAL.test(JSON.stringify(input) ?? ''), context).toBe(false);
        }),
        { numRuns: runs },
      );
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    }
  },
  900_000,
);
