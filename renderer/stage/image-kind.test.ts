import { Buffer } from 'node:buffer';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { isAnimated, isCutShort, jpegSize } from './image-kind.ts';

const frame = (colour: string) =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: colour } })
    .png()
    .toBuffer();
const still = async () => sharp(await frame('red'));
const moving = async () =>
  sharp([await frame('red'), await frame('blue'), await frame('green')], { join: { animated: true } });

describe('isAnimated', () => {
  it('tells moving from still GIFs and WebPs', async () => {
    expect(isAnimated(await (await moving()).gif().toBuffer())).toBe(true);
    expect(isAnimated(await (await moving()).webp().toBuffer())).toBe(true);
    expect(isAnimated(await (await still()).gif().toBuffer())).toBe(false);
    expect(isAnimated(await (await still()).webp().toBuffer())).toBe(false);
  });

  it('takes plain JPEG, PNG and AVIF for still', async () => {
    expect(isAnimated(await (await still()).jpeg().toBuffer())).toBe(false);
    expect(isAnimated(await (await still()).png().toBuffer())).toBe(false);
    expect(isAnimated(await (await still()).avif().toBuffer())).toBe(false);
  });

  it('sees the animation chunk of a PNG', async () => {
    const plain = await frame('red');
    const afterHeader = 8 + 25;
    const chunk = Buffer.alloc(20);
    chunk.writeUInt32BE(8, 0);
    chunk.write('acTL', 4, 'latin1');
    const animated = Buffer.concat([plain.subarray(0, afterHeader), chunk, plain.subarray(afterHeader)]);
    expect(isAnimated(animated)).toBe(true);
  });

  it('is not led astray by bytes that end early', () => {
    expect(isAnimated(new Uint8Array())).toBe(false);
    expect(isAnimated(Buffer.from('GIF89a'))).toBe(false);
    expect(isAnimated(Buffer.from('RIFF'))).toBe(false);
  });
});

const whole = async () => ({
  gif: await (await moving()).gif().toBuffer(),
  webp: await (await moving()).webp().toBuffer(),
  png: await frame('red'),
  avif: await (await still()).avif().toBuffer(),
});

describe('isCutShort', () => {
  it('finds nothing missing in whole files, nor in files with something behind them', async () => {
    for (const bytes of Object.values(await whole())) {
      expect(isCutShort(bytes)).toBe(false);
      expect(isCutShort(Buffer.concat([bytes, Buffer.from([0, 0, 0])]))).toBe(false);
    }
  });

  it('sees that the last bytes of the picture are missing', async () => {
    const { gif, webp, png, avif } = await whole();
    // The last mark of a GIF or PNG is not missed.
    expect(isCutShort(gif.subarray(0, -1))).toBe(false);
    expect(isCutShort(png.subarray(0, -12))).toBe(false);
    expect(isCutShort(gif.subarray(0, -3))).toBe(true);
    expect(isCutShort(png.subarray(0, -13))).toBe(true);
    expect(isCutShort(webp.subarray(0, -1))).toBe(true);
    expect(isCutShort(avif.subarray(0, -1))).toBe(true);
  });
});

const photo = (progressive: boolean) =>
  sharp({ create: { width: 300, height: 200, channels: 3, background: 'red' } })
    .withMetadata({ orientation: 6 })
    .jpeg({ progressive })
    .toBuffer();

describe('jpegSize', () => {
  it('reads the stored size of plain and progressive photographs, past what the camera noted', async () => {
    expect(jpegSize(await photo(false))).toEqual({ width: 300, height: 200 });
    expect(jpegSize(await photo(true))).toEqual({ width: 300, height: 200 });
  });

  it('knows no size of anything else', async () => {
    expect(jpegSize(await frame('red'))).toBeNull();
    expect(jpegSize((await photo(false)).subarray(0, 40))).toBeNull();
    expect(jpegSize(new Uint8Array())).toBeNull();
    expect(jpegSize(Uint8Array.of(0xff, 0xd8, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10))).toBeNull();
  });
});
