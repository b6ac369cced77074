import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFlowrag } from '../testing/flowrag.ts';
import { scanFolder } from './scan.ts';

describe('what is indexed of a folder', () => {
  test('is what .gitignore lets through, in every folder', async () => {
    const flowrag = await testFlowrag();
    flowrag.write('.gitignore', 'drafts/\n*.log\n!keep.log\n');
    flowrag.write('a.md', 'a');
    flowrag.write('b.log', 'b');
    flowrag.write('keep.log', 'k');
    flowrag.write('drafts/c.md', 'c');
    flowrag.write('sub/.gitignore', '/only-here.md\n!b.log\n');
    flowrag.write('sub/only-here.md', 'd');
    flowrag.write('sub/b.log', 'e');
    flowrag.write('sub/deep/only-here.md', 'f');
    flowrag.write('node_modules/x/readme.md', 'g');
    flowrag.write('.git/HEAD.md', 'h');
    flowrag.write('picture.png', 'i');
    mkdirSync(join(flowrag.folder, 'docs/odd/.gitignore'), { recursive: true });
    flowrag.write('odd/j.md', 'j');
    const { files, skipped } = await scanFolder(join(flowrag.folder, 'docs'), { exclude: [] });
    expect(files.map((file) => file.path)).toEqual(['a.md', 'keep.log', 'odd/j.md', 'sub/b.log', 'sub/deep/only-here.md']);
    expect(skipped).toEqual([]);
    await flowrag.close();
  });

  test('links are not followed, huge files are not read, and both are reported', async () => {
    const flowrag = await testFlowrag();
    const docs = join(flowrag.folder, 'docs');
    writeFileSync(join(flowrag.folder, 'secret.md'), 'outside');
    symlinkSync(join(flowrag.folder, 'secret.md'), join(docs, 'link.md'));
    symlinkSync(docs, join(docs, 'cycle'));
    flowrag.write('huge.txt', '');
    truncateSync(join(docs, 'huge.txt'), 1_000_000_000);
    flowrag.write('larger.txt', '');
    truncateSync(join(docs, 'larger.txt'), 5_000_001);
    flowrag.write('a.md', 'fine');
    flowrag.write('binary.txt', Buffer.from([1, 0, 2]));
    flowrag.write('broken.pdf', 'no pdf');
    const reply = await flowrag.call('flowrag_index');
    expect(reply.text).toContain('Indexed 1 documents');
    expect(reply.text).toContain('Skipped 6 files:');
    expect(reply.text).toContain('- huge.txt: it has 1000 MB, more than the 5 MB that are read of a text file');
    expect(reply.text).toContain('- larger.txt: it has 5.1 MB, more than the 5 MB that are read');
    expect(reply.text).toContain('- link.md: it is a link');
    expect(reply.text).toContain('- cycle: it is a link');
    expect(reply.text).toContain('- binary.txt: it is a binary file');
    expect(reply.text).toContain('- broken.pdf: it is not a readable PDF');
    expect((reply.structured as { added: string[] }).added).toEqual(['a.md']);
    await flowrag.close();
  });

  test.runIf(process.platform === 'linux')('names that are not UTF-8 and pipes are skipped, and the rest is indexed', async () => {
    const flowrag = await testFlowrag();
    const named = (name: string) => Buffer.concat([Buffer.from(join(flowrag.folder, 'docs/')), Buffer.from(name, 'latin1')]);
    writeFileSync(named('caf\xe9.txt'), 'x');
    writeFileSync(named('pictur\xe9.png'), 'x');
    mkdirSync(named('\xe9t\xe9'));
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(flowrag.folder, 'docs/pipe.txt')]);
    // What the first name looks like when it is read as text.
    flowrag.write('caf\uFFFD.txt', 'fine');
    const reply = await flowrag.call('flowrag_index');
    const reason = 'its name is not valid UTF-8: rename it';
    expect(reply.structured).toMatchObject({
      added: ['caf\uFFFD.txt'],
      skipped: [
        { path: 'caf\uFFFD.txt', reason },
        { path: 'pipe.txt', reason: 'it is neither a file nor a folder' },
        { path: '\uFFFDt\uFFFD', reason },
      ],
    });
    await flowrag.close();
  });

  test('what is deleted during the scan is not there any more, and what is locked is reported', async () => {
    const flowrag = await testFlowrag();
    for (const path of ['a/a.md', 'b.md', 'c/c.md', 'd.md']) flowrag.write(path, 'text');
    const docs = join(flowrag.folder, 'docs');
    let folders = 0;
    // Asked at every folder: the second one is a/, when the names in docs have been read.
    const throwIfAborted = () => {
      if (++folders === 2) for (const path of ['b.md', 'c']) flowrag.remove(path);
    };
    const signal = Object.assign(new AbortController().signal, { throwIfAborted });
    const { files, skipped } = await scanFolder(docs, { exclude: [], signal });
    expect(files.map((file) => file.path)).toEqual(['a/a.md', 'd.md']);
    expect(skipped).toEqual([]);
    chmodSync(flowrag.folder, 0o755);
    chmodSync(join(docs, 'a'), 0o444);
    const user = process.geteuid?.() ?? 1;
    if (user === 0) process.seteuid?.(65_534);
    const locked = await scanFolder(docs, { exclude: [] }).finally(() => process.seteuid?.(user));
    chmodSync(join(docs, 'a'), 0o755);
    expect(locked.skipped).toEqual([{ path: 'a/a.md', reason: 'it cannot be read: check its permissions' }]);
    await flowrag.close();
  });

  test('a file that becomes unreadable keeps what it had contributed, and the rest of the list is cut', async () => {
    const flowrag = await testFlowrag();
    flowrag.write('a.md', 'Checkout --[USES]--> Ledger');
    await flowrag.call('flowrag_index');
    flowrag.write('a.md', Buffer.from([1, 0, 2]));
    for (let index = 0; index < 30; index++) flowrag.write(`b${index}.md`, Buffer.from([0]));
    const reply = await flowrag.call('flowrag_index');
    expect(reply.text).toContain('Indexed 1 documents');
    expect(reply.text).toContain('… and 11 more');
    expect(reply.structured).toMatchObject({ changed: [], removed: [] });
    await flowrag.close();
  });

  test('an unreadable folder and a file that disappears are reported, and the rest is indexed', async () => {
    const flowrag = await testFlowrag();
    flowrag.write('closed/a.md', 'a');
    flowrag.write('b.md', 'b');
    const docs = join(flowrag.folder, 'docs');
    chmodSync(flowrag.folder, 0o755);
    chmodSync(join(docs, 'closed'), 0);
    // Root may read everything: it steps back for a moment.
    const user = process.geteuid?.() ?? 1;
    if (user === 0) process.seteuid?.(65_534);
    const scan = await scanFolder(docs, { exclude: [] }).finally(() => process.seteuid?.(user));
    chmodSync(join(docs, 'closed'), 0o755);
    expect(scan.files.map((file) => file.path)).toEqual(['b.md']);
    expect(scan.skipped).toEqual([{ path: 'closed', reason: 'the folder cannot be read' }]);
    for (let index = 0; index < 9; index++) flowrag.write(`c${index}.md`, `c ${index}`);
    const { embed } = flowrag.embedder;
    flowrag.embedder.embed = (texts, options) => {
      flowrag.remove('closed');
      flowrag.remove('c8.md');
      return embed(texts, options);
    };
    const reply = await flowrag.call('flowrag_index');
    expect(reply.text).toContain('- c8.md: it went away while it was read');
    expect(reply.structured).toMatchObject({ documents: expect.any(Number) });
    await flowrag.close();
  });

  test('a missing folder, a file in its place and an empty folder are clear sentences', async () => {
    const missing = await testFlowrag({ config: { docs: './nowhere' } });
    expect((await missing.call('flowrag_index')).text).toContain('nowhere does not exist\nSet "docs" in flowrag.config.json');
    await missing.close();
    const file = await testFlowrag({ config: { docs: './flowrag.config.json' } });
    expect((await file.call('flowrag_index')).text).toContain('is a file, not a folder');
    await file.close();
    const looped = await testFlowrag({ config: { docs: './loop' } });
    symlinkSync('loop', join(looped.folder, 'loop'));
    expect((await looped.call('flowrag_index')).text).toContain('loop cannot be read');
    await looped.close();
    const empty = await testFlowrag();
    const reply = await empty.call('flowrag_index');
    expect(reply.text).toContain('Indexed 0 documents, 0 chunks, 0 entities, 0 relations');
    expect(reply.text).toContain('The docs folder has no documents that can be indexed.');
    await empty.close();
  });
});
