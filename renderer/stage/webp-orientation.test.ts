import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { webpOrientation } from './webp-orientation.ts';

const picture = (orientation?: number) => {
  const plain = sharp({ create: { width: 6, height: 4, channels: 3, background: 'red' } });
  return orientation === undefined ? plain : plain.withMetadata({ orientation });
};

describe('webpOrientation', () => {
  it('reads what the camera noted', async () => {
    for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
      expect(webpOrientation(await picture(orientation).webp().toBuffer())).toBe(orientation);
    }
  });

  it('takes a WebP without a note, an animation, and every other file, for upright', async () => {
    expect(webpOrientation(await picture().webp().toBuffer())).toBe(1);
    expect(webpOrientation(await picture(6).jpeg().toBuffer())).toBe(1);
    const frames = await Promise.all([picture(), picture().negate()].map((frame) => frame.png().toBuffer()));
    const moving = sharp(frames, { join: { animated: true } }).withMetadata({ orientation: 6 });
    expect(webpOrientation(await moving.webp().toBuffer())).toBe(1);
    expect(webpOrientation(new Uint8Array())).toBe(1);
  });

  it('is not led astray by a file that ends early', async () => {
    const whole = await picture(6).webp().toBuffer();
    for (let length = 0; length < whole.length; length++) {
      expect([1, 6]).toContain(webpOrientation(whole.subarray(0, length)));
    }
  });
});
