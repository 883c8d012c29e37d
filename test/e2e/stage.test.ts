import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { VIDEO_CLASSES } from '@placard/protocol/stage';
import type { StageShowing, VideoClass } from '@placard/protocol/stage';
import { waitUntil } from '../support/wait-until.ts';
import {
  blinkingPicture,
  imageShowing,
  isBlack,
  isGreen,
  isRed,
  plainPicture,
  startStageBrowser,
  videoShowing,
} from './stage-rig.ts';
import type { StageBrowser, StageRig } from './stage-rig.ts';

let browser: StageBrowser;
let rig: StageRig;

beforeAll(async () => {
  browser = await startStageBrowser();
});
afterAll(() => browser.close());

beforeEach(async () => {
  rig = await browser.openRig();
  rig.send({ type: 'screen', screen: { kind: 'stage' } });
});

afterEach(() => rig.close());

/** Makes the page count restarts of videos, and record the position of each when it is released. */
const WATCH_VIDEOS = `
  window.videos = { passes: 0, endedAtS: [] };
  document.addEventListener('seeking', () => void (window.videos.passes += 1), true);
  const { pause } = HTMLMediaElement.prototype;
  HTMLMediaElement.prototype.pause = function () {
    if (this.src) window.videos.endedAtS.push(this.currentTime);
    pause.call(this);
  };
  0`;
const watchedVideos = async () => rig.page.evaluate<{ passes: number; endedAtS: number[] }>('window.videos');

const COUNT_PAGES = 'document.querySelectorAll("iframe, #frame").length';

