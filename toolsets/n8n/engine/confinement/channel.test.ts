import { Duplex, PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { Channel } from './channel.ts';

function pair() {
  const [there, back] = [new PassThrough(), new PassThrough()];
  return [Duplex.from({ readable: back, writable: there }), Duplex.from({ readable: there, writable: back })] as const;
}

function channel(stream: Duplex, mostBytes?: number) {
  const messages: unknown[] = [];
  const surprise = vi.fn<(reason: string) => void>();
  const made = new Channel<unknown, unknown>(
    stream,
    {
      check(value) {
        if (value === null) throw new TypeError('null');
        return value;
      },
      message: (message) => void messages.push(message),
      surprise,
    },
    mostBytes,
  );
  return { channel: made, messages, surprise };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

test('messages arrive whole and in order, with their bytes', async () => {
  const [a, b] = pair();
  const sender = channel(a).channel;
  const { messages, surprise } = channel(b);
  const large = 'x'.repeat(300_000);
  const circle: Record<string, unknown> = { name: 'a' };
  circle.self = circle;
  for (const message of [1, { large }, { bytes: Buffer.from([0, 255]), many: [new Uint8Array([7])] }, circle, { big: 2n ** 70n }])
    expect(sender.send(message)).toBe(true);
  await settled();
  expect(messages).toEqual([
    1,
    { large },
    { bytes: Buffer.from([0, 255]), many: [Buffer.from([7])] },
    { name: 'a', self: '[Circular Reference]' },
    { big: String(2n ** 70n) },
  ]);
  expect(surprise).not.toHaveBeenCalled();
});

test('byte by byte is enough', async () => {
  const stream = new PassThrough();
  const { messages } = channel(Duplex.from({ readable: stream, writable: new PassThrough() }));
  const text = Buffer.from('{"a":1}');
  for (const byte of [0, 0, 0, text.length, ...text, 0, 0, 0, 1, 0x32]) stream.write(Buffer.from([byte]));
  await settled();
  expect(messages).toEqual([{ a: 1 }, 2]);
});

test.each([
  ['a length beyond the limit', Buffer.from([255, 255, 255, 255])],
  ['no JSON', Buffer.from([0, 0, 0, 3, 0x7b, 0x7b, 0x7b])],
  ['an empty message', Buffer.from([0, 0, 0, 0])],
  ['what the check refuses', Buffer.concat([Buffer.from([0, 0, 0, 4]), Buffer.from('null')])],
  ['deep nesting', Buffer.concat([Buffer.from([0, 3, 13, 64]), Buffer.from('['.repeat(200_000))])],
])('a surprise ends the talk: %s', async (_name, bytes) => {
  const stream = new PassThrough();
  const { messages, surprise } = channel(Duplex.from({ readable: stream, writable: new PassThrough() }));
  stream.write(bytes);
  stream.write(Buffer.from([0, 0, 0, 1, 0x31]));
  await settled();
  expect(surprise).toHaveBeenCalledOnce();
  expect(messages).toEqual([]);
});

test('what is too large is not sent, and who does not read is a surprise', () => {
  const deaf = new Duplex({ read() {}, write() {} });
  const { channel: sender, surprise } = channel(deaf, 1000);
  expect(sender.send('x'.repeat(2000))).toBe(false);
  for (let count = 0; count < 10; count++) sender.send('x'.repeat(900));
  expect(surprise).toHaveBeenCalledWith('it does not read what it is sent');
});
