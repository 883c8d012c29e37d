import sharp from 'sharp';
import { expect, test } from 'vitest';
import { jpegSize } from './jpeg-size.ts';

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'teal' } });

test.each([false, true])('the size is read from the header (progressive: %s)', async (progressive) => {
  const bytes = await picture(960, 540)
    .withExif({ IFD0: { Copyright: 'Shop' } })
    .jpeg({ progressive })
    .toBuffer();
  expect(jpegSize(bytes)).toEqual({ width: 960, height: 540 });
});

test('what is no picture, or is cut before its size, has none', async () => {
  const bytes = await picture(20, 10).jpeg().toBuffer();
  expect(jpegSize(Buffer.from([0xff, 0xd8, 0xff, 0xd9]))).toBeNull();
  expect(jpegSize(bytes.subarray(0, 100))).toBeNull();
  expect(jpegSize(Buffer.alloc(100_000, 0xff))).toBeNull();
});
