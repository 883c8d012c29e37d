import type { Orientation } from '@placard/protocol';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { ToStageMessage } from '@placard/protocol/stage';
import { waitUntil } from '../support/wait-until.ts';
import { openRigForEach } from './stage-hooks.ts';
import { imageShowing, isBlack, PLAIN_COLOURS, plainPicture, videoShowing } from './stage-rig.ts';
import type { FrameColour, StageRig } from './stage-rig.ts';

const { red: RED, green: GREEN } = PLAIN_COLOURS;
const BLUE = '#3040c0';
const YELLOW = '#c0b030';

let rig: StageRig;
openRigForEach((opened) => (rig = opened));

type Configure = Extract<ToStageMessage, { type: 'configure' }>;

const configure = (look: Partial<Configure>) =>
  rig.send({ type: 'configure', orientation: 'landscape', ...look });

/** Half as wide as it is high: four horizontal stripes. */
async function stripes(): Promise<string> {
  const bands = await Promise.all(
    [RED, GREEN, BLUE, YELLOW].map(async (colour, i) => ({
      input: await plainPicture('png', colour, { width: 200, height: 100 }),
      left: 0,
      top: i * 100,
    })),
  );
  const picture = sharp({ create: { width: 200, height: 400, channels: 3, background: '#000' } });
  return rig.addMedia('stripes.png', await picture.composite(bands).png().toBuffer());
}

/** Four quarters: red, green over blue, yellow. */
async function quarters(): Promise<string> {
  const parts = await Promise.all(
    [RED, GREEN, BLUE, YELLOW].map(async (colour, i) => ({
      input: await plainPicture('png', colour, { width: 160, height: 160 }),
      left: (i % 2) * 160,
      top: Math.floor(i / 2) * 160,
    })),
  );
  const picture = sharp({ create: { width: 320, height: 320, channels: 3, background: '#000' } });
  return rig.addMedia('quarters.png', await picture.composite(parts).png().toBuffer());
}

const distance = (seen: FrameColour, wanted: string) => {
  const at = (start: number) => Number.parseInt(wanted.slice(start, start + 2), 16);
  return Math.hypot(seen.red - at(1), seen.green - at(3), seen.blue - at(5));
};

/** Waits until these points of the screen have these colours. */
async function seen(what: string, points: [x: number, y: number, colour: string][]): Promise<boolean> {
  return waitUntil(what, async () => {
    const colours = await rig.coloursAt(points.map(([x, y]) => [x, y]));
    return points.every(([, , colour], i) => distance(colours[i]!, colour) < 24);
  });
}

