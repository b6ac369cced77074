import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../test/harness/catalog.ts';
import { sharedPackHome } from '../../../test/harness/n8n-pack.ts';
import { PackCatalogue, PackFinder } from './catalogue.ts';
import { PackReader } from './pack/pack-reader.ts';

const home = sharedPackHome();

describe.skipIf(!home)('with the engine pack', () => {
  function reader(): PackReader {
    const opened = new PackReader({ home: home as string, log: silentLog });
    onTestFinished(() => opened.close());
    return opened;
  }

  const ids = async (query: Record<string, string>) =>
    (await new PackFinder(reader()).find({ ...query, limit: 100, offset: 0 })).nodes.map(({ id }) => id);
  const first = async (query: Record<string, string>) => (await ids(query))[0];

  test.each([
    [{ keyword: 'slack' }, 'n8n-nodes-base.slack'],
    [{ keyword: 'http request' }, 'n8n-nodes-base.httpRequest'],
    [{ keyword: 'htpp requst' }, 'n8n-nodes-base.httpRequest'],
    [{ keyword: 'googel sheets' }, 'n8n-nodes-base.googleSheets'],
    [{ keyword: 'if' }, 'n8n-nodes-base.if'],
    [{ keyword: 'loop over items' }, 'n8n-nodes-base.splitInBatches'],
    [{ keyword: 'edit fields' }, 'n8n-nodes-base.set'],
    [{ keyword: 'cron' }, 'n8n-nodes-base.scheduleTrigger'],
    [{ keyword: '@n8n/n8n-nodes-langchain.agent' }, '@n8n/n8n-nodes-langchain.agent'],
    [{ functionality: 'call an API' }, 'n8n-nodes-base.httpRequest'],
    [{ functionality: 'read rows from a spreadsheet' }, 'n8n-nodes-base.googleSheets'],
    [{ functionality: 'wait some time' }, 'n8n-nodes-base.wait'],
    [{ category: 'trigger', keyword: 'telegram' }, 'n8n-nodes-base.telegramTrigger'],
    [{ category: 'Language Models', keyword: 'anthropic' }, '@n8n/n8n-nodes-langchain.lmChatAnthropic'],
  ])('%j finds %s first', async (query, wanted) => {
    expect(await first(query as Record<string, string>)).toBe(wanted);
  });

  test('tool variants are found, after the nodes themselves', async () => {
    const found = await ids({ keyword: 'slack' });
    expect(found).toContain('n8n-nodes-base.slackTool');
    expect(found.indexOf('n8n-nodes-base.slack')).toBeLessThan(found.indexOf('n8n-nodes-base.slackTool'));
  });

  test('pages add up to the whole', async () => {
    const finder = new PackFinder(reader());
    const whole = await finder.find({ category: 'trigger', limit: 100, offset: 0 });
    const next = await finder.find({ category: 'trigger', limit: 100, offset: 100 });
    expect(whole.nodes.length + next.nodes.length).toBe(whole.count);
    expect(next.count).toBe(whole.count);
  });

  test('ports have the names that people use', async () => {
    const opened = reader();
    const catalogue = new PackCatalogue(opened);
    await catalogue.ready();
    const outputs = (type: string, parameters: Record<string, unknown> = {}, more = {}) =>
      catalogue.outputsOf({ name: 'x', type: `n8n-nodes-base.${type}`, parameters, ...more })?.map(({ name }) => name);
    expect(outputs('if')).toEqual(['true', 'false']);
    expect(outputs('splitInBatches')).toEqual(['done', 'loop']);
    expect(outputs('set', {}, { onError: 'continueErrorOutput' })).toEqual(['success', 'error']);
    const rules = { values: [{ outputKey: 'small', renameOutput: true }, {}] };
    expect(outputs('switch', { mode: 'rules', rules, options: { fallbackOutput: 'extra' } })).toEqual(['small', '1', 'Fallback']);
    const agent = catalogue.inputsOf({ name: 'a', type: '@n8n/n8n-nodes-langchain.agent', parameters: {} });
    expect(agent?.map(({ type }) => type)).toEqual(['main', 'ai_languageModel', 'ai_memory', 'ai_tool']);
    expect(catalogue.outputsOf({ name: 'x', type: 'nobody.knows' })).toBeUndefined();
  });

  test('a new node gets what the editor would save, and keeps what was given', async () => {
    const catalogue = new PackCatalogue(reader());
    await catalogue.ready();
    expect(catalogue.newestVersion('n8n-nodes-base.set')).toBeGreaterThanOrEqual(3.4);
    expect(catalogue.defaultParameters('n8n-nodes-base.httpRequest', 4.2, { url: 'http://localhost', nonsense: 1 })).toEqual({
      url: 'http://localhost',
      options: {},
      nonsense: 1,
    });
    expect(catalogue.get('n8n-nodes-base.webhook')).toMatchObject({ trigger: true, webhook: true, defaultName: 'Webhook' });
    expect(catalogue.accepts('n8n-nodes-base.httpRequest', 4.2, 'method', 'POST')).toBe(true);
    expect(catalogue.accepts('n8n-nodes-base.httpRequest', 4.2, 'method', 'FETCH')).toBe(false);
    expect(catalogue.nearest('n8n-nodes-base.slak')).toContain('n8n-nodes-base.slack');
    expect(catalogue.nearest('httpRequest')[0]).toBe('n8n-nodes-base.httpRequest');
  });
});
