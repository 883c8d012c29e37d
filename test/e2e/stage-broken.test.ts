import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { StageShowing } from '@placard/protocol/stage';
import { waitUntil } from '../support/wait-until.ts';
import { openRigForEach } from './stage-hooks.ts';
import { blinkingPicture, imageShowing, isBlack, isRed, plainPicture, videoShowing } from './stage-rig.ts';
import type { MessageOfType, StageRig } from './stage-rig.ts';

let rig: StageRig;
openRigForEach((opened) => (rig = opened));

/** Small files of types that the player does not support. */
const addBroken = async (name: string) =>
  rig.addMedia(name, await readFile(resolve(import.meta.dirname, 'broken', name)));

async function failureOf(showing: StageShowing): Promise<MessageOfType<'failed'>> {
  rig.send({ type: 'prepare', showing, cut: 'after_current' });
  return waitUntil(`the failure of ${showing.id}`, () => rig.messagesOfType('failed', showing.id)[0], 60_000);
}

const firstPart = (whole: Buffer, part: number) => whole.subarray(0, Math.floor(whole.length * part));
const firstQuarter = (whole: Buffer) => firstPart(whole, 0.25);
const emptiedInTheMiddle = (whole: Buffer) =>
  Buffer.from(whole).fill(0, Math.floor(whole.length * 0.25), Math.floor(whole.length * 0.7));

describe('broken media', () => {
  test('is reported with a reason, and the picture on the stage stays', async () => {
    await rig.play(imageShowing('red', await rig.addPlainImage('red'), 120_000));
    const sample = await rig.sampleBytes('sample-waves-1280x720.mp4');
    const jpeg = await rig.sampleBytes('sample-morning-1920x1080.jpg');
    await waitUntil('only red', async () => isRed(await rig.middleColour()));
    const noise = Buffer.from('this is neither a picture nor a video'.repeat(20));

    const frames = await rig.watchFrames();
    const missing = `/media/${'0'.repeat(64)}`;
    expect(await failureOf(imageShowing('no-image', missing, 1_000))).toMatchObject({ reason: 'not_found' });
    expect(await failureOf(videoShowing('no-video', missing))).toMatchObject({ reason: 'not_found' });

    const empty = await rig.addMedia('empty.bin', Buffer.alloc(0));
    expect(await failureOf(imageShowing('empty-image', empty, 1_000))).toMatchObject({
      reason: 'decode_failed',
      detail: 'the file is empty',
    });
    expect(await failureOf(videoShowing('empty-video', empty))).toMatchObject({
      reason: 'decode_failed',
      detail: 'the file is empty',
    });

    const text = await rig.addMedia('noise.jpg', noise);
    expect(await failureOf(imageShowing('noise-image', text, 1_000))).toMatchObject({
      reason: 'decode_failed',
    });
    const textVideo = await rig.addMedia('noise.mp4', noise);
    expect((await failureOf(videoShowing('noise-video', textVideo))).reason).toMatch(
      /decode_failed|unsupported/,
    );

    const headOnly = await rig.addMedia('head.jpg', jpeg.subarray(0, 120));
    expect(await failureOf(imageShowing('head-image', headOnly, 1_000))).toMatchObject({
      reason: 'decode_failed',
    });
    const halfPhoto = await rig.addMedia('half.jpg', jpeg.subarray(0, Math.floor(jpeg.length / 2)));
    expect(await failureOf(imageShowing('half-image', halfPhoto, 1_000))).toMatchObject({
      reason: 'decode_failed',
    });
    const halfVideo = await rig.addMedia('head.mp4', sample.subarray(0, 600));
    expect((await failureOf(videoShowing('head-video', halfVideo))).reason).toMatch(
      /decode_failed|unsupported/,
    );

    expect((await frames.stop()).every(isRed)).toBe(true);
    expect(isRed(await rig.middleColour())).toBe(true);
  });

  test.each([
    ['an MP4 that ends early', 'sample-waves-1280x720.mp4', firstQuarter],
    ['a WebM that ends early', 'sample-lights-1280x720.webm', firstQuarter],
    ['an MP4 that is damaged in the middle', 'sample-flowers-720x1280.mp4', emptiedInTheMiddle],
    ['a WebM that is damaged in the middle', 'sample-lights-1280x720.webm', emptiedInTheMiddle],
  ])('%s is told as failed, and the next item follows at once', async (_what, name, damage) => {
    const broken = await rig.addMedia(name, damage(await rig.sampleBytes(name)));
    await rig.play(videoShowing('broken', broken));
    const frames = await rig.watchFrames();
    await rig.play(imageShowing('green', await rig.addPlainImage('green'), null));
    expect(rig.messagesOfType('ended', 'broken')).toMatchObject([
      { outcome: 'failed', reason: expect.stringContaining('decode_failed') },
    ]);
    expect((await frames.stop()).filter(isBlack)).toEqual([]);
  });

  test('is reported when it is a truncated picture, in any format', async () => {
    const picture = sharp(await rig.sampleBytes('sample-morning-1920x1080.jpg')).resize(480);
    for (const format of ['jpeg', 'png', 'webp', 'gif', 'avif'] as const) {
      const half = await rig.addMedia(
        `half.${format}`,
        firstPart(await picture.toFormat(format).toBuffer(), 0.5),
      );
      expect(await failureOf(imageShowing(format, half, 1_000))).toMatchObject({ reason: 'decode_failed' });
    }
  });

  test.each(['gif', 'webp'] as const)('is reported when it is a truncated animated %s', async (format) => {
    const whole = await blinkingPicture(format);
    const half = await rig.addMedia(`half.${format}`, firstPart(whole, 0.6));
    expect(await failureOf(imageShowing('half', half, 1_000))).toMatchObject({
      reason: 'decode_failed',
      detail: 'the file is truncated',
    });
  });
});