describe('a picture of another shape than the screen', () => {
  test('is shown completely, on black, by default', async () => {
    await rig.play(imageShowing('stripes', await stripes(), null));
    // 90 wide: from 115 to 205.
    expect(
      await seen('all of it, with black beside it', [
        [122, 8, RED],
        [198, 60, GREEN],
        [122, 120, BLUE],
        [198, 172, YELLOW],
        [108, 90, '#000000'],
        [212, 90, '#000000'],
      ]),
    ).toBe(true);
  });

  test('covers the screen and is cropped', async () => {
    configure({ fit: 'cover' });
    await rig.play(imageShowing('stripes', await stripes(), null));
    expect(
      await seen('its middle, from edge to edge', [
        [8, 8, GREEN],
        [312, 80, GREEN],
        [8, 100, BLUE],
        [312, 172, BLUE],
      ]),
    ).toBe(true);
  });

  test('is stretched to the screen', async () => {
    configure({ fit: 'stretch' });
    await rig.play(imageShowing('stripes', await stripes(), null));
    expect(
      await seen('all of it, from edge to edge', [
        [8, 8, RED],
        [312, 60, GREEN],
        [8, 120, BLUE],
        [312, 172, YELLOW],
      ]),
    ).toBe(true);
  });

  test('changes its fit while it is shown', async () => {
    await rig.play(imageShowing('stripes', await stripes(), null));
    expect(await seen('black beside it', [[20, 90, '#000000']])).toBe(true);
    configure({ fit: 'stretch' });
    expect(await seen('no black', [[20, 8, RED]])).toBe(true);
  });

  test('has a blurred, darker copy of itself as background', async () => {
    configure({ background: 'blurred' });
    const red = await plainPicture('png', RED, { width: 90, height: 90 });
    await rig.play(imageShowing('red', await rig.addMedia('red.png', red), null));
    expect(
      await seen('itself, and a darker red on both sides, to the very edge', [
        [160, 90, RED],
        [75, 90, RED],
        [60, 90, '#6a1a1a'],
        [4, 4, '#6a1a1a'],
        [316, 176, '#6a1a1a'],
      ]),
    ).toBe(true);
    configure({ background: 'black' });
    expect(await seen('black beside it', [[30, 90, '#000000']])).toBe(true);
    configure({ background: 'blurred' });
    expect(await seen('its colours again', [[30, 90, '#6a1a1a']])).toBe(true);
  });

  test('with transparency is shown on black, also with a blurred background', async () => {
    configure({ background: 'blurred' });
    const clear = sharp({
      create: { width: 180, height: 180, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
    });
    const red = await plainPicture('png', RED, { width: 90, height: 180 });
    const half = await clear
      .composite([{ input: red, left: 0, top: 0 }])
      .png()
      .toBuffer();
    await rig.play(imageShowing('half', await rig.addMedia('half.png', half), null));
    expect(
      await seen('red on the left, black where it is transparent', [
        [80, 90, RED],
        [240, 90, '#000000'],
      ]),
    ).toBe(true);
  });
});

const videoBox = async () => rig.page.locator('video:visible').boundingBox();

describe('a video of another shape than the screen', () => {
  test('covers the screen', async () => {
    configure({ fit: 'cover' });
    await rig.play(videoShowing('flowers', await rig.addSample('sample-flowers-720x1280.mp4'), 60_000));
    expect(await videoBox()).toEqual({ x: 0, y: -195, width: 320, height: 570 });
    await waitUntil('colour in a corner', async () => !isBlack(await rig.colourAt(6, 6)));
  });

  test('is stretched to the screen', async () => {
    configure({ fit: 'stretch' });
    await rig.play(videoShowing('flowers', await rig.addSample('sample-flowers-720x1280.mp4'), 60_000));
    expect(await videoBox()).toEqual({ x: 0, y: 0, width: 320, height: 180 });
    await waitUntil('colour in a corner', async () => !isBlack(await rig.colourAt(6, 6)));
  });

  test('has a blurred copy of itself as background', async () => {
    await rig.play(videoShowing('flowers', await rig.addSample('sample-flowers-720x1280.mp4'), 60_000));
    await waitUntil('black beside it', async () => isBlack(await rig.colourAt(30, 90)));
    configure({ background: 'blurred' });
    expect(await waitUntil('colour beside it', async () => !isBlack(await rig.colourAt(30, 90)))).toBe(true);
    expect(
      await waitUntil('colour on the other side', async () => !isBlack(await rig.colourAt(300, 90))),
    ).toBe(true);
  });
});

describe('the whole stage', () => {
  const CLOCKWISE: [Orientation, corners: [string, string, string, string]][] = [
    ['landscape', [RED, GREEN, BLUE, YELLOW]],
    ['portrait', [BLUE, RED, YELLOW, GREEN]],
    ['landscape-flipped', [YELLOW, BLUE, GREEN, RED]],
    ['portrait-flipped', [GREEN, YELLOW, RED, BLUE]],
  ];

  test('rotates by quarter turns, whatever the fit', async () => {
    const url = await quarters();
    for (const fit of ['contain', 'cover', 'stretch'] as const) {
      configure({ fit });
      await rig.play(imageShowing(fit, url, 1));
      for (const [orientation, [topLeft, topRight, bottomLeft, bottomRight]] of CLOCKWISE) {
        configure({ orientation, fit });
        expect(
          await seen(`${orientation}, ${fit}`, [
            [82, 12, topLeft],
            [238, 12, topRight],
            [82, 168, bottomLeft],
            [238, 168, bottomRight],
          ]),
        ).toBe(true);
      }
    }
  });
});

describe('a cross-fade', () => {
  test('mixes the two pictures without the background', async () => {
    configure({ fade_ms: 3_000 });
    const red = await rig.addPlainImage('red');
    const green = await rig.addPlainImage('green');
    await rig.play(imageShowing('red', red, 300));
    expect(await seen('red', [[160, 90, RED]])).toBe(true);
    const frames = await rig.watchFrames();
    await rig.play(imageShowing('green', green, 60_000));
    expect(await seen('green', [[160, 90, GREEN]])).toBe(true);
    const colours = await frames.stop();

    // From (192, 48, 48) to (48, 160, 64): every mixture is on the line between the two.
    const offTheLine = colours.filter(({ red: r, green: g, blue: b }) => {
      const part = (192 - r) / 144;
      return Math.abs(g - (48 + 112 * part)) > 10 || Math.abs(b - (48 + 16 * part)) > 10;
    });
    expect(offTheLine).toEqual([]);
    expect(colours.some(({ red: r }) => r > 70 && r < 170)).toBe(true);
  });

  test('never darkens between pictures and videos of all shapes', async () => {
    configure({ fade_ms: 400, background: 'blurred' });
    const red = await rig.addPlainImage('red');
    const waves = await rig.addSample('sample-waves-1280x720.mp4');
    const flowers = await rig.addSample('sample-flowers-720x1280.mp4');
    await rig.play(imageShowing('first', red, 700));
    const frames = await rig.watchFrames();
    for (let round = 0; round < 2; round++) {
      await rig.play(videoShowing(`waves-${round}`, waves, 900));
      await rig.play(videoShowing(`flowers-${round}`, flowers, 900));
      await rig.play(imageShowing(`red-${round}`, red, 900));
    }
    expect((await frames.stop()).filter(isBlack)).toEqual([]);
    expect(rig.messages.filter(({ type }) => type === 'failed')).toEqual([]);
  });

  test('longer than a showing is limited to half of its duration', async () => {
    configure({ fade_ms: 5_000 });
    const red = await rig.addPlainImage('red');
    const green = await rig.addPlainImage('green');
    await rig.play(imageShowing('red', red, 400));
    for (const id of ['a', 'b']) {
      await rig.play(imageShowing(`green-${id}`, green, 400));
      await rig.play(imageShowing(`red-${id}`, red, 400));
    }
    await rig.play(imageShowing('last', green, 400));
    expect(await seen('the last one', [[160, 90, GREEN]])).toBe(true);
    const ended = rig.messagesOfType('ended');
    expect(ended.filter(({ outcome }) => outcome !== 'completed')).toEqual([]);
    expect(ended.length).toBeGreaterThanOrEqual(5);
  });
});
