import { describe, expect, test } from 'vitest';
import { docxFile, pdfFile, zipFile } from '../../../test/harness/office-files.ts';
import { kindOf } from './file-kinds.ts';
import { parseDocument } from './parse.ts';

const parse = (path: string, content: string | Buffer) =>
  parseDocument(path, Buffer.from(content as string), kindOf(path) ?? { format: 'text' });

describe('what a file is', () => {
  test.each([
    ['README.md', { format: 'markdown' }],
    ['notes/a.TXT', { format: 'text' }],
    ['page.htm', { format: 'html' }],
    ['api.yml', { format: 'yaml' }],
    ['src/a.ts', { format: 'code', language: 'typescript' }],
    ['Dockerfile', { format: 'code', language: 'dockerfile' }],
    ['Dockerfile.dev', { format: 'code', language: 'dockerfile' }],
    ['.github/CODEOWNERS', { format: 'text' }],
    ['picture.png', undefined],
    ['archive.tar.gz', undefined],
  ])('%s', (path, kind) => {
    expect(kindOf(path)).toEqual(kind);
  });
});

describe('Markdown', () => {
  test('has sections below headings and blocks with their lines', async () => {
    const document = await parse(
      'a.md',
      [
        'Before.',
        '',
        '# Title `code` ##',
        '',
        'A paragraph',
        'of two lines.',
        '',
        '- one',
        '  more of it',
        '',
        '- two',
        '',
        'Setext',
        '------',
        '| a | b |',
        '|---|---|',
        '| 1 | 2 |',
        '> quoted',
        '```mermaid',
        '# not a heading',
        '```',
        'Top',
        '===',
        'end',
        'Under',
        '-----',
        '```js',
        'unclosed',
      ].join('\n'),
    );
    expect(document.title).toBe('Title code');
    expect(document.sections.map(({ headings, startLine, endLine }) => [headings, startLine, endLine])).toEqual([
      [[], 1, 2],
      [['Title code'], 3, 12],
      [['Title code', 'Setext'], 13, 21],
      [['Top'], 22, 24],
      [['Top', 'Under'], 25, 28],
    ]);
    const blocks = document.sections.flatMap((section) =>
      section.blocks.map(({ kind, startLine, endLine }) => `${kind} ${startLine}-${endLine}`),
    );
    expect(blocks).toEqual([
      'paragraph 1-1',
      'paragraph 5-6',
      'list 8-11',
      'table 15-17',
      'quote 18-18',
      'code 19-21',
      'paragraph 24-24',
      'code 27-28',
    ]);
    expect(document.sections[2]?.blocks[2]).toMatchObject({ language: 'mermaid' });
  });

  test('reads front matter, and leaves what is none alone', async () => {
    const document = await parse('a.md', '---\ntitle: From the front\nstatus: active\n---\n# Heading\n\ntext\n');
    expect(document).toMatchObject({ title: 'From the front', frontMatter: { title: 'From the front', status: 'active' } });
    expect(document.sections[0]).toMatchObject({ headings: ['Heading'], startLine: 5 });
    expect((await parse('a.md', '---\nstatus: x\n...\n# Heading\n')).title).toBe('Heading');
    expect((await parse('b-file.md', '---\njust a rule\n---\ntext\n')).frontMatter).toEqual({});
    expect((await parse('b-file.md', '---\n: : bad [yaml\n---\ntext\n')).title).toBe('b file');
    expect((await parse('b.md', '---\nnever closed\n')).frontMatter).toEqual({});
  });
});

describe('plain text', () => {
  test('takes a short first line as its title', async () => {
    expect((await parse('a.txt', '\nApollo 11\n\nThe mission landed.\n')).title).toBe('Apollo 11');
    expect((await parse('some_file.txt', 'A whole sentence.\n\nAnother.\n')).title).toBe('some file');
    expect((await parse('x.txt', 'alone')).title).toBe('x');
    expect((await parse('...txt', '')).title).toBe('..');
  });

  test('reads UTF-16, and takes what is not UTF-8 for windows-1252, in every text format; refuses binary files', async () => {
    for (const path of ['a.txt', 'a.md', 'a.html', 'a.json', 'a.yaml', 'a.ts'])
      expect((await parse(path, Buffer.from('caf\xe9 \x80 5', 'latin1'))).text).toBe('café € 5');
    expect((await parse('a.txt', Buffer.from('\uFEFFcafé \uFFFD'))).text).toBe('café \uFFFD');
    expect((await parse('a.txt', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('hé', 'utf16le')]))).text).toBe('hé');
    expect((await parse('a.txt', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from('hi', 'utf16le').swap16()]))).text).toBe('hi');
    await expect(parse('a.txt', Buffer.from([0x61, 0, 0x62]))).rejects.toThrow('it is a binary file');
    expect((await parse('a.txt', 'one\r\ntwo\rthree')).sections[0]?.blocks[0]).toMatchObject({ startLine: 1, endLine: 3 });
  });
});