describe('a video in a format that this browser does not support', () => {
  test.each(['hevc.mp4', 'hevc-with-sound.mp4', 'mpeg4.mp4', 'prores.mov', 'sound-only.mp4'])(
    '%s is reported as unsupported, and the picture on the stage stays',
    async (name) => {
      await rig.play(imageShowing('red', await rig.addPlainImage('red'), 120_000));
      await waitUntil('only red', async () => isRed(await rig.middleColour()));
      const frames = await rig.watchFrames();
      expect(await failureOf(videoShowing(name, await addBroken(name)))).toMatchObject({
        reason: 'unsupported',
      });
      expect((await frames.stop()).every(isRed)).toBe(true);
    },
  );
});

describe('a file of the wrong kind', () => {
  test('is reported, whatever its declared type', async () => {
    const waves = await rig.addSample('sample-waves-1280x720.mp4');
    const photo = await rig.addSample('sample-morning-1920x1080.jpg');
    expect(await failureOf(imageShowing('video-as-image', waves, 1_000))).toMatchObject({
      reason: 'decode_failed',
    });
    expect((await failureOf(videoShowing('image-as-video', photo))).reason).toMatch(
      /decode_failed|unsupported/,
    );
  });
});

describe('while the next item is ready', () => {
  test('a video that breaks is replaced by it, without a black frame and without a retry', async () => {
    const sample = await rig.sampleBytes('sample-waves-1280x720.mp4');
    const cutShort = await rig.addMedia('short.mp4', sample.subarray(0, Math.floor(sample.length / 2)));
    const green = await rig.addPlainImage('green');
    await rig.play(videoShowing('short', cutShort));
    rig.send({ type: 'prepare', showing: imageShowing('green', green, null), cut: 'after_current' });
    await waitUntil('green ready', () => rig.messagesOfType('ready', 'green').length > 0);
    const frames = await rig.watchFrames();
    await waitUntil('green on the screen', () => rig.messagesOfType('started', 'green').length > 0);
    expect(rig.messagesOfType('ended', 'short')[0]).toMatchObject({ outcome: 'failed' });
    expect((await frames.stop()).filter(isBlack)).toEqual([]);
  });

  test('a video whose download stalls in the middle is replaced by it', async () => {
    const { bytes, headBytes } = withDistantTail(await rig.sampleBytes('sample-waves-1280x720.mp4'));
    const waves = await rig.addMedia('distant.mp4', bytes);
    const green = await rig.addPlainImage('green');
    rig.stopSendingAfter(waves, headBytes);
    await rig.play(videoShowing('waves', waves));
    rig.send({ type: 'prepare', showing: imageShowing('green', green, null), cut: 'after_current' });
    await waitUntil('green ready', () => rig.messagesOfType('ready', 'green').length > 0);
    const frames = await rig.watchFrames();
    await waitUntil('green on the screen', () => rig.messagesOfType('started', 'green').length > 0, 60_000);
    expect(rig.messagesOfType('ended', 'waves')[0]).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('stalled'),
    });
    expect((await frames.stop()).filter(isBlack)).toEqual([]);
  });
});

