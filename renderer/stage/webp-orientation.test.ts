import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { readWebpOrientation } from './webp-orientation.ts';

const picture = (orientation?: number) => {
  const plain = sharp({ create: { width: 6, height: 4, channels: 3, background: 'red' } });
  return orientation === undefined ? plain : plain.withMetadata({ orientation });
};

describe('readWebpOrientation', () => {
  test('reads the EXIF orientation', async () => {
    for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
      expect(readWebpOrientation(await picture(orientation).webp().toBuffer())).toBe(orientation);
    }
  });

  test('is upright for a WebP without EXIF, an animation, and every other file', async () => {
    expect(readWebpOrientation(await picture().webp().toBuffer())).toBe(1);
    expect(readWebpOrientation(await picture(6).jpeg().toBuffer())).toBe(1);
    const frames = await Promise.all([picture(), picture().negate()].map((frame) => frame.png().toBuffer()));
    const moving = sharp(frames, { join: { animated: true } }).withMetadata({ orientation: 6 });
    expect(readWebpOrientation(await moving.webp().toBuffer())).toBe(1);
    expect(readWebpOrientation(new Uint8Array())).toBe(1);
  });

  test('handles truncated files', async () => {
    const whole = await picture(6).webp().toBuffer();
    for (let length = 0; length < whole.length; length++) {
      expect([1, 6]).toContain(readWebpOrientation(whole.subarray(0, length)));
    }
  });
});
