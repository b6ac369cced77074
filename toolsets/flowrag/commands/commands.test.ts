import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Terminal } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlowragServices } from '../services.ts';
import { type TestFlowrag, testFlowrag } from '../testing/flowrag.ts';
import { flowragCommands } from './index.ts';
import { progressBar } from './index-command.ts';

interface TestTerminal extends Terminal {
  printed: string[];
  said: string[];
  statuses: string[];
  stop: AbortController;
}

function terminal(): TestTerminal {
  const stop = new AbortController();
  const [printed, said, statuses]: string[][] = [[], [], []] as [string[], string[], string[]];
  return {
    ...({ printed, said, statuses, stop, program: 'flowrag', interactive: true, columns: 80, signal: stop.signal } as Pick<
      TestTerminal,
      'printed' | 'said' | 'statuses' | 'stop' | 'program' | 'interactive' | 'columns' | 'signal'
    >),
    out: (text) => void printed?.push(text),
    say: (text) => void said?.push(text),
    status: (text) => void statuses?.push(text),
    progress: () => () => {},
  };
}

let flowrag: TestFlowrag;

beforeAll(async () => {
  flowrag = await testFlowrag();
  flowrag.write('a.md', '# Platform\n\nCheckout --[PRODUCES]--> Kafka: orders\nAnalytics --[CONSUMES]--> Kafka\nC --[PRODUCES?]--> Z\n');
  flowrag.write('b.md', '# Other\n\nNothing to see here.\n');
});
afterAll(() => flowrag.close());

async function run(name: string, positionals: string[] = [], values: Record<string, string | boolean> = {}, at = terminal()) {
  const command = flowragCommands.find((one) => one.name === name);
  const code = await command?.run({ positionals, values }, at, flowrag.services);
  return { code, printed: at.printed.join('\n'), said: at.said.join('\n'), statuses: at.statuses };
}

