import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readBody } from './body.ts';

const given = { mostBytes: 10_000, announced: Number.NaN, came: () => undefined };
const payload = () => new Readable({ read: () => undefined });

test('of a body in parts of one byte, its bytes are held and not its parts', async () => {
  const stream = payload();
  let counted = 0;
  const body = readBody(stream, { ...given, came: (bytes) => (counted += bytes) });
  const part = Buffer.alloc(1);
  for (let i = 0; i < 10_000; i++) {
    // The same memory each time: whoever keeps the part has the last byte 10,000 times.
    part[0] = i % 251;
    stream.emit('data', part);
  }
  stream.emit('end');
  expect(Buffer.from(Array.from({ length: 10_000 }, (_, i) => i % 251)).equals(await body)).toBe(true);
  expect(counted).toBe(10_000);
});

test('a body is read up to its bound, and is as long as was said', async () => {
  const refused = { code: 'FST_ERR_CTP_BODY_TOO_LARGE' };
  await expect(readBody(payload(), { ...given, announced: 10_001 })).rejects.toMatchObject(refused);
  const long = payload();
  const over = readBody(long, given);
  long.push(Buffer.alloc(10_000));
  long.push(Buffer.alloc(1));
  await expect(over).rejects.toMatchObject(refused);
  const short = payload();
  const wrong = readBody(short, { ...given, announced: 5 });
  short.push('1234');
  short.push(null);
  await expect(wrong).rejects.toMatchObject({ code: 'FST_ERR_CTP_INVALID_CONTENT_LENGTH' });
});
