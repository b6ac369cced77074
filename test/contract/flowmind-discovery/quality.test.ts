import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openFlowmind } from '../../harness/flowmind.ts';
import { workflowText } from '../../harness/workflow-text.ts';

interface Intent {
  id: string;
  name: string;
  description: string;
  sentences: string[];
}

async function intentsOf(file: string): Promise<Intent[]> {
  const intents: Intent[] = [];
  for (const line of (await readFile(new URL(`./fixtures/${file}`, import.meta.url), 'utf8')).split('\n').filter(Boolean)) {
    const [id = '', name = '', description = ''] = line.slice(3).split(' | ');
    if (line.startsWith('== ')) intents.push({ id, name, description, sentences: [] });
    else intents.at(-1)?.sentences.push(line);
  }
  return intents;
}

async function share(requests: readonly string[], holds: (request: string) => Promise<boolean>): Promise<number> {
  let count = 0;
  for (const request of requests) if (await holds(request)) count++;
  return count / requests.length;
}

/** A part of what bench/flowmind-discovery.ts measures: enough to notice when the search gets worse. */
test('unseen requests find their context, and those outside of all find none', async () => {
  const intents = [...(await intentsOf('money.txt')), ...(await intentsOf('kitchen.txt'))];
  const files = Object.fromEntries(
    intents.map(({ id, name, description, sentences }) => [
      `${id}.yaml`,
      workflowText(id, { name, description, examples: sentences.filter((_, at) => at % 2 === 0) }),
    ]),
  );
  const flowmind = await openFlowmind({ files });
  const find = async (query: string) => (await flowmind.ask('field_request', { query, confidence_level: 0.5 })).result;
  const asked = intents.flatMap(({ id, sentences }) =>
    sentences
      .filter((sentence, at) => at % 4 === 1 && sentence.length >= 10 && sentence.split(' ').length >= 3)
      .map((sentence) => ({ uri: `workflow://${id}`, sentence })),
  );
  const first = new Map<string, string>();
  let right = 0;
  let inTopFive = 0;
  let matched = 0;
  for (const { uri, sentence } of asked) {
    const { matches } = await find(sentence);
    first.set(sentence, matches[0]?.uri);
    if (matches.length > 0) matched++;
    if (matches[0]?.uri === uri) right++;
    if (matches.some((match: { uri: string }) => match.uri === uri)) inTopFive++;
  }
  expect(matched / asked.length).toBeGreaterThan(0.88);
  expect(right / matched).toBeGreaterThan(0.75);
  expect(inTopFive / matched).toBeGreaterThan(0.97);
  const outside = (await readFile(new URL('./fixtures/outside.txt', import.meta.url), 'utf8'))
    .split('\n')
    .filter((line, at) => line && at % 3 === 0);
  expect(await share(outside, async (request) => (await find(request)).status === 'no_matches')).toBeGreaterThan(0.85);
}, 60_000);

test('a name and a description are enough to be found', async () => {
  const intents = await intentsOf('travel.txt');
  const files = Object.fromEntries(intents.map(({ id, name, description }) => [`${id}.yaml`, workflowText(id, { name, description })]));
  const flowmind = await openFlowmind({ files });
  const asked = intents.flatMap(({ id, sentences }) => sentences.slice(0, 4).map((sentence) => ({ uri: `workflow://${id}`, sentence })));
  let found = 0;
  for (const { uri, sentence } of asked) {
    const { result } = await flowmind.ask('field_request', { query: sentence, confidence_level: 0.5 });
    if (result.matches.some((match: { uri: string }) => match.uri === uri)) found++;
  }
  expect(found / asked.length).toBeGreaterThan(0.85);
}, 60_000);
