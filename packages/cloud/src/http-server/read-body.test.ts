import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readBody } from './read-body.ts';

const limits = { maxBytes: 10_000, contentLength: Number.NaN, onBytes: () => undefined };
const payload = () => new Readable({ read: () => undefined });

test('a body that arrives byte by byte is copied into one buffer, without keeping its chunks', async () => {
  const stream = payload();
  let counted = 0;
  const body = readBody(stream, { ...limits, onBytes: (bytes) => (counted += bytes) });
  const part = Buffer.alloc(1);
  for (let i = 0; i < 10_000; i++) {
    // The chunk is reused: code that keeps references would read the last byte 10,000 times.
    part[0] = i % 251;
    stream.emit('data', part);
  }
  stream.emit('end');
  expect(Buffer.from(Array.from({ length: 10_000 }, (_, i) => i % 251)).equals(await body)).toBe(true);
  expect(counted).toBe(10_000);
});

test('a body must not exceed the limit and must match its content-length', async () => {
  const tooLarge = { code: 'FST_ERR_CTP_BODY_TOO_LARGE' };
  await expect(readBody(payload(), { ...limits, contentLength: 10_001 })).rejects.toMatchObject(tooLarge);
  const longPayload = payload();
  const tooLong = readBody(longPayload, limits);
  longPayload.push(Buffer.alloc(10_000));
  longPayload.push(Buffer.alloc(1));
  await expect(tooLong).rejects.toMatchObject(tooLarge);
  const shortPayload = payload();
  const mismatched = readBody(shortPayload, { ...limits, contentLength: 5 });
  shortPayload.push('1234');
  shortPayload.push(null);
  await expect(mismatched).rejects.toMatchObject({ code: 'FST_ERR_CTP_INVALID_CONTENT_LENGTH' });
});

test('a body that arrives at once is not copied, and must not be followed by more', async () => {
  const whole = payload();
  const body = readBody(whole, { ...limits, contentLength: 4 });
  const part = Buffer.from('1234');
  whole.push(part);
  whole.push(null);
  expect((await body).buffer).toBe(part.buffer);
  expect((await body).toString()).toBe('1234');

  const longer = payload();
  const mismatched = readBody(longer, { ...limits, contentLength: 4 });
  longer.push('1234');
  longer.push('5');
  longer.push(null);
  await expect(mismatched).rejects.toMatchObject({ code: 'FST_ERR_CTP_INVALID_CONTENT_LENGTH' });
});
