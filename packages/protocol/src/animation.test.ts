import { Buffer } from 'node:buffer';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { isAnimated, isTruncated } from './animation.ts';

const frame = (colour: string) =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: colour } })
    .png()
    .toBuffer();
const still = async () => sharp(await frame('red'));
const animated = async () =>
  sharp([await frame('red'), await frame('blue'), await frame('green')], { join: { animated: true } });

describe('isAnimated', () => {
  test('distinguishes animated from still GIFs and WebPs', async () => {
    expect(isAnimated(await (await animated()).gif().toBuffer())).toBe(true);
    expect(isAnimated(await (await animated()).webp().toBuffer())).toBe(true);
    expect(isAnimated(await (await still()).gif().toBuffer())).toBe(false);
    expect(isAnimated(await (await still()).webp().toBuffer())).toBe(false);
  });

  test('treats plain JPEG, PNG and AVIF as still', async () => {
    expect(isAnimated(await (await still()).jpeg().toBuffer())).toBe(false);
    expect(isAnimated(await (await still()).png().toBuffer())).toBe(false);
    expect(isAnimated(await (await still()).avif().toBuffer())).toBe(false);
  });

  test('finds the animation chunk of a PNG', async () => {
    const plain = await frame('red');
    const afterHeader = 8 + 25;
    const chunk = Buffer.alloc(20);
    chunk.writeUInt32BE(8, 0);
    chunk.write('acTL', 4, 'latin1');
    const animated = Buffer.concat([plain.subarray(0, afterHeader), chunk, plain.subarray(afterHeader)]);
    expect(isAnimated(animated)).toBe(true);
  });

  test('handles truncated data', () => {
    expect(isAnimated(new Uint8Array())).toBe(false);
    expect(isAnimated(Buffer.from('GIF89a'))).toBe(false);
    expect(isAnimated(Buffer.from('RIFF'))).toBe(false);
  });
});

const completeFiles = async () => ({
  gif: await (await animated()).gif().toBuffer(),
  webp: await (await animated()).webp().toBuffer(),
  png: await frame('red'),
  avif: await (await still()).avif().toBuffer(),
});

describe('isTruncated', () => {
  test('is false for complete files, also with trailing data', async () => {
    for (const bytes of Object.values(await completeFiles())) {
      expect(isTruncated(bytes)).toBe(false);
      expect(isTruncated(Buffer.concat([bytes, Buffer.from([0, 0, 0])]))).toBe(false);
    }
  });

  test('is true when the last bytes of the image are missing', async () => {
    const { gif, webp, png, avif } = await completeFiles();
    // The end marker of a GIF or PNG may be missing.
    expect(isTruncated(gif.subarray(0, -1))).toBe(false);
    expect(isTruncated(png.subarray(0, -12))).toBe(false);
    expect(isTruncated(gif.subarray(0, -3))).toBe(true);
    expect(isTruncated(png.subarray(0, -13))).toBe(true);
    expect(isTruncated(webp.subarray(0, -1))).toBe(true);
    expect(isTruncated(avif.subarray(0, -1))).toBe(true);
  });
});
