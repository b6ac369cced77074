import { expect, test } from 'vitest';
import { chunkNames } from '../names/names.ts';
import { graphSchema } from '../schema.ts';
import { entitiesIn, extractFrom, readDocument } from '../testing/read-document.ts';
import { rulesExtractor } from './rules.ts';

const ABOUT_SYSTEMS =
  'The order-service publishes order events to Kafka and stores orders in the PostgreSQL database of the Billing Service.';
const SMALL = 100_000;
const LARGE = 400_000;
/** In proportion it would be 4, with the square of the size 16. */
const MOST_TIMES = 10;
/** What a small text costs whatever is in it, so that the ratio of two moments says nothing. */
const LEAST_MS = 60;

/** The processor time that reading one document takes: a busy machine does not change it much. */
async function cost(path: string, text: string): Promise<number> {
  const before = process.cpuUsage();
  const { document, chunks } = await readDocument(path, text);
  await rulesExtractor(graphSchema.parse({})).extract(document, chunks, [], new AbortController().signal);
  for (const chunk of chunks) chunkNames(document, chunk);
  return process.cpuUsage(before).user / 1000;
}

const PLACES: Record<string, (run: string) => [path: string, text: string]> = {
  'a line': (run) => ['a.md', `# Orders\n\n${ABOUT_SYSTEMS}\n\n${run}\n`],
  'a heading': (run) => ['a.md', `# Orders\n\n${ABOUT_SYSTEMS}\n\n## ${run}x\n\nText.\n`],
  'a list and a table': (run) => [
    'a.md',
    `# Orders\n\n${ABOUT_SYSTEMS}\n\n- **Owner:** ${run}\n\n| Service | Owner |\n|---|---|\n| ${run} | x |\n`,
  ],
  'a diagram': (run) => ['a.md', `# Orders\n\n${ABOUT_SYSTEMS}\n\n\`\`\`mermaid\ngraph TD\n${run} --> b\n\`\`\`\n`],
  'front matter': (run) => ['a.md', `---\nowner: x\nservice: "${run.replaceAll('"', '')}"\n---\n# Orders\n\n${ABOUT_SYSTEMS}\n`],
  'a manifest': (run) => [
    'docker-compose.yaml',
    `services:\n  a:\n    image: "x"\n    environment:\n      URL: "${run.replaceAll(/["\\]/g, '')}"\n`,
  ],
};
const RUNS = ['a', '0123456789abcdef', '.', '-', '@', '_', 'A.', 'a-', '#', '[', '[a](', '|', '`', '*', '(', ' ', '\n', '[ ', 'A '];

test.each(Object.keys(PLACES))('a run without end in %s costs no more than its size', { timeout: 300_000 }, async (place) => {
  const slow: string[] = [];
  for (const run of RUNS) {
    const text = (length: number) => (PLACES[place] as (typeof PLACES)[string])(run.repeat(length / run.length));
    const small = Math.max(LEAST_MS, await cost(...text(SMALL)));
    const large = await cost(...text(LARGE));
    if (large > small * MOST_TIMES) slow.push(`${JSON.stringify(run)}: ${Math.round(small)} ms, ${Math.round(large)} ms`);
  }
  expect(slow).toEqual([]);
});

test('what stands beside a run without end is still found', async () => {
  const found = await extractFrom(
    'a.md',
    `# Orders\n\n${'f0'.repeat(5000)}\n\n${ABOUT_SYSTEMS} ${'x'.repeat(5000)}. The Cart Service uses Kafka.\n`,
  );
  expect(entitiesIn(found)).toEqual(expect.arrayContaining(['SERVICE Billing Service', 'SERVICE Cart Service', 'SERVICE order-service']));
});