test('gives up on a file that never arrives, and can show another one', async () => {
  const red = await rig.addPlainImage('red');
  const waves = await rig.addSample('sample-waves-1280x720.mp4');
  await rig.play(imageShowing('red', red, 120_000));
  rig.stopSendingAfter(waves, 0);
  expect(await failureOf(videoShowing('silent', waves))).toMatchObject({ reason: 'timeout' });
  rig.send({
    type: 'prepare',
    showing: imageShowing('green', await rig.addPlainImage('green'), null),
    cut: 'when_ready',
  });
  await waitUntil('green on the screen', () => rig.messagesOfType('started', 'green').length > 0);
});

describe('a picture that is hard to show', () => {
  test('of 12,000 pixels is scaled down during decoding, and upright', async () => {
    // Stored rotated: red above green becomes green on the left, red on the right.
    const photo = await sharp({
      create: { width: 1_000, height: 12_000, channels: 3, background: '#c03030' },
    })
      .composite([
        {
          input: await plainPicture('png', '#30a040', { width: 1_000, height: 6_000 }),
          left: 0,
          top: 6_000,
        },
      ])
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    // The fallback, which decodes at full size.
    await rig.page.evaluate('window.createImageBitmap = () => Promise.reject(new Error("too big"))');
    await rig.play(imageShowing('photo', await rig.addMedia('photo.jpg', photo), null));
    expect(await waitUntil('red on the right', async () => isRed(await rig.colourAt(220, 90)))).toBe(true);
    const { red, green } = await rig.colourAt(100, 90);
    expect(green).toBeGreaterThan(2 * red);
  });

  test('moves when it is an animated WebP', async () => {
    const moving = await blinkingPicture('webp');
    await rig.play(imageShowing('moving', await rig.addMedia('moving.webp', moving), null));
    expect(await waitUntil('its first colour', async () => isRed(await rig.middleColour()))).toBe(true);
    expect(await waitUntil('its second colour', async () => !isRed(await rig.middleColour()))).toBe(true);
  });
});

const DISTANCE = 60 * 1024 * 1024;

/**
 * The same MP4 with its last second far away from the rest, so that a browser starts to play before it requests the end.
 * `headBytes`: the size of the first part, and a little of the gap.
 */
function withDistantTail(mp4: Buffer): { bytes: Buffer; headBytes: number } {
  const tables: { at: number; count: number }[] = [];
  for (let at = mp4.indexOf('stco'); at >= 0; at = mp4.indexOf('stco', at + 4)) {
    tables.push({ at: at + 12, count: mp4.readUInt32BE(at + 8) });
  }
  const offsets = tables.flatMap(({ at, count }) =>
    Array.from({ length: count }, (_, i) => mp4.readUInt32BE(at + 4 * i)),
  );
  const sorted = offsets.toSorted((a, b) => a - b);
  const split = sorted[Math.floor(sorted.length * 0.85)]!;
  const moved = Buffer.from(mp4);
  for (const { at, count } of tables) {
    for (let i = 0; i < count; i++) {
      const offset = mp4.readUInt32BE(at + 4 * i);
      if (offset >= split) {
        moved.writeUInt32BE(offset + DISTANCE, at + 4 * i);
      }
    }
  }
  const mdat = mp4.indexOf('mdat') - 4;
  moved.writeUInt32BE(mp4.readUInt32BE(mdat) + DISTANCE, mdat);
  const bytes = Buffer.concat([moved.subarray(0, split), Buffer.alloc(DISTANCE), moved.subarray(split)]);
  return { bytes, headBytes: split + 20 * 1024 * 1024 };
}
