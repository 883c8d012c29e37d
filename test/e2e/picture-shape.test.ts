import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { waitUntil } from '../support/wait-until.ts';
import { openRigForEach } from './stage-hooks.ts';
import { imageShowing } from './stage-rig.ts';
import type { StageRig } from './stage-rig.ts';

const PANEL = { width: 320, height: 180 };
const SAMPLES = readdirSync(resolve(import.meta.dirname, '../media')).filter((name) =>
  /\.(jpg|png|webp)$/.test(name),
);

let rig: StageRig;
openRigForEach((opened) => (rig = opened), PANEL);

const pixels = (picture: Buffer) => sharp(picture).removeAlpha().raw().toBuffer();

/** Mean difference of two pictures of panel size, 0–255. */
async function difference(one: Buffer, other: Buffer): Promise<number> {
  const [a, b] = await Promise.all([pixels(one), pixels(other)]);
  expect(a.length).toBe(b.length);
  return a.reduce((sum, value, i) => sum + Math.abs(value - (b[i] ?? 0)), 0) / a.length;
}

test.each(SAMPLES)('%s keeps its aspect ratio and orientation, with black bars beside it', async (name) => {
  const url = await rig.addSample(name);
  rig.send({ type: 'prepare', showing: imageShowing(name, url, 60_000), cut: 'when_ready' });
  const expected = await sharp(await rig.sampleBytes(name))
    .rotate()
    .resize({ ...PANEL, fit: 'contain', background: '#000' })
    .png()
    .toBuffer();
  // The start screen fades out over it first.
  const seen = await waitUntil('the picture as it is', async () => {
    const shot = await rig.page.screenshot();
    return (await difference(shot, expected)) < 4 ? shot : null;
  });
  expect(await difference(seen, expected)).toBeLessThan(4);
});
