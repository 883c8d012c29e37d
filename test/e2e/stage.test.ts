import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Showing } from '../../src/stage-link/messages.ts';
import { until } from '../support/until.ts';
import {
  blinkingPicture,
  colourOf,
  imageShowing,
  isBlack,
  isGreen,
  isRed,
  plainPicture,
  startStageRig,
  videoShowing,
  type StageRig,
} from './stage-rig.ts';

let rig: StageRig;

beforeEach(async () => {
  rig = await startStageRig();
  rig.send({ type: 'screen', screen: { kind: 'stage' } });
});

afterEach(() => rig.close());

/** From now on the page counts how often a video begins again, and notes how far each has come when it is let go. */
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
  it('plays pictures and videos in turn without one black frame', async () => {
    const [red, green] = [await rig.addPlain('red'), await rig.addPlain('green')];
    const waves = await rig.addSample('sample-waves-1280x720.mp4');
    const lights = await rig.addSample('sample-lights-1280x720.webm');
    const portrait = await rig.addSample('sample-flowers-720x1280.mp4');
    await rig.play(imageShowing('first', red, 600));

    const frames = await rig.watchFrames();
    const cut: Showing[] = [];
    for (let round = 0; round < 3; round++) {
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
    for (const showing of cut) await rig.play(showing);
    const colours = await frames.stop();

    expect(colours.filter(isBlack)).toEqual([]);
    expect(colours.some(isRed)).toBe(true);
    expect(colours.some(isGreen)).toBe(true);
    // However few frames a busy browser hands out, these are enough to be worth looking at.
    expect(colours.length).toBeGreaterThan(20);
    expect(rig.heard('failed')).toEqual([]);
    const ended = rig.heard('ended').filter(({ showing_id }) => showing_id !== 'first');
    expect(ended.map(({ showing_id }) => showing_id)).toEqual(cut.slice(0, ended.length).map(({ id }) => id));
    expect(ended.every(({ outcome }) => outcome === 'completed')).toBe(true);
  });

  it('runs a video without a duration to its natural end, and hands over there', async () => {
    const waves = await rig.addSample('sample-waves-1280x720.mp4');
    await rig.page.evaluate(WATCH_VIDEOS);
    await rig.play(videoShowing('waves', waves));
    await rig.play(imageShowing('red', await rig.addPlain('red'), null));
    expect(rig.heard('ended', 'waves')).toMatchObject([{ outcome: 'completed', reason: null }]);
    const { passes, endedAtS } = await until('the video let go', async () => {
      const watched = await watchedVideos();
      return watched.endedAtS.length > 0 && watched;
    });
    // Six seconds: neither cut off nor begun again.
    expect(passes).toBe(0);
    expect(endedAtS[0]).toBeGreaterThan(5);
    expect(isRed(await rig.middle())).toBe(true);
  });

  it('repeats a video that is shorter than its time, and never shows black for it', async () => {
    const waves = await rig.addSample('sample-waves-1280x720.mp4');
    await rig.page.evaluate(WATCH_VIDEOS);
    await rig.play(videoShowing('waves', waves, 60_000));
    const frames = await rig.watchFrames();
    await until('a second pass', async () => (await watchedVideos()).passes > 0);
    expect(rig.heard('ended')).toEqual([]);
    expect((await frames.stop()).filter(isBlack)).toEqual([]);
  });

  it('cuts a video that is longer than its time', async () => {
    const waves = await rig.addSample('sample-waves-1280x720.mp4');
    await rig.page.evaluate(WATCH_VIDEOS);
    await rig.play(videoShowing('waves', waves, 1_500));
    await rig.play(imageShowing('red', await rig.addPlain('red'), null));
    expect(rig.heard('ended', 'waves')).toMatchObject([{ outcome: 'completed' }]);
    expect(rig.heard('ended', 'waves')[0]!.shown_ms).toBeGreaterThan(1_400);
    expect((await watchedVideos()).passes).toBe(0);
  });

  it('plays a video on that somebody else has paused', async () => {
    await rig.play(videoShowing('waves', await rig.addSample('sample-waves-1280x720.mp4')));
    await rig.page.evaluate('document.querySelectorAll("video").forEach((video) => video.pause())');
    await rig.play(imageShowing('red', await rig.addPlain('red'), null));
    expect(rig.heard('ended', 'waves')).toMatchObject([{ outcome: 'completed', reason: null }]);
  });

  it('tells the end once and keeps the picture when nothing follows', async () => {
    await rig.play(imageShowing('red', await rig.addPlain('red'), 500));
    await until('the end', () => rig.heard('ended', 'red').length > 0);
    const frames = await rig.watchFrames();
    await rig.play(imageShowing('green', await rig.addPlain('green'), 500));
    expect((await frames.stop()).filter(isBlack)).toEqual([]);
    expect(rig.heard('ended', 'red')).toHaveLength(1);
  });

  it('cuts at once when told to, and reports the interruption', async () => {
    await rig.play(imageShowing('red', await rig.addPlain('red'), 60_000));
    rig.send({
      type: 'prepare',
      showing: imageShowing('green', await rig.addPlain('green'), null),
      cut: 'on_command',
    });
    await until('ready', () => rig.heard('ready', 'green').length > 0);
    expect(isRed(await rig.middle())).toBe(true);
    rig.send({ type: 'cut', showing_id: 'green' });
    await until('the cut', () => rig.heard('started', 'green').length > 0);
    expect(isGreen(await rig.middle())).toBe(true);
    expect(rig.heard('ended', 'red')[0]).toMatchObject({ outcome: 'interrupted' });
  });

  it('keeps the shape of a picture and puts black beside it', async () => {
    const square = await rig.addMedia(
      'square.png',
      await plainPicture('png', '#c03030', { width: 90, height: 90 }),
    );
    await rig.play(imageShowing('square', square, null));
    const at = async (x: number, y: number) =>
      colourOf(await rig.page.screenshot({ clip: { x, y, width: 8, height: 8 } }));
    await until('the picture', async () => isRed(await rig.middle()));
    // A square on a 320 x 180 panel is 180 wide: from 70 to 250.
    expect(isRed(await at(74, 2))).toBe(true);
    expect(isRed(await at(238, 170))).toBe(true);
    expect(isBlack(await at(58, 90))).toBe(true);
    expect(isBlack(await at(254, 90))).toBe(true);
  });

  it('keeps the shape of a video and puts black beside it', async () => {
    await rig.play(videoShowing('portrait', await rig.addSample('sample-flowers-720x1280.mp4'), 60_000));
    const at = async (x: number, y: number) =>
      colourOf(await rig.page.screenshot({ clip: { x, y, width: 8, height: 8 } }));
    await until('the picture', async () => !isBlack(await rig.middle()));
    // 720 x 1280 on a 320 x 180 panel is 101 wide: from 109 to 211.
    expect(isBlack(await at(115, 90))).toBe(false);
    expect(isBlack(await at(98, 90))).toBe(true);
    expect(isBlack(await at(214, 90))).toBe(true);
  });

  it('shows a photograph the way up that the camera noted', async () => {
    // Stored upright, to be turned a quarter clockwise: what is at the bottom belongs to the left.
    const stored = sharp({ create: { width: 180, height: 320, channels: 3, background: '#c03030' } })
      .composite([
        { input: await plainPicture('png', '#30a040', { width: 180, height: 160 }), left: 0, top: 160 },
      ])
      .withMetadata({ orientation: 6 });
    for (const format of ['jpeg', 'png', 'webp'] as const) {
      const url = await rig.addMedia(`photo.${format}`, await stored.toFormat(format).toBuffer());
      await rig.play(imageShowing(format, url, 1));
      await until(`red on the right, ${format}`, async () => isRed(await rig.at(300, 90)));
      expect(isGreen(await rig.at(20, 90))).toBe(true);
    }
  });

  it('turns the whole stage', async () => {
    const half = await rig.addMedia('half.png', await halfRedHalfGreen());
    await rig.play(imageShowing('half', half, null));
    const corner = async () => rig.page.screenshot({ clip: { x: 150, y: 10, width: 20, height: 20 } });
    rig.send({ type: 'configure', orientation: 'portrait' });
    // Upright it is red on the left and green on the right; a quarter turn clockwise puts red on top.
    expect(await until('red on top', async () => isRed(await colourOf(await corner())))).toBe(true);
    rig.send({ type: 'configure', orientation: 'portrait-flipped' });
    expect(await until('green on top', async () => isGreen(await colourOf(await corner())))).toBe(true);
  });

  it('shows an animated picture moving', async () => {
    const gif = await rig.addMedia('blink.gif', await blinkingPicture('gif'));
    await rig.play(imageShowing('blink', gif, null));
    expect(await until('its first colour', async () => isRed(await rig.middle()))).toBe(true);
    expect(await until('its second colour', async () => isGreen(await rig.middle()))).toBe(true);
  });

  it('begins an animated picture with its first frame, at the cut', async () => {
    const once = await blinkingPicture('gif', { delay: [2_000, 500], loop: 1 });
    const url = await rig.addMedia('once.gif', once);
    const blue = await rig.addMedia('blue.png', await plainPicture('png', '#3040c0'));
    await rig.play(imageShowing('blue', blue, null));
    rig.send({ type: 'prepare', showing: imageShowing('once', url, null), cut: 'on_command' });
    await until('ready', () => rig.heard('ready', 'once').length > 0);
    // In this time all of it would be over.
    const beats = rig.beats();
    await until('some seconds', () => rig.beats() > beats + 3);
    const frames = await rig.watchFrames();
    rig.send({ type: 'cut', showing_id: 'once' });
    await until('its second frame', async () => isGreen(await rig.middle()));
    const colours = await frames.stop();
    expect(colours.some(isRed)).toBe(true);
    expect(colours.filter(isBlack)).toEqual([]);
  });

  it('leaves a layer alone whose animation was called off while it was read', async () => {
    const [gif, green] = [await blinkingPicture('gif'), await rig.addPlain('green')];
    const blink = await rig.addMedia('blink.gif', gif);
    await rig.play(imageShowing('red', await rig.addPlain('red'), 60_000));
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
    await until('the reading', () => rig.page.evaluate<boolean>('window.reading === true'));
    rig.send({ type: 'prepare', showing: imageShowing('green', green, null), cut: 'on_command' });
    await until('green ready', () => rig.heard('ready', 'green').length > 0);
    await rig.page.evaluate('window.goOn()');
    rig.send({ type: 'cut', showing_id: 'green' });
    await until('green on the screen', () => rig.heard('started', 'green').length > 0);
    // As long as the one that was called off would have taken.
    await rig.page.evaluate(`Object.assign(new Image(), { src: '${blink}' }).decode()`);
    expect(isGreen(await rig.middle())).toBe(true);
    expect(await rig.page.locator('img.picture:visible').count()).toBe(0);
  });

  it('loads its page anew at a cut, again and again, without one black frame', async () => {
    const red = await rig.addPlain('red');
    const waves = await rig.addSample('sample-waves-1280x720.mp4');
    await rig.play(imageShowing('before', red, 700));
    const frames = await rig.watchFrames();
    for (const round of [1, 2, 3, 4]) {
      rig.send({ type: 'reload' });
      await until('the new page', () => rig.heard('hello').length > round);
      rig.send({ type: 'screen', screen: { kind: 'stage' } });
      const showing = round % 2 ? videoShowing(`v${round}`, waves, 700) : imageShowing(`i${round}`, red, 700);
      rig.send({ type: 'prepare', showing, cut: 'after_current' });
      await until(`${showing.id} on the screen`, () => rig.heard('started', showing.id).length > 0);
      // The page before is gone when its stage or its frame is.
      await until('one page', async () => (await rig.page.evaluate(COUNT_PAGES)) === 1);
    }
    expect((await frames.stop()).filter(isBlack)).toEqual([]);
    expect(rig.heard('ended', 'before')[0]).toMatchObject({ outcome: 'completed' });
    expect(new Set(rig.heard('hello').map(({ page_id }) => page_id)).size).toBe(5);
    expect(await rig.page.evaluate('document.querySelectorAll("video").length')).toBe(0);
    // Keys go to the page that is seen.
    expect(await rig.page.evaluate('document.activeElement.tagName')).toBe('IFRAME');
  });

  it('goes on by itself when its new page cannot be had', async () => {
    const [red, green] = [await rig.addPlain('red'), await rig.addPlain('green')];
    await rig.play(imageShowing('red', red, 300));
    await until('the end', () => rig.heard('ended', 'red').length > 0);
    await rig.page.route('**/?*', (route) => route.abort());
    rig.send({ type: 'reload' });
    await until('a hello of the old page', () => rig.heard('hello').length > 1, 60_000);
    expect(rig.heard('hello')[1]).toMatchObject({
      page_id: rig.heard('hello')[0]!.page_id,
      current: { showing_id: 'red' },
    });
    await rig.play(imageShowing('green', green, null));
    expect(isGreen(await rig.middle())).toBe(true);
    expect(await rig.page.evaluate(COUNT_PAGES)).toBe(1);
  });

  it('waits with its new page while somebody works in the menu', async () => {
    const summon = () => rig.page.keyboard.press('Control+Alt+Shift+S');
    const menu = rig.page.locator('#menu');
    const pages = () => new Set(rig.heard('hello').map(({ page_id }) => page_id)).size;
    const [red, green] = [await rig.addPlain('red'), await rig.addPlain('green')];
    const cutTo = (id: string, url: string) =>
      rig.send({ type: 'prepare', showing: imageShowing(id, url, 120_000), cut: 'when_ready' });
    await rig.play(imageShowing('red', red, 120_000));
    // Wanted before the menu was opened, due while it is.
    rig.send({ type: 'reload' });
    await summon();
    await menu.waitFor();
    cutTo('green', green);
    await until('a hello of the same page', () => rig.heard('hello').length > 1);
    cutTo('green', green);
    await until('green on the screen', () => rig.heard('started', 'green').length > 0);
    // Wanted while it is open.
    rig.send({ type: 'reload' });
    cutTo('red-again', red);
    await until('red on the screen', () => rig.heard('started', 'red-again').length > 0);
    expect(pages()).toBe(1);
    expect(await menu.isVisible()).toBe(true);

    await rig.page.keyboard.press('Escape');
    cutTo('green-again', green);
    await until('the new page', () => pages() === 2);
  });

  it('empties itself when it is told to', async () => {
    await rig.play(imageShowing('red', await rig.addPlain('red'), 60_000));
    rig.send({ type: 'clear' });
    await until('the end', () => rig.heard('ended', 'red').length > 0);
    expect(rig.heard('ended', 'red')[0]).toMatchObject({ outcome: 'interrupted' });
    await until('nothing red', async () => !isRed(await rig.middle()));
  });
});

it('says which videos its browser can decode', async () => {
  const { videos } = await until('its word', () => rig.heard('capabilities')[0]);
  expect(videos).toHaveLength(8);
  // The carried browser decodes in software, and knows no HEVC.
  expect(videos).toContainEqual({
    codec: 'h264',
    width: 1920,
    height: 1080,
    supported: true,
    smooth: expect.any(Boolean),
    power_efficient: expect.any(Boolean),
  });
  expect(videos.filter(({ codec }) => codec === 'hevc').map(({ supported }) => supported)).toEqual([
    false,
    false,
  ]);
});

it('beats while it draws', async () => {
  expect(await until('two beats', () => rig.beats() >= 2)).toBe(true);
});

async function halfRedHalfGreen(): Promise<Buffer> {
  return sharp({ create: { width: 180, height: 320, channels: 3, background: '#c03030' } })
    .composite([
      { input: await plainPicture('png', '#30a040', { width: 90, height: 320 }), left: 90, top: 0 },
    ])
    .png()
    .toBuffer();
}