describe('the stage', () => {
  test('plays pictures and videos in turn without a black frame', async () => {
    const [red, green] = [await rig.addPlainImage('red'), await rig.addPlainImage('green')];
    const waves = await rig.addSample('sample-waves-1280x720.mp4');
    const lights = await rig.addSample('sample-lights-1280x720.webm');
    const portrait = await rig.addSample('sample-flowers-720x1280.mp4');
    await rig.play(imageShowing('first', red, 600));

    const frames = await rig.watchFrames();
    const cut: StageShowing[] = [];
    // The second round has every transition on the other layer; `stage-soak.test.ts` goes on for longer.
    for (let round = 0; round < 2; round++) {
      cut.push(
        videoShowing(`waves-${round}`, waves, 450),
        imageShowing(`green-${round}`, green, 350),
        videoShowing(`lights-${round}`, lights, 450),
        videoShowing(`portrait-${round}`, portrait, 450),
        imageShowing(`red-${round}`, red, 350),
        imageShowing(`green-again-${round}`, green, 350),
        videoShowing(`waves-again-${round}`, waves, 450),
      );
    }
    for (const showing of cut) {
      await rig.play(showing);
    }
    const colours = await frames.stop();

    expect(colours.filter(isBlack)).toEqual([]);
    expect(colours.some(isRed)).toBe(true);
    expect(colours.some(isGreen)).toBe(true);
    // A busy browser presents few frames, but these are enough for a meaningful check.
    expect(colours.length).toBeGreaterThan(20);
    expect(rig.messagesOfType('failed')).toEqual([]);
    const ended = rig.messagesOfType('ended').filter(({ showing_id }) => showing_id !== 'first');
    expect(ended.map(({ showing_id }) => showing_id)).toEqual(cut.slice(0, ended.length).map(({ id }) => id));
    expect(ended.every(({ outcome }) => outcome === 'completed')).toBe(true);
  });

  test('runs a video without a duration to its natural end, and moves on there', async () => {
    const url = await rig.addShortVideo();
    await rig.page.evaluate(WATCH_VIDEOS);
    await rig.play(videoShowing('video', url));
    await rig.play(imageShowing('red', await rig.addPlainImage('red'), null));
    expect(rig.messagesOfType('ended', 'video')).toMatchObject([{ outcome: 'completed', reason: null }]);
    const { passes, endedAtS } = await waitUntil('the video let go', async () => {
      const watched = await watchedVideos();
      return watched.endedAtS.length > 0 && watched;
    });
    // Three seconds: neither cut off nor repeated.
    expect(passes).toBe(0);
    expect(endedAtS[0]).toBeGreaterThan(2.5);
    expect(isRed(await rig.middleColour())).toBe(true);
  });

  test('repeats a video that is shorter than its time, and never shows black', async () => {
    const url = await rig.addShortVideo();
    await rig.page.evaluate(WATCH_VIDEOS);
    await rig.play(videoShowing('video', url, 60_000));
    const frames = await rig.watchFrames();
    await waitUntil('a second pass', async () => (await watchedVideos()).passes > 0);
    expect(rig.messagesOfType('ended')).toEqual([]);
    expect((await frames.stop()).filter(isBlack)).toEqual([]);
  });

  test('ends a video that is longer than its time', async () => {
    const waves = await rig.addSample('sample-waves-1280x720.mp4');
    await rig.page.evaluate(WATCH_VIDEOS);
    await rig.play(videoShowing('waves', waves, 1_500));
    await rig.play(imageShowing('red', await rig.addPlainImage('red'), null));
    expect(rig.messagesOfType('ended', 'waves')).toMatchObject([{ outcome: 'completed' }]);
    expect(rig.messagesOfType('ended', 'waves')[0]!.shown_ms).toBeGreaterThan(1_400);
    expect((await watchedVideos()).passes).toBe(0);
  });

  test('resumes a video that was paused from outside', async () => {
    await rig.play(videoShowing('video', await rig.addShortVideo()));
    await rig.page.evaluate('document.querySelectorAll("video").forEach((video) => video.pause())');
    await rig.play(imageShowing('red', await rig.addPlainImage('red'), null));
    expect(rig.messagesOfType('ended', 'video')).toMatchObject([{ outcome: 'completed', reason: null }]);
  });

  test('reports the end once and keeps the picture when nothing follows', async () => {
    await rig.play(imageShowing('red', await rig.addPlainImage('red'), 500));
    await waitUntil('the end', () => rig.messagesOfType('ended', 'red').length > 0);
    const frames = await rig.watchFrames();
    await rig.play(imageShowing('green', await rig.addPlainImage('green'), 500));
    expect((await frames.stop()).filter(isBlack)).toEqual([]);
    expect(rig.messagesOfType('ended', 'red')).toHaveLength(1);
  });

  test('cuts immediately on command, and reports the interruption', async () => {
    await rig.play(imageShowing('red', await rig.addPlainImage('red'), 60_000));
    rig.send({
      type: 'prepare',
      showing: imageShowing('green', await rig.addPlainImage('green'), null),
      cut: 'on_command',
    });
    await waitUntil('ready', () => rig.messagesOfType('ready', 'green').length > 0);
    expect(isRed(await rig.middleColour())).toBe(true);
    rig.send({ type: 'cut', showing_id: 'green' });
    await waitUntil('the cut', () => rig.messagesOfType('started', 'green').length > 0);
    expect(isGreen(await rig.middleColour())).toBe(true);
    expect(rig.messagesOfType('ended', 'red')[0]).toMatchObject({ outcome: 'interrupted' });
  });

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

  test('plays an animated picture', async () => {
    const gif = await rig.addMedia('blink.gif', await blinkingPicture('gif'));
    await rig.play(imageShowing('blink', gif, null));
    expect(await waitUntil('its first colour', async () => isRed(await rig.middleColour()))).toBe(true);
    expect(await waitUntil('its second colour', async () => isGreen(await rig.middleColour()))).toBe(true);
  });

  test('starts an animated picture with its first frame, at the transition', async () => {
    const once = await blinkingPicture('gif', { delay: [2_000, 500], loop: 1 });
    const url = await rig.addMedia('once.gif', once);
    const blue = await rig.addMedia('blue.png', await plainPicture('png', '#3040c0'));
    await rig.play(imageShowing('blue', blue, null));
    rig.send({ type: 'prepare', showing: imageShowing('once', url, null), cut: 'on_command' });
    await waitUntil('ready', () => rig.messagesOfType('ready', 'once').length > 0);
    // Long enough for the whole animation.
    const beats = rig.beatCount();
    await waitUntil('some seconds', () => rig.beatCount() > beats + 3);
    const frames = await rig.watchFrames();
    rig.send({ type: 'cut', showing_id: 'once' });
    await waitUntil('its second frame', async () => isGreen(await rig.middleColour()));
    const colours = await frames.stop();
    expect(colours.some(isRed)).toBe(true);
    expect(colours.filter(isBlack)).toEqual([]);
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
    // As long as the cancelled one would have taken.
    await rig.page.evaluate(`Object.assign(new Image(), { src: '${blink}' }).decode()`);
    expect(isGreen(await rig.middleColour())).toBe(true);
    expect(await rig.page.locator('img.picture:visible').count()).toBe(0);
  });

  test('reloads its page at a transition, repeatedly, without a black frame', async () => {
    const red = await rig.addPlainImage('red');
    const waves = await rig.addSample('sample-waves-1280x720.mp4');
    await rig.play(imageShowing('before', red, 700));
    const frames = await rig.watchFrames();
    for (const round of [1, 2, 3]) {
      rig.send({ type: 'reload' });
      await waitUntil('the new page', () => rig.messagesOfType('hello').length > round);
      rig.send({ type: 'screen', screen: { kind: 'stage' } });
      const showing = round % 2 ? videoShowing(`v${round}`, waves, 700) : imageShowing(`i${round}`, red, 700);
      rig.send({ type: 'prepare', showing, cut: 'after_current' });
      await waitUntil(
        `${showing.id} on the screen`,
        () => rig.messagesOfType('started', showing.id).length > 0,
      );
      // The old page is gone when its stage or its frame is.
      await waitUntil('one page', async () => (await rig.page.evaluate(COUNT_PAGES)) === 1);
    }
    expect((await frames.stop()).filter(isBlack)).toEqual([]);
    expect(rig.messagesOfType('ended', 'before')[0]).toMatchObject({ outcome: 'completed' });
    expect(new Set(rig.messagesOfType('hello').map(({ page_id }) => page_id)).size).toBe(4);
    expect(await rig.page.evaluate('document.querySelectorAll("video").length')).toBe(0);
    // Keys go to the visible page.
    expect(await rig.page.evaluate('document.activeElement.tagName')).toBe('IFRAME');
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
    expect(isGreen(await rig.middleColour())).toBe(true);
    expect(await rig.page.evaluate(COUNT_PAGES)).toBe(1);
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
    await summon();
    await menu.waitFor();
    cutTo('green', green);
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

  test('clears the stage on command', async () => {
    await rig.play(imageShowing('red', await rig.addPlainImage('red'), 60_000));
    rig.send({ type: 'clear' });
    await waitUntil('the end', () => rig.messagesOfType('ended', 'red').length > 0);
    expect(rig.messagesOfType('ended', 'red')[0]).toMatchObject({ outcome: 'interrupted' });
    await waitUntil('nothing red', async () => !isRed(await rig.middleColour()));
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
