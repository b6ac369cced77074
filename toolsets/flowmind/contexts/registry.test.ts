import { mkdir, mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Context } from '@millrace/kernel';
import { migrate, openSqlite, SqliteStore } from '@millrace/storage';
import { expect, onTestFinished, test } from 'vitest';
import { type ContextTables, contextMigrations } from '../migrations.ts';
import { Registry, type RegistryOptions } from './registry.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

async function folder(files: Record<string, string>): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'millrace-contexts-'));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) await write(place, path, text);
  return place;
}

async function write(place: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(place, path)), { recursive: true });
  await writeFile(join(place, path), text);
}

async function store() {
  const made = new SqliteStore<ContextTables>(openSqlite({ path: ':memory:', synchronous: 'NORMAL' }));
  await migrate(made, contextMigrations, new Date());
  return made;
}

async function registry(options: Partial<RegistryOptions>) {
  const made = new Registry({
    folders: [],
    library: undefined,
    published: async () => [],
    store: options.store ?? (await store()),
    clock: { now: () => new Date() },
    log: QUIET,
    watch: false,
    ...options,
  });
  onTestFinished(() => made.close());
  return made;
}

const step = (id: string, name = id) =>
  `metadata: { type: workflow, id: ${id}, name: ${name}, description: Does ${name} }\nflow:\n  - step: Do it\n    instruction: Do it\n`;
const uris = async (contexts: { shared(): Promise<{ uri: string }[]> }) => (await contexts.shared()).map((context) => context.uri);

test('a broken file is reported with its line and column, and the others load', async () => {
  const place = await folder({
    'good.yaml': step('good'),
    'broken.yaml': 'metadata:\n  id: broken\n  name: [unclosed\nflow: []\n',
    'cyclic.yaml': 'metadata: &a\n  id: cyclic\n  self: *a\n',
    'notes.txt': 'not a context',
  });
  const contexts = await registry({ folders: [place] });
  expect(await uris(contexts)).toEqual(['workflow://good']);
  const issues = await contexts.issues();
  expect(new Set(issues.map((issue) => issue.file))).toEqual(new Set([join(place, 'broken.yaml'), join(place, 'cyclic.yaml')]));
  for (const issue of issues) expect(issue).toMatchObject({ severity: 'error', line: expect.any(Number), column: expect.any(Number) });
  expect(issues.find((issue) => issue.file.endsWith('broken.yaml'))?.line).toBeGreaterThan(1);
});

test('the workspace replaces the library, an earlier folder a later one; a second file with the same URI is reported', async () => {
  const library = await folder({ 'a.yaml': step('a', 'Library'), 'b.yaml': step('b', 'Library') });
  const first = await folder({ 'a.yaml': step('a', 'Mine'), 'z/a-again.yaml': step('a', 'Again') });
  const contexts = await registry({ folders: [first], library });
  const names = Object.fromEntries((await contexts.shared()).map((context) => [context.uri, context.name]));
  expect(names).toEqual({ 'workflow://a': 'Mine', 'workflow://b': 'Library' });
  expect((await contexts.issues()).map((issue) => [issue.file, issue.severity])).toEqual([[join(first, 'z/a-again.yaml'), 'error']]);
  expect(await uris(await registry({ folders: [first], library: undefined }))).toEqual(['workflow://a']);
});

test('a file that is added, changed or removed is seen, and told', async () => {
  const place = await folder({ 'one.yaml': step('one') });
  const contexts = await registry({ folders: [place] });
  const told: string[][] = [];
  await contexts.shared();
  contexts.onChange((changed) => told.push(changed));
  await write(place, 'two.yaml', step('two'));
  await contexts.refresh();
  expect(await uris(contexts)).toEqual(['workflow://one', 'workflow://two']);
  await write(place, 'one.yaml', step('one', 'Renamed'));
  await contexts.refresh();
  expect((await contexts.get('workflow://one', 'owner'))?.name).toBe('Renamed');
  await unlink(join(place, 'two.yaml'));
  await contexts.refresh();
  expect(told).toEqual([['workflow://two'], ['workflow://one'], ['workflow://two']]);
});

