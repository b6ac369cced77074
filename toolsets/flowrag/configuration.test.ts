import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Failure } from '@millrace/kernel';
import { PROVIDERS } from '@millrace/models';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../../test/requirements.ts';
import { parseConfiguration, readConfiguration, readEnvironment } from './configuration.ts';
import { FlowragServices } from './services.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flowrag-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (path: string, value: unknown) => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), typeof value === 'string' ? value : JSON.stringify(value));
};
const read = (sources: object = {}) => readConfiguration({ workingFolder: folder, ...sources });
const parsed = (value: unknown) => parseConfiguration(JSON.stringify(value), '/x/flowrag.config.json');
const refusal = (value: unknown) => {
  try {
    parsed(value);
  } catch (error) {
    return error as Failure;
  }
  throw new Error('it was taken');
};

function services(configuration: ReturnType<typeof parsed>, environment: Record<string, string> = {}) {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const { data } = configuration;
  return new FlowragServices({
    configuration: { ...configuration, data, file: undefined },
    environment,
    modelFolders: [],
    clock: { now: () => new Date() },
    log,
  });
}

describe('the configuration file', () => {
  verifies('flowrag-config-paths', 'its paths count from the file, those of flags from the working folder', async () => {
    write('sub/flowrag.config.json', { docs: './content' });
    expect(await read({ config: 'sub/flowrag.config.json' })).toMatchObject({
      data: join(folder, 'sub/data'),
      docs: join(folder, 'sub/content'),
    });
    expect(await read({ config: 'sub/flowrag.config.json', data: './index', docs: 'texts' })).toMatchObject({
      data: join(folder, 'index'),
      docs: join(folder, 'texts'),
    });
    const none = await read({});
    expect(none.data).toBe(join(folder, 'data'));
    expect(none.docs).toBeUndefined();
    expect(none.file).toBeUndefined();
  });

  verifies('flowrag-flags', 'flags win over the file, which wins over the defaults', async () => {
    write('flowrag.config.json', { data: './from-file', docs: './file-docs' });
    expect(await read()).toMatchObject({ data: join(folder, 'from-file'), file: join(folder, 'flowrag.config.json') });
    expect(await read({ data: 'flag' })).toMatchObject({ data: join(folder, 'flag'), docs: join(folder, 'file-docs') });
    write('other.json', { data: './other' });
    expect(await read({ config: 'other.json' })).toMatchObject({ data: join(folder, 'other') });
    expect(await read({ home: join(folder, 'nowhere') })).toMatchObject({ data: join(folder, 'nowhere/data') });
  });

  verifies('flowrag-no-config-file', 'is not needed where data and docs are given', async () => {
    const configuration = await read({ data: 'd', docs: 'c' });
    expect(configuration).toMatchObject({ data: join(folder, 'd'), docs: join(folder, 'c'), transport: 'stdio', port: 3000 });
  });

  verifies('flowrag-config-types', 'entity and relation types have defaults and can be replaced', () => {
    expect(parsed({}).schema).toMatchObject({
      entityTypes: ['SERVICE', 'DATABASE', 'PROTOCOL', 'TEAM', 'CONCEPT'],
      relationTypes: ['USES', 'PRODUCES', 'CONSUMES', 'OWNS', 'DEPENDS_ON'],
    });
    expect(parsed({ schema: { entityTypes: ['PLANET'], relationTypes: ['ORBITS'] } }).schema).toMatchObject({
      entityTypes: ['PLANET'],
      relationTypes: ['ORBITS'],
    });
    expect(refusal({ schema: { entityTypes: [] } }).message).toContain('At least one entity type');
  });

  verifies('flowrag-config-custom-fields', 'custom fields are empty by default, and an enum is checked', () => {
    expect(parsed({}).schema).toMatchObject({ documentFields: {}, entityFields: {}, relationFields: {} });
    const status = { type: 'enum', values: ['active', 'deprecated'], default: 'active' };
    expect(parsed({ schema: { entityFields: { status } } }).schema.entityFields).toEqual({ status });
    expect(refusal({ schema: { entityFields: { status: { ...status, default: 'other' } } } }).message).toContain(
      'schema.entityFields.status',
    );
    expect(refusal({ schema: { documentFields: { 'not a name': status } } }).code).toBe('invalid_input');
  });

  verifies('flowrag-config-embedder', 'the embedder is local unless another is named, and its model can be named', () => {
    expect(parsed({}).embedder).toEqual({ provider: 'local' });
    for (const provider of ['local', 'gemini', 'bedrock']) {
      expect(parsed({ embedder: { provider, model: 'm' } }).embedder).toEqual({ provider, model: 'm' });
    }
    expect(refusal({ embedder: { provider: 'other' } }).details).toMatchObject({ field: 'embedder.provider', value: 'other' });
  });

  test('a model folder counts from the file', async () => {
    write('flowrag.config.json', { embedder: { model: './models/own' } });
    expect((await read()).embedder.model).toBe(join(folder, 'models/own'));
  });

  verifies('flowrag-config-extractor', 'gemini and bedrock are taken, local is refused, gemini serves where its key is', () => {
    for (const provider of ['gemini', 'bedrock'])
      expect(parsed({ extractor: { provider, model: 'm' } }).extractor).toEqual({ provider, model: 'm' });
    expect(refusal({ extractor: { provider: 'local' } }).message).toContain('the local provider has no extractor');
    expect(services(parsed({}), { GEMINI_API_KEY: 'k' }).models.extractorChoice()).toEqual({ provider: 'gemini' });
    expect(services(parsed({})).models.extractorChoice()).toEqual({ provider: 'rules' });
    expect(services(parsed({ extractor: { provider: 'rules' } }), { GEMINI_API_KEY: 'k' }).models.extractorChoice()).toEqual({
      provider: 'rules',
    });
    expect(services(parsed({ extractor: { provider: 'bedrock', model: 'm' } })).models.extractorChoice()).toEqual({
      provider: 'bedrock',
      model: 'm',
    });
  });

  test('the extractor is the one that was chosen', async () => {
    const gemini = await services(parsed({}), { GEMINI_API_KEY: 'k' }).models.extractor();
    expect(gemini).toMatchObject({ provider: 'gemini', model: 'gemini-3-flash-preview' });
    expect(await services(parsed({})).models.extractor()).toMatchObject({ provider: 'rules', model: 'rules' });
    const named = services(parsed({ extractor: { provider: 'openai', model: 'm', baseUrl: 'http://127.0.0.1:9/v1' } }));
    expect(await named.models.extractor()).toMatchObject({ provider: 'openai', model: 'm' });
  });

  verifies('flowrag-config-transport', 'stdio and port 3000 are the defaults', () => {
    expect(parsed({})).toMatchObject({ transport: 'stdio', port: 3000 });
    expect(parsed({ transport: 'http', port: 8080 })).toMatchObject({ transport: 'http', port: 8080 });
    for (const bad of [{ transport: 'pipe' }, { port: 0 }, { port: 70_000 }, { port: '80' }])
      expect(refusal(bad).code).toBe('invalid_input');
  });

  verifies('flowrag-provider-default-models', 'the provider defaults stand in one table', () => {
    expect(PROVIDERS.gemini.embedding).toMatchObject({ model: 'gemini-embedding-001', dimensions: 768 });
    expect(PROVIDERS.gemini.generation).toEqual({ model: 'gemini-3-flash-preview' });
    expect(PROVIDERS.bedrock.embedding).toMatchObject({ model: 'amazon.titan-embed-text-v2:0', dimensions: 1024 });
    expect(PROVIDERS.bedrock.generation).toEqual({ model: 'anthropic.claude-haiku-4-5-20251001-v1:0' });
  });

  verifies('flowrag-config-invalid', 'names file, field and value, and is never ignored', async () => {
    write('flowrag.config.json', '{ "data": ');
    await expect(read()).rejects.toThrow(/flowrag\.config\.json is not valid JSON/);
    write('flowrag.config.json', { dta: 'x' });
    await expect(read()).rejects.toThrow(/flowrag\.config\.json: unknown field "dta": did you mean "data"\?/);
    expect(refusal({ schema: { entitytypes: [] } }).message).toContain('unknown field "schema.entitytypes": did you mean "entityTypes"?');
    expect(refusal({ data: 3 }).details).toEqual({ file: '/x/flowrag.config.json', field: 'data', value: 3 });
    expect(refusal({ data: ['x'] }).details.value).toBe('an array');
    expect(refusal({ embedder: 'local' }).details).toMatchObject({ field: 'embedder', value: 'local' });
    expect(refusal({ docs: { a: 1 } }).details.value).toBe('an object');
    expect(refusal({ unrelated: 1 }).message).toBe('/x/flowrag.config.json: unknown field "unrelated"');
    await expect(read({ config: 'missing.json' })).rejects.toThrow(/missing\.json does not exist/);
    mkdirSync(join(folder, 'dir.json'));
    await expect(read({ config: 'dir.json' })).rejects.toThrow(/dir\.json cannot be read/);
  });

  verifies('flowrag-keys-from-environment', 'a key in the file is refused and not shown', () => {
    const failure = refusal({ embedder: { provider: 'gemini', apiKey: 'sk-very-secret' } });
    expect(failure.message).toContain('unknown field "embedder.apiKey": keys come from the environment only');
    expect(JSON.stringify([failure.message, failure.details])).not.toContain('very-secret');
  });
});

