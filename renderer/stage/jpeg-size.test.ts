import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { readJpegSize } from './jpeg-size.ts';

const photo = (progressive: boolean) =>
  sharp({ create: { width: 300, height: 200, channels: 3, background: 'red' } })
    .withMetadata({ orientation: 6 })
    .jpeg({ progressive })
    .toBuffer();

const plain = () =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer();

describe('readJpegSize', () => {
  test('reads the stored size of baseline and progressive photographs, ignoring EXIF', async () => {
    expect(readJpegSize(await photo(false))).toEqual({ width: 300, height: 200 });
    expect(readJpegSize(await photo(true))).toEqual({ width: 300, height: 200 });
  });

  test('returns null for anything else', async () => {
    expect(readJpegSize(await plain())).toBeNull();
    expect(readJpegSize((await photo(false)).subarray(0, 40))).toBeNull();
    expect(readJpegSize(new Uint8Array())).toBeNull();
    expect(readJpegSize(Uint8Array.of(0xff, 0xd8, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10))).toBeNull();
  });
});
