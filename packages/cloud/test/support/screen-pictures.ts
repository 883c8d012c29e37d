import sharp from 'sharp';

/** A picture of a screen: a gradient, and stripes that say which one it is. */
export async function buildPicture(which: number): Promise<Buffer> {
  const [width, height] = [640, 360];
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at++) {
    const [x, y] = [at % width, Math.floor(at / width)];
    const isStripe = Math.floor(x / 60) % (which + 2) === 0;
    pixels.fill(isStripe ? 230 : Math.floor((y / height) * 120), at * 3, at * 3 + 3);
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg()
    .toBuffer();
}

/** Black, with something small that is not. */
export const buildBlack = (): Promise<Buffer> =>
  sharp({ create: { width: 640, height: 360, channels: 3, background: '#000' } })
    .composite([
      { input: { create: { width: 16, height: 16, channels: 3, background: '#fff' } }, top: 20, left: 20 },
    ])
    .jpeg()
    .toBuffer();