test('a watched folder is read again by itself', async () => {
  const place = await folder({ 'one.yaml': step('one') });
  const contexts = await registry({ folders: [place], watch: true });
  await contexts.shared();
  await write(place, 'two.yaml', step('two'));
  await expect.poll(() => uris(contexts), { timeout: 10_000 }).toContain('workflow://two');
});

test('an unchanged file is not parsed again, after a restart neither', async () => {
  const kept = await store();
  const place = await folder({ 'one.yaml': step('one') });
  await (await registry({ folders: [place], store: kept })).shared();
  const row = await kept.db.selectFrom('flowmind_parsed_files').selectAll().executeTakeFirstOrThrow();
  await kept.db
    .updateTable('flowmind_parsed_files')
    .set({ parsed: row.parsed.replace('"name":"one"', '"name":"Remembered"') })
    .execute();
  const again = await registry({ folders: [place], store: kept });
  const [context] = await again.shared();
  expect(context).toMatchObject({ name: 'Remembered', updatedAt: expect.any(Date) });
  expect((await (await registry({ folders: [place], store: kept, version: '2' })).shared())[0]?.name).toBe('one');
});

const PLACE = '$'.concat('{the form}');

test('an Agent Skill is a context: its front matter is how it is found, its body what is done', async () => {
  const skill =
    '---\nname: PDF Filler\ndescription: Fills in PDF forms\nexamples:\n  - fill in this form\n---\n# How\nUse PLACE and {{braces}} as they are.\n'.replace(
      'PLACE',
      () => PLACE,
    );
  const place = await folder({ 'skills/pdf-filler/SKILL.md': skill });
  const [context] = await (await registry({ folders: [place] })).shared();
  expect(context).toMatchObject({
    uri: 'pattern://pdf-filler',
    type: 'pattern',
    name: 'PDF Filler',
    description: 'Fills in PDF forms',
    examples: ['fill in this form'],
    source: { kind: 'skill', path: join(place, 'skills/pdf-filler/SKILL.md') },
  });
  const [first] = context?.flow ?? [];
  expect(first?.kind === 'step' && first.instruction).toEqual([`# How\nUse ${PLACE} and { {braces}} as they are.`]);
});

const published = (uri: string): Context => ({
  uri,
  type: 'tool',
  name: uri,
  description: 'Does something',
  tags: [],
  complexity: 'simple',
  examples: [],
  variables: { required: [], optional: [] },
  action: { tool: 'x', parameters: {} },
});

test('what toolsets publish is there, FlowMind’s own tools are not, and a toolset that fails takes nothing down', async () => {
  let answer: () => Promise<Context[]> = async () => [published('tool://todo/create-todo'), published('tool://flowmind/field-request')];
  let now = Date.now();
  const contexts = await registry({ published: () => answer(), clock: { now: () => new Date(now) } });
  expect(await uris(contexts)).toEqual(['tool://todo/create-todo']);
  answer = async () => {
    throw new Error('out of reach');
  };
  now += 60_000;
  expect(await uris(contexts)).toEqual(['tool://todo/create-todo']);
  answer = async () => [published('tool://todo/delete-todo')];
  expect((await contexts.get('tool://todo/delete-todo', 'owner'))?.uri).toBe('tool://todo/delete-todo');
});

test('the nearest URIs are found for one that names nothing', async () => {
  const place = await folder({ 'a.yaml': step('incident-response'), 'b.yaml': step('code-review') });
  const contexts = await registry({ folders: [place] });
  expect(await contexts.nearest('workflow://incident-respons', 'owner')).toEqual(['workflow://incident-response']);
  expect(await contexts.nearest('agent://code-reveiw', 'owner')).toEqual(['workflow://code-review']);
});
