import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { openFlowmind, type TestFlowmind } from '../../harness/flowmind.ts';
import type { AnyReply } from '../../harness/flowmind-replies.ts';
import { verifies } from '../../requirements.ts';

let flowmind: TestFlowmind;

beforeAll(async () => {
  flowmind = await openFlowmind({ library: true });
});
afterAll(() => flowmind.close());

const list = async (parameters: Record<string, unknown> = {}): Promise<AnyReply> => {
  const { success, result } = await flowmind.ask('list_available_contexts', parameters);
  expect(success).toBe(true);
  return result;
};
const everything = async (parameters: Record<string, unknown> = {}): Promise<AnyReply[]> => {
  const contexts: AnyReply[] = [];
  for (let offset = 0, total = 1; offset < total; offset += 50) {
    const page = await list({ ...parameters, pagination: { offset, limit: 50 } });
    contexts.push(...page.contexts);
    total = page.total;
  }
  return contexts;
};

verifies('flowmind-list-result', 'the list has the fields that were fixed for it', async () => {
  const page = await list();
  expect(page).toMatchObject({ offset: 0, limit: 20, total: (await flowmind.services.registry.all('owner')).length });
  expect(page.contexts.length).toBe(20);
  for (const context of page.contexts) {
    expect(Object.keys(context).sort()).toEqual(
      ['complexity', 'description', 'domain', 'locked', 'name', 'popularity', 'tags', 'type', 'updated_at', 'uri'].sort(),
    );
  }
});

verifies('flowmind-list-filters', 'each filter limits the list, and all together', async () => {
  const all = await everything();
  for (const type of ['workflow', 'agent', 'pattern', 'tool']) {
    const listed = await everything({ filter: { type: [type] } });
    expect(listed.map((each) => each.uri).sort()).toEqual(
      all
        .filter((each) => each.type === type)
        .map((each) => each.uri)
        .sort(),
    );
  }
  for (const complexity of ['simple', 'moderate', 'complex', 'expert']) {
    const listed = await everything({ filter: { complexity } });
    expect(listed.length).toBeGreaterThan(0);
    for (const each of listed) expect(each.complexity).toBe(complexity);
  }
  const tagged = await everything({ filter: { tags: ['incident'] } });
  expect(tagged.map((each) => each.uri)).toContain('workflow://incident-response');
  for (const each of tagged) expect(each.tags).toContain('incident');
  const both = await everything({ filter: { type: ['workflow'], tags: ['incident'], complexity: 'complex', domain: ['technical'] } });
  expect(both.map((each) => each.uri)).toEqual(['workflow://incident-response']);
  expect((await flowmind.ask('list_available_contexts', { filter: { type: ['thing'] } })).success).toBe(false);
});

verifies('flowmind-list-domain-filter', 'six domains can be asked for, emergency too', async () => {
  for (const domain of ['technical', 'creative', 'business', 'regulatory', 'personal', 'emergency']) {
    const listed = await everything({ filter: { domain: [domain] } });
    expect(listed.length).toBeGreaterThan(0);
    for (const each of listed) expect(each.domain).toBe(domain);
  }
  expect((await flowmind.ask('list_available_contexts', { filter: { domain: ['sport'] } })).success).toBe(false);
});

async function runToItsEnd(uri: string) {
  let { result } = await flowmind.ask('execute_workflow', { workflow_uri: uri });
  while (result.question) {
    const step_result = { question_id: result.question.id, value: 'Some answer' };
    result = (await flowmind.ask('execute_workflow', { workflow_uri: uri, session_id: result.session_id, step_result })).result;
  }
  expect(result.status).toBe('completed');
}

verifies('flowmind-list-sort', 'by name, popularity as measured, recency and relevance, both ways', async () => {
  await runToItsEnd('pattern://retrospective');
  await runToItsEnd('pattern://retrospective');
  await runToItsEnd('agent://editor');
  const names = (contexts: AnyReply[]) => contexts.map((each) => each.name);
  const rising = await everything({ sort: { by: 'name', order: 'asc' } });
  expect(names(rising)).toEqual(names(rising).toSorted((a, b) => a.localeCompare(b, 'en')));
  expect(names(await everything({ sort: { by: 'name' } }))).toEqual(names(rising).toReversed());
  const popular = await everything({ sort: { by: 'popularity' } });
  expect(popular.slice(0, 2).map((each) => [each.uri, each.popularity])).toEqual([
    ['pattern://retrospective', 2],
    ['agent://editor', 1],
  ]);
  expect((await everything({ sort: { by: 'popularity', order: 'asc' } })).at(-1).uri).toBe('pattern://retrospective');
  expect(names(await everything())).toEqual(names(popular));
  const rest = popular.slice(2);
  expect(names(rest)).toEqual(names(rest).toSorted((a, b) => a.localeCompare(b, 'en')));
  const times = (await everything({ sort: { by: 'recent' } })).map((each) => each.updated_at ?? '');
  expect(times).toEqual(times.toSorted().toReversed());
});

verifies('flowmind-list-pagination', 'the pages together hold every context once', async () => {
  const total = (await flowmind.services.registry.all('owner')).length;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 50 }), async (limit) => {
      const uris: string[] = [];
      for (let offset = 0; offset < total; offset += limit) {
        const page = await list({ pagination: { offset, limit } });
        expect(page).toMatchObject({ total, offset, limit });
        uris.push(...page.contexts.map((each: AnyReply) => each.uri));
      }
      expect(uris.length).toBe(total);
      expect(new Set(uris).size).toBe(total);
    }),
    { numRuns: 15 },
  );
  expect((await list({ pagination: { offset: total } })).contexts).toEqual([]);
  for (const pagination of [{ offset: -1 }, { limit: 0 }, { limit: 51 }]) {
    expect((await flowmind.ask('list_available_contexts', { pagination })).success).toBe(false);
  }
});