describe('HTML', () => {
  test('keeps the lines of the file', async () => {
    const document = await parse(
      'a.html',
      '<html><head><title>The\n title</title><script>x()</script></head>\n<body>\n<nav>menu</nav>\n<h1>Top</h1>\n<p>First <b>bold</b>\nline.</p>\n<ul><li>one</li>\n<li>two</li></ul>\n<table><tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>2</td></tr></table>\n<blockquote>said</blockquote><!-- note -->\n</body></html>',
    );
    expect(document.title).toBe('The title');
    const lines = document.text.split('\n');
    expect(lines[4]).toBe('# Top');
    expect(lines[5]).toBe('First bold');
    expect(lines[6]).toBe('line.');
    expect(lines[7]).toBe('- one');
    expect(lines[8]).toBe('- two');
    expect(lines[9]).toBe('| a | b |');
    expect(lines[10]).toBe('| 1 | 2 |');
    expect(lines[11]).toBe('> said');
    expect(document.text).not.toContain('menu');
    expect(document.sections[0]?.headings).toEqual(['Top']);
  });

  test('makes lines of its own where the file has none', async () => {
    const paragraph = `<p>${'word '.repeat(200)}</p>`;
    const document = await parse('a.html', `<h1>Top</h1>${paragraph}<h2>Sub</h2>${paragraph}<p>a <i>b</i> c</p>`);
    expect(document.title).toBe('Top');
    expect(document.sections.map((section) => section.headings)).toEqual([['Top'], ['Top', 'Sub']]);
    expect(document.text).toContain('a b c');
  });
});

describe('PDF and Word', () => {
  test('a page of a PDF is a section', async () => {
    const document = await parse('report.pdf', pdfFile(['Orders go to Kafka', 'Second page']));
    expect(document.sections.map((section) => section.headings)).toEqual([['Page 1'], ['Page 2']]);
    expect(document.text).toContain('Orders go to Kafka');
    expect(document.title).toBe('report');
  });

  test('an encrypted or broken PDF is reported', async () => {
    await expect(parse('a.pdf', pdfFile(['secret'], true))).rejects.toThrow('it is encrypted: it needs a password');
    await expect(parse('a.pdf', 'no pdf at all')).rejects.toThrow('it is not a readable PDF');
  });

  test('a Word document has its headings', async () => {
    const document = await parse('a.docx', docxFile([{ text: 'Design', style: 'Heading1' }, { text: 'Orders go to Kafka.' }]));
    expect(document.title).toBe('Design');
    expect(document.text).toContain('Orders go to Kafka.');
  });

  test('an encrypted, broken or exploding Word document is reported', async () => {
    await expect(parse('a.docx', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 0]))).rejects.toThrow('it is encrypted');
    await expect(parse('a.docx', 'no zip')).rejects.toThrow('it is not a readable Word document');
    await expect(parse('a.docx', zipFile({ bomb: 'x' }, 4_000_000_000))).rejects.toThrow('it would unpack to more than 200 MB');
  });
});

describe('data and code', () => {
  test('each top-level entry of YAML and JSON is a block', async () => {
    const yaml = await parse('compose.yml', 'name: shop\nservices:\n  web:\n    image: nginx\n# note\nvolumes:\n  - x\n');
    expect(yaml.title).toBe('shop (compose.yml)');
    expect(yaml.sections[0]?.blocks.map(({ startLine, endLine }) => [startLine, endLine])).toEqual([
      [1, 1],
      [2, 5],
      [6, 8],
    ]);
    const json = await parse('openapi.json', '{\n  "info": { "title": "Orders API" },\n  "paths": {}\n}\n');
    expect(json.title).toBe('Orders API (openapi.json)');
    expect((await parse('k.yaml', 'metadata:\n  name: pod\n')).title).toBe('pod (k.yaml)');
    expect((await parse('list.json', '[1, 2]')).title).toBe('list.json');
  });

  test('code is cut between empty lines', async () => {
    const code = await parse('src/a.py', 'def a():\n  pass\n\n\ndef b():\n  pass\n');
    expect(code).toMatchObject({ format: 'code', language: 'python', title: 'a' });
    expect(code.sections[0]?.blocks).toHaveLength(2);
  });
});
