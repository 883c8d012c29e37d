import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Showing } from '../../src/stage-link/messages.ts';
import { until } from '../support/until.ts';
import {
  colourOf,
  imageShowing,
  isBlack,
  plainPicture,
  startStageRig,
  videoShowing,
  type FrameColour,
  type StageRig,
} from './stage-rig.ts';

let rig: StageRig;

beforeEach(async () => {
  rig = await startStageRig();
  rig.send({ type: 'screen', screen: { kind: 'stage' } });
});

afterEach(() => rig.close());

const said: StageRig['heard'] = (type, id) => rig.heard(type, id);

const play = (showing: Showing) => rig.play(showing);

const isRed = ({ red, green, blue }: FrameColour) => red > 2 * green && red > 2 * blue;
const isGreen = ({ red, green, blue }: FrameColour) => green > 1.5 * red && green > 1.5 * blue;

const COUNT_PAGES = 'document.querySelectorAll("iframe, #frame").length';

const addRed = async () => rig.addMedia('red.png', await plainPicture('png', '#c03030'));
const addGreen = async () => rig.addMedia('green.jpg', await plainPicture('jpeg', '#30a040'));

describe('the stage', () => {
  it('plays pictures and videos in turn without one black frame', async () => {
    const [red, green] = [await addRed(), await addGreen()];
    const waves = await rig.addSample('sample-waves-1280x720.mp4');
    const lights = await rig.addSample('sample-lights-1280x720.webm');
    const portrait = await rig.addSample('sample-flowers-720x1280.mp4');
    await play(imageShowing('first', red, 600));

    const frames = await rig.watchFrames();
    const cut: Showing[] = [];
    for (let round = 0; round < 6; round++) {
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
    for (const showing of cut) await play(showing);
    const colours = await frames.stop();

    expect(colours.filter(isBlack)).toEqual([]);
    expect(colours.some(isRed)).toBe(true);
    expect(colours.some(isGreen)).toBe(true);
    // However few frames a busy browser hands out, these are enough to be worth looking at.
    expect(colours.length).toBeGreaterThan(20);
    expect(said('failed')).toEqual([]);
    const ended = said('ended').filter(({ showing_id }) => showing_id !== 'first');
    expect(ended.map(({ showing_id }) => showing_id)).toEqual(cut.slice(0, ended.length).map(({ id }) => id));
    expect(ended.every(({ outcome }) => outcome === 'completed')).toBe(true);
  });

  it('runs a video without a duration to its natural end, and hands over there', async () => {
    const waves = await rig.addSample('sample-waves-1280x720.mp4');
    await play(videoShowing('waves', waves));
    await play(imageShowing('red', await addRed(), null));
    const [ended] = said('ended', 'waves');
    expect(ended).toMatchObject({ outcome: 'completed', reason: null });
    // The sample lasts six seconds: neither cut off nor begun again, however busy the machine is.
    expect(ended!.shown_ms).toBeGreaterThan(4_000);
    expect(ended!.shown_ms).toBeLessThan(11_000);
    expect(isRed(await rig.middle())).toBe(true);
  });

  it('repeats a video that is shorter than its time, and never shows black for it', async () => {
    const waves = await rig.addSample('sample-waves-1280x720.mp4');
    await play(videoShowing('waves', waves, 7_500));
    const frames = await rig.watchFrames();
    await play(imageShowing('red', await addRed(), null));
    expect((await frames.stop()).filter(isBlack)).toEqual([]);
    expect(said('ended', 'waves')[0]!.shown_ms).toBeGreaterThan(7_000);
  });

  it('tells the end once and keeps the picture when nothing follows', async () => {
    await play(imageShowing('red', await addRed(), 500));
    await until('the end', () => said('ended', 'red').length > 0);
    const frames = await rig.watchFrames();
    await play(imageShowing('green', await addGreen(), 500));
    expect((await frames.stop()).filter(isBlack)).toEqual([]);
    expect(said('ended', 'red')).toHaveLength(1);
  });

  it('cuts at once when told to, and reports the interruption', async () => {
    await play(imageShowing('red', await addRed(), 60_000));
    rig.send({
      type: 'prepare',
      showing: imageShowing('green', await addGreen(), null),
      cut: 'on_command',
    });
    await until('ready', () => said('ready', 'green').length > 0);
    expect(isRed(await rig.middle())).toBe(true);
    rig.send({ type: 'cut', showing_id: 'green' });
    await until('the cut', () => said('started', 'green').length > 0);
    expect(isGreen(await rig.middle())).toBe(true);
    expect(said('ended', 'red')[0]).toMatchObject({ outcome: 'interrupted' });
  });

  it('keeps the shape of a picture and puts black beside it', async () => {
    const square = await rig.addMedia(
      'square.png',
      await plainPicture('png', '#c03030', { width: 90, height: 90 }),
    );
    await play(imageShowing('square', square, null));
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
    await play(videoShowing('portrait', await rig.addSample('sample-flowers-720x1280.mp4'), 60_000));
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
    const stored = await sharp({ create: { width: 180, height: 320, channels: 3, background: '#c03030' } })
      .composite([
        { input: await plainPicture('png', '#30a040', { width: 180, height: 160 }), left: 0, top: 160 },
      ])
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    await play(imageShowing('photo', await rig.addMedia('photo.jpg', stored), null));
    const at = async (x: number) =>
      colourOf(await rig.page.screenshot({ clip: { x, y: 80, width: 20, height: 20 } }));
    await until('the picture', async () => isRed(await at(290)));
    expect(isGreen(await at(10))).toBe(true);
  });

  it('turns the whole stage', async () => {
    const half = await rig.addMedia('half.png', await halfRedHalfGreen());
    await play(imageShowing('half', half, null));
    const corner = async () => rig.page.screenshot({ clip: { x: 150, y: 10, width: 20, height: 20 } });
    rig.send({ type: 'configure', orientation: 'portrait' });
    // Upright it is red on the left and green on the right; a quarter turn clockwise puts red on top.
    expect(await until('red on top', async () => isRed(await colourOf(await corner())))).toBe(true);
    rig.send({ type: 'configure', orientation: 'portrait-flipped' });
    expect(await until('green on top', async () => isGreen(await colourOf(await corner())))).toBe(true);
  });

  it('shows an animated picture moving', async () => {
    const gif = await rig.addMedia('blink.gif', await blinkingGif());
    await play(imageShowing('blink', gif, null));
    expect(await until('its first colour', async () => isRed(await rig.middle()))).toBe(true);
    expect(await until('its second colour', async () => isGreen(await rig.middle()))).toBe(true);
  });

  it('loads its page anew at a cut, again and again, without one black frame', async () => {
    const red = await addRed();
    const waves = await rig.addSample('sample-waves-1280x720.mp4');
    await play(imageShowing('before', red, 700));
    const frames = await rig.watchFrames();
    for (const round of [1, 2, 3, 4]) {
      rig.send({ type: 'reload' });
      await until('the new page', () => said('hello').length > round);
      rig.send({ type: 'screen', screen: { kind: 'stage' } });
      const showing = round % 2 ? videoShowing(`v${round}`, waves, 700) : imageShowing(`i${round}`, red, 700);
      rig.send({ type: 'prepare', showing, cut: 'after_current' });
      await until(`${showing.id} on the screen`, () => said('started', showing.id).length > 0);
      // The page before is gone when its stage or its frame is.
      await until('one page', async () => (await rig.page.evaluate(COUNT_PAGES)) === 1);
    }
    expect((await frames.stop()).filter(isBlack)).toEqual([]);
    expect(said('ended', 'before')[0]).toMatchObject({ outcome: 'completed' });
    expect(new Set(said('hello').map(({ page_id }) => page_id)).size).toBe(5);
    expect(await rig.page.evaluate('document.querySelectorAll("video").length')).toBe(0);
    // Keys go to the page that is seen.
    expect(await rig.page.evaluate('document.activeElement.tagName')).toBe('IFRAME');
  });

  it('goes on by itself when its new page cannot be had', async () => {
    const [red, green] = [await addRed(), await addGreen()];
    await play(imageShowing('red', red, 300));
    await until('the end', () => said('ended', 'red').length > 0);
    await rig.page.route('**/?*', (route) => route.abort());
    rig.send({ type: 'reload' });
    await until('a hello of the old page', () => said('hello').length > 1, 60_000);
    expect(said('hello')[1]).toMatchObject({
      page_id: said('hello')[0]!.page_id,
      current: { showing_id: 'red' },
    });
    await play(imageShowing('green', green, null));
    expect(isGreen(await rig.middle())).toBe(true);
    expect(await rig.page.evaluate(COUNT_PAGES)).toBe(1);
  });

  it('empties itself when it is told to', async () => {
    await play(imageShowing('red', await addRed(), 60_000));
    rig.send({ type: 'clear' });
    await until('the end', () => said('ended', 'red').length > 0);
    expect(said('ended', 'red')[0]).toMatchObject({ outcome: 'interrupted' });
    await until('nothing red', async () => !isRed(await rig.middle()));
  });
});

describe('without the runtime', () => {
  it('the picture stays, the prepared cut still happens, and all of it is told afterwards', async () => {
    await play(imageShowing('red', await addRed(), 1_500));
    rig.send({
      type: 'prepare',
      showing: imageShowing('green', await addGreen(), 700),
      cut: 'after_current',
    });
    await until('ready', () => said('ready', 'green').length > 0);
    const frames = await rig.watchFrames();
    await rig.stopServer();
    await until('the cut without a runtime', async () => isGreen(await rig.middle()));
    await rig.startServer();

    await until('green told as over', () => said('ended', 'green').length > 0);
    expect((await frames.stop()).filter(isBlack)).toEqual([]);
    expect(said('hello').at(-1)!.page_id).toBe(said('hello')[0]!.page_id);
    const afterHello = rig.said.slice(rig.said.lastIndexOf(said('hello').at(-1)!) + 1);
    expect(afterHello.map(({ type }) => type)).toEqual(expect.arrayContaining(['ended', 'started', 'ended']));
    expect(said('started', 'green')).toHaveLength(1);
    expect(isGreen(await rig.middle())).toBe(true);
  });

  it('a video without a successor goes on moving', async () => {
    await play(videoShowing('waves', await rig.addSample('sample-waves-1280x720.mp4')));
    await rig.stopServer();
    const frames = await rig.watchFrames();
    const time = () =>
      rig.page.evaluate<number>(
        'Math.max(...[...document.querySelectorAll("video")].map(({ currentTime }) => currentTime))',
      );
    await until('the end of the first pass', async () => (await time()) > 5.5);
    await until('the start of a second pass', async () => (await time()) < 3);
    expect((await frames.stop()).filter(isBlack)).toEqual([]);
  });

  it('what was to be prepared waits for it instead of failing', async () => {
    const [green, waves] = [await addGreen(), await rig.addSample('sample-waves-1280x720.mp4')];
    await play(imageShowing('red', await addRed(), 60_000));
    for (const next of [imageShowing('green', green, null), videoShowing('waves', waves)]) {
      await rig.page.route('**/media/*', (route) => route.abort('connectionrefused'));
      rig.send({ type: 'prepare', showing: next, cut: 'when_ready' });
      await rig.page.waitForRequest('**/media/*');
      await rig.page.unroute('**/media/*');
      await until(`${next.id} on the screen`, () => said('started', next.id).length > 0);
    }
    expect(said('failed')).toEqual([]);
  });

  it('a page that comes back says what is on and what is ready', async () => {
    await play(imageShowing('red', await addRed(), 60_000));
    rig.send({
      type: 'prepare',
      showing: imageShowing('green', await addGreen(), 500),
      cut: 'after_current',
    });
    await until('ready', () => said('ready', 'green').length > 0);
    await rig.stopServer();
    await rig.startServer();
    await until('a second hello', () => said('hello').length > 1);
    expect(said('hello').at(-1)).toMatchObject({
      current: { showing_id: 'red', ago_ms: expect.any(Number) },
      prepared: 'green',
    });
  });
});

it('says in its first words which videos its browser can decode', () => {
  const { videos = [] } = said('hello')[0]!;
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

async function blinkingGif(): Promise<Buffer> {
  const frames = await Promise.all(['#c03030', '#30a040'].map((colour) => plainPicture('png', colour)));
  return sharp(frames, { join: { animated: true } })
    .gif({ delay: [600, 600], loop: 0 })
    .toBuffer();
}
