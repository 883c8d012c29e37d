import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { VIDEO_CLASSES } from '@placard/protocol/stage';
import type { VideoClass } from '@placard/protocol/stage';
import { waitUntil } from '../support/wait-until.ts';
import { openRigForEach } from './stage-hooks.ts';
import {
  blinkingPicture,
  imageShowing,
  isBlack,
  isGreen,
  isRed,
  plainPicture,
  videoShowing,
} from './stage-rig.ts';
import type { StageRig } from './stage-rig.ts';

// What depends on how fast the page is: `stage.test.ts`.

let rig: StageRig;
openRigForEach((opened) => (rig = opened));

const COUNT_PAGES = 'document.querySelectorAll("iframe, #frame").length';

describe('on command the stage', () => {
  test('cuts immediately on command, and reports the interruption', async () => {
    await rig.play(imageShowing('red', await rig.addPlainImage('red'), 60_000));
    rig.send({
      type: 'prepare',
      showing: imageShowing('green', await rig.addPlainImage('green'), null),
      cut: 'on_command',
    });
    await waitUntil('ready', () => rig.messagesOfType('ready', 'green').length > 0);
    await waitUntil('still red', async () => isRed(await rig.middleColour()));
    rig.send({ type: 'cut', showing_id: 'green' });
    await waitUntil('the cut', () => rig.messagesOfType('started', 'green').length > 0);
    await waitUntil('green', async () => isGreen(await rig.middleColour()));
    expect(rig.messagesOfType('ended', 'red')[0]).toMatchObject({ outcome: 'interrupted' });
  });

  test('clears the stage on command', async () => {
    await rig.play(imageShowing('red', await rig.addPlainImage('red'), 60_000));
    rig.send({ type: 'clear' });
    await waitUntil('the end', () => rig.messagesOfType('ended', 'red').length > 0);
    expect(rig.messagesOfType('ended', 'red')[0]).toMatchObject({ outcome: 'interrupted' });
    await waitUntil('nothing red', async () => !isRed(await rig.middleColour()));
  });

  test('rotates the whole stage', async () => {
    const half = await rig.addMedia('half.png', await halfRedHalfGreen());
    await rig.play(imageShowing('half', half, null));
    const atTheTop = () => rig.colourAt(160, 20);
    rig.send({ type: 'configure', orientation: 'portrait' });
    // Upright it is red on the left and green on the right; a quarter turn clockwise puts red on top.
    expect(await waitUntil('red on top', async () => isRed(await atTheTop()))).toBe(true);
    rig.send({ type: 'configure', orientation: 'portrait-flipped' });
    expect(await waitUntil('green on top', async () => isGreen(await atTheTop()))).toBe(true);
  });

  test('delays the reload while the menu is in use', async () => {
    const summon = () => rig.page.keyboard.press('Control+Alt+Shift+S');
    const menu = rig.page.locator('#menu');
    const pages = () => new Set(rig.messagesOfType('hello').map(({ page_id }) => page_id)).size;
    const [red, green] = [await rig.addPlainImage('red'), await rig.addPlainImage('green')];
    const cutTo = (id: string, url: string) =>
      rig.send({ type: 'prepare', showing: imageShowing(id, url, 120_000), cut: 'when_ready' });
    await rig.play(imageShowing('red', red, 120_000));
    // Requested before the menu was opened, due while it is open.
    rig.send({ type: 'reload' });
    // Keys do not come over the channel, and could overtake it: this answer says that the reload has arrived.
    rig.send({ type: 'prepare', showing: imageShowing('green', green, 120_000), cut: 'on_command' });
    await waitUntil('ready', () => rig.messagesOfType('ready', 'green').length > 0);
    await summon();
    await menu.waitFor();
    rig.send({ type: 'cut', showing_id: 'green' });
    await waitUntil('a hello of the same page', () => rig.messagesOfType('hello').length > 1);
    cutTo('green', green);
    await waitUntil('green on the screen', () => rig.messagesOfType('started', 'green').length > 0);
    // Requested while it is open.
    rig.send({ type: 'reload' });
    cutTo('red-again', red);
    await waitUntil('red on the screen', () => rig.messagesOfType('started', 'red-again').length > 0);
    expect(pages()).toBe(1);
    expect(await menu.isVisible()).toBe(true);

    await rig.page.keyboard.press('Escape');
    cutTo('green-again', green);
    await waitUntil('the new page', () => pages() === 2);
  });

  test('continues when its new page cannot be loaded', async () => {
    const [red, green] = [await rig.addPlainImage('red'), await rig.addPlainImage('green')];
    await rig.play(imageShowing('red', red, 300));
    await waitUntil('the end', () => rig.messagesOfType('ended', 'red').length > 0);
    await rig.page.route('**/?*', (route) => route.abort());
    rig.send({ type: 'reload' });
    await waitUntil('a hello of the old page', () => rig.messagesOfType('hello').length > 1, 60_000);
    expect(rig.messagesOfType('hello')[1]).toMatchObject({
      page_id: rig.messagesOfType('hello')[0]!.page_id,
      current: { showing_id: 'red' },
    });
    await rig.play(imageShowing('green', green, null));
    await waitUntil('green', async () => isGreen(await rig.middleColour()));
    expect(await rig.page.evaluate(COUNT_PAGES)).toBe(1);
  });
});