describe('the command line', () => {
  test('index shows its progress and says what it did', async () => {
    const first = await run('index');
    expect(first.code).toBe(0);
    expect(first.printed).toContain('Indexed 2 documents');
    expect(first.statuses[0]).toContain('0 of 2 files');
    expect(first.statuses.at(-1)).toBe('');
    expect(first.statuses.some((status) => status.includes('█'))).toBe(true);
    expect((await run('index', [], { 'dry-run': true })).printed).toContain('Dry run');
    expect(JSON.parse((await run('index', [], { force: true, json: true })).printed)).toMatchObject({ changed: ['a.md', 'b.md'] });
  });

  test('search, entities, relations, trace, path and stats print what the tools say', async () => {
    expect((await run('search', ['orders', 'to', 'Kafka'], { limit: '1', mode: 'naive' })).printed).toContain('a.md:L');
    expect(JSON.parse((await run('search', ['orders'], { json: true, 'token-budget': '200' })).printed)).toHaveProperty('results');
    expect((await run('entities', [], { type: 'SERVICE', limit: '2' })).printed.split('\n')).toHaveLength(2);
    expect((await run('relations', ['Kafka'], { direction: 'in' })).printed).toContain('--[PRODUCES]--> Kafka');
    expect((await run('trace', ['Checkout'])).printed).toContain('Checkout → Kafka → Analytics');
    expect((await run('path', ['Checkout', 'Analytics'], { 'max-depth': '2' })).printed).toContain('Kafka --[CONSUMES]--> Analytics');
    expect((await run('path', ['C', 'Z'], { inferred: true })).printed).toContain('C --[PRODUCES]--> Z');
    expect((await run('stats')).printed).toMatch(/^Documents: 2, /);
  });

  test('merge makes two names one entity, also after a re-index', async () => {
    expect((await run('merge', ['Checkout', 'Web Shop'])).printed).toBe(
      '"Checkout" now means "Web Shop".\nNo indexed document mentions "Web Shop": "Checkout" is shown under that name.',
    );
    await run('index', [], { force: true });
    expect((await run('trace', ['Checkout'])).printed).toContain('Web Shop → Kafka');
    expect((await run('merge', ['Web Shop', 'Checkout'])).code).toBe(0);
    expect((await run('trace', ['Web Shop'])).printed).toContain('Checkout → Kafka');
    expect(await run('merge', ['alone'])).toMatchObject({ code: 1, said: 'Which names? flowrag merge <name> <into>' });
  });

  test('merge of names that are not in the index is kept for later, and the reply shows it', async () => {
    expect((await run('merge', ['Nowhere', 'Nobody'])).printed).toBe(
      '"Nowhere" now means "Nobody".\nNo indexed document mentions "Nowhere" or "Nobody" yet: the merge takes effect when one does.',
    );
    expect((await run('merge', ['Messages', 'Kafka'])).printed).toContain('mentions "Messages" yet');
    expect((await run('merge', ['Analytics', 'Kafka'])).printed).toBe('"Analytics" now means "Kafka".');
  });

  test('index of a folder that has become empty is refused in the words of the command line', async () => {
    const emptied = await testFlowrag();
    emptied.write('a.md', 'one');
    await emptied.call('flowrag_index');
    emptied.remove('a.md');
    const at = terminal();
    const index = flowragCommands.find((one) => one.name === 'index');
    expect(await index?.run({ positionals: [], values: {} }, at, emptied.services)).toBe(1);
    expect(at.said.join('')).toContain('call flowrag index with --force');
    expect(await index?.run({ positionals: [], values: { force: true } }, at, emptied.services)).toBe(0);
    await emptied.close();
  });

  test('mistakes are sentences and exit code 1', async () => {
    expect(await run('search', [])).toMatchObject({ code: 1, said: 'query must not be empty' });
    expect(await run('search', ['x'], { limit: '0' })).toMatchObject({ code: 1, said: 'limit must be from 1 to 100' });
    expect((await run('search', ['x'], { limit: 'many' })).said).toContain('expected number');
    expect((await run('search', ['x'], { mode: 'wild' })).said).toMatch(/^mode: Invalid option/);
    expect((await run('relations', ['Nobody'])).said).toBe('There is no entity "Nobody".\nflowrag entities lists what there is');
    expect((await run('path', [])).said).toBe('from must not be empty');
  });

  test('reading from a data directory that is not there makes none', async () => {
    const at = terminal();
    const stats = flowragCommands.find(({ name }) => name === 'stats');
    const configuration = { ...flowrag.services.configuration, data: '/not/there' };
    expect(await stats?.run({ positionals: [], values: {} }, at, { configuration } as FlowragServices)).toBe(1);
    expect(at.said.join('\n')).toContain('There is no index in /not/there');
  });

  test('documents without entities are not reported as an empty index', async () => {
    const plain = await testFlowrag();
    plain.write('a.md', 'Nothing but words.\n');
    await plain.call('flowrag_index');
    expect((await plain.call('flowrag_entities')).text).toBe('No entities were found in the indexed documents.');
    await plain.close();
  });

  test('a bug shows itself', async () => {
    const broken = flowragCommands.find((one) => one.name === 'stats');
    await expect(broken?.run({ positionals: [], values: {} }, terminal(), {} as never)).rejects.toThrow(TypeError);
  });

  test('eval prints a table, or says what is wrong with the questions', async () => {
    const path = join(flowrag.folder, 'questions.jsonl');
    writeFileSync(path, `${JSON.stringify({ question: 'What is published to Kafka?', gold: ['a.md'] })}\n`);
    const report = await run('eval', [path]);
    expect(report.code, report.said).toBe(0);
    expect(report.printed).toContain('hybrid');
    expect(JSON.parse((await run('eval', [path], { json: true })).printed)).toBeTypeOf('object');
    expect((await run('eval', [])).said).toContain('flowrag eval <questions.jsonl>');
    expect((await run('eval', ['/nowhere.jsonl'])).said).toBe('/nowhere.jsonl cannot be read');
  });

  test('watch misses no change from the moment it reports that it watches, until Ctrl-C', async () => {
    const at = terminal();
    const watching = run('index', [], { watch: true }, at);
    await expect.poll(() => at.said.join('')).toContain('Watching');
    flowrag.write('c.md', '# New\n\nwritten as soon as it is watched\n');
    await expect.poll(() => at.printed.join('\n'), { timeout: 15_000 }).toContain('Indexed 3 documents');
    at.stop.abort();
    expect((await watching).code).toBe(0);
  }, 30_000);

  test('watch outlives a folder that is empty for a while', async () => {
    const emptied = await testFlowrag();
    emptied.write('a.md', 'one');
    const at = terminal();
    const index = flowragCommands.find((one) => one.name === 'index');
    const watching = index?.run({ positionals: [], values: { watch: true } }, at, emptied.services);
    await expect.poll(() => at.said.join('')).toContain('Watching');
    emptied.remove('a.md');
    await expect.poll(() => at.said.join(''), { timeout: 15_000 }).toContain('Nothing was changed.');
    emptied.write('b.md', 'two');
    await expect.poll(() => at.printed.join('\n'), { timeout: 15_000 }).toContain('1 new, 0 processed again, 1 removed');
    at.stop.abort();
    expect(await watching).toBe(0);
    await emptied.close();
  }, 40_000);

  test('a run that is stopped keeps what was done', async () => {
    const at = terminal();
    const { embed } = flowrag.embedder;
    flowrag.embedder.embed = (_texts, { signal }) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const running = run('index', [], { force: true }, at);
    await expect.poll(() => at.statuses.length).toBeGreaterThan(0);
    at.stop.abort();
    expect(await running).toMatchObject({ code: 1, said: 'Stopped. Progress so far is saved.' });
    flowrag.embedder.embed = embed;
  });

  test('a run that waits for another one prints a line, once', async () => {
    const { db } = (await flowrag.services.collection()).store;
    const expires_at = Date.now() + 700;
    await db.insertInto('leases').values({ name: 'index', holder: 'elsewhere 1 x', expires_at }).execute();
    const waited = await run('index');
    expect(waited).toMatchObject({ code: 0, said: 'Waiting for another indexing run to finish' });
  });

  test('what an incomplete index advises is a command, and the documents stay as they are written', async () => {
    const half = await testFlowrag();
    half.write('a.md', 'Call flowrag_search with force: true\n');
    await half.call('flowrag_index');
    rmSync(join(half.folder, 'data/flowrag.meta.json'));
    const at = terminal();
    const search = flowragCommands.find((one) => one.name === 'search');
    await search?.run({ positionals: ['call'], values: {} }, at, half.services);
    expect(at.printed.join('\n')).toContain('did not finish, and 1 document is in it so far. Run flowrag index to continue it');
    expect(at.printed.join('\n')).toContain('> Call flowrag_search with force: true');
    await half.close();
  });

  test('the bar fits the terminal', () => {
    expect(progressBar(1, 2, 'half', { columns: 80 })).toBe(`${'█'.repeat(12)}${'░'.repeat(12)} half`);
    expect(progressBar(0, undefined, undefined, { columns: 80 })).toBe('');
    expect(progressBar(1, 2, 'x'.repeat(100), { columns: 30 })).toHaveLength(30);
  });
});