describe('the environment', () => {
  verifies('flowrag-dotenv-order', 'process first, then .env beside the configuration, then .env in the working folder', async () => {
    write('config/.env', 'A=config\nB=config\nQUOTED="with spaces"\n');
    write('work/.env', 'A=work\nB=work\nC=work\n');
    const environment = await readEnvironment({ process: { A: 'process' }, folders: [join(folder, 'config'), join(folder, 'work')] });
    expect(environment).toMatchObject({ A: 'process', B: 'config', C: 'work', QUOTED: 'with spaces' });
    expect(await readEnvironment({ process: {}, folders: [join(folder, 'none')] })).toEqual({});
  });

  verifies('flowrag-providers-lazy', 'a provider that is not used is never loaded', async () => {
    const { execFileSync } = await import('node:child_process');
    const script = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
      const { readConfiguration } = await import(${JSON.stringify(new URL('./configuration.ts', import.meta.url).href)});
      const { flowragToolset } = await import(${JSON.stringify(new URL('./toolset.ts', import.meta.url).href)});
      const log = { debug() {}, info() {}, warn() {}, error() {} };
      flowragToolset({ configuration: await readConfiguration({ workingFolder: ${JSON.stringify(folder)} }), environment: { GEMINI_API_KEY: 'k' }, modelFolders: [], clock: { now: () => new Date() }, log });
      process.stdout.write(JSON.stringify(loaded.filter((url) => /@ai-sdk|node_modules.ai.|onnxruntime|tokenizers|unpdf|mammoth|chokidar/.test(url))));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      cwd: join(import.meta.dirname, '../..'),
    });
    expect(JSON.parse(output)).toEqual([]);
  });
});