describe('the stage', () => {
  test('keeps the aspect ratio of a picture, with black bars beside it', async () => {
    const square = await rig.addMedia(
      'square.png',
      await plainPicture('png', '#c03030', { width: 90, height: 90 }),
    );
    await rig.play(imageShowing('square', square, null));
    await waitUntil('the picture', async () => isRed(await rig.middleColour()));
    // A square on a 320 x 180 panel is 180 wide: from 70 to 250.
    const inside = await rig.coloursAt([
      [78, 6],
      [242, 174],
    ]);
    expect(inside.every(isRed)).toBe(true);
    const beside = await rig.coloursAt([
      [62, 94],
      [258, 94],
    ]);
    expect(beside.every(isBlack)).toBe(true);
  });

  test('keeps the aspect ratio of a video, with black bars beside it', async () => {
    await rig.play(videoShowing('portrait', await rig.addSample('sample-flowers-720x1280.mp4'), 60_000));
    await waitUntil('the picture', async () => !isBlack(await rig.middleColour()));
    // 720 x 1280 on a 320 x 180 panel is 101 wide: from 109 to 211.
    const colours = await rig.coloursAt([
      [119, 94],
      [102, 94],
      [218, 94],
    ]);
    expect(colours.map(isBlack)).toEqual([false, true, true]);
  });

  test('shows a photograph with its EXIF orientation', async () => {
    // Stored upright, to be rotated a quarter turn clockwise: what is at the bottom belongs to the left.
    const stored = sharp({ create: { width: 180, height: 320, channels: 3, background: '#c03030' } })
      .composite([
        { input: await plainPicture('png', '#30a040', { width: 180, height: 160 }), left: 0, top: 160 },
      ])
      .withMetadata({ orientation: 6 });
    for (const format of ['jpeg', 'png', 'webp'] as const) {
      const url = await rig.addMedia(`photo.${format}`, await stored.toFormat(format).toBuffer());
      await rig.play(imageShowing(format, url, 1));
      await waitUntil(`red on the right, ${format}`, async () => isRed(await rig.colourAt(300, 90)));
      expect(isGreen(await rig.colourAt(20, 90))).toBe(true);
    }
  });

  test('plays an animated picture', async () => {
    const gif = await rig.addMedia('blink.gif', await blinkingPicture('gif'));
    await rig.play(imageShowing('blink', gif, null));
    expect(await waitUntil('its first colour', async () => isRed(await rig.middleColour()))).toBe(true);
    expect(await waitUntil('its second colour', async () => isGreen(await rig.middleColour()))).toBe(true);
  });

  test('does not draw on a layer whose animation was cancelled during loading', async () => {
    const [gif, green] = [await blinkingPicture('gif'), await rig.addPlainImage('green')];
    const blink = await rig.addMedia('blink.gif', gif);
    await rig.play(imageShowing('red', await rig.addPlainImage('red'), 60_000));
    await rig.page.evaluate(`
      const { arrayBuffer } = Blob.prototype;
      Blob.prototype.arrayBuffer = async function () {
        Blob.prototype.arrayBuffer = arrayBuffer;
        window.reading = true;
        await new Promise((resolve) => { window.goOn = resolve; });
        return arrayBuffer.call(this);
      };
      0`);
    rig.send({ type: 'prepare', showing: imageShowing('blink', blink, null), cut: 'on_command' });
    await waitUntil('the reading', () => rig.page.evaluate<boolean>('window.reading === true'));
    rig.send({ type: 'prepare', showing: imageShowing('green', green, null), cut: 'on_command' });
    await waitUntil('green ready', () => rig.messagesOfType('ready', 'green').length > 0);
    await rig.page.evaluate('window.goOn()');
    rig.send({ type: 'cut', showing_id: 'green' });
    await waitUntil('green on the screen', () => rig.messagesOfType('started', 'green').length > 0);
    await waitUntil('green', async () => isGreen(await rig.middleColour()));
    // As long as the cancelled one would have taken.
    await rig.page.evaluate(`Object.assign(new Image(), { src: '${blink}' }).decode()`);
    expect(isGreen(await rig.middleColour())).toBe(true);
    expect(await rig.page.locator('img.picture:visible').count()).toBe(0);
  });
});

const classesOf = (reported: readonly VideoClass[]) =>
  reported.map(({ codec, bit_depth, width, height, frame_rate }) => ({
    codec,
    bit_depth,
    width,
    height,
    frame_rate,
  }));

test('reports which videos its browser can decode', async () => {
  const { videos } = await waitUntil('the capabilities', () => rig.messagesOfType('capabilities')[0]);
  expect(classesOf(videos)).toEqual(VIDEO_CLASSES);
  // The bundled browser decodes in software, and does not support HEVC.
  const certain = videos.filter(({ codec, bit_depth }) => codec !== 'h264' || bit_depth === 8);
  expect(certain.map(({ supported }) => supported)).toEqual(certain.map(({ codec }) => codec !== 'hevc'));
  expect(videos[0]).toMatchObject({
    smooth: expect.any(Boolean),
    power_efficient: expect.any(Boolean),
  });
});

test('sends beats while it draws', async () => {
  expect(await waitUntil('two beats', () => rig.beatCount() >= 2)).toBe(true);
});

async function halfRedHalfGreen(): Promise<Buffer> {
  return sharp({ create: { width: 180, height: 320, channels: 3, background: '#c03030' } })
    .composite([
      { input: await plainPicture('png', '#30a040', { width: 90, height: 320 }), left: 90, top: 0 },
    ])
    .png()
    .toBuffer();
}
