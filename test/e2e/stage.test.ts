import { describe, expect, test } from 'vitest';
import type { StageShowing } from '@placard/protocol/stage';
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

let rig: StageRig;
openRigForEach((opened) => (rig = opened));

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

  test('starts an animated picture with its first frame, at the transition', async () => {
    const once = await blinkingPicture('gif', { delay: [1_000, 300], loop: 1 });
    const url = await rig.addMedia('once.gif', once);
    const blue = await rig.addMedia('blue.png', await plainPicture('png', '#3040c0'));
    await rig.play(imageShowing('blue', blue, null));
    rig.send({ type: 'prepare', showing: imageShowing('once', url, null), cut: 'on_command' });
    await waitUntil('ready', () => rig.messagesOfType('ready', 'once').length > 0);
    // Long enough for the whole animation.
    const beats = rig.beatCount();
    await waitUntil('some seconds', () => rig.beatCount() > beats + 2);
    const frames = await rig.watchFrames();
    rig.send({ type: 'cut', showing_id: 'once' });
    await waitUntil('its second frame', async () => isGreen(await rig.middleColour()));
    const colours = await frames.stop();
    expect(colours.some(isRed)).toBe(true);
    expect(colours.filter(isBlack)).toEqual([]);
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
});

describe('without the runtime', () => {
  test('the picture stays, the prepared transition still happens, and all of it is reported afterwards', async () => {
    await rig.play(imageShowing('red', await rig.addPlainImage('red'), 1_500));
    rig.send({
      type: 'prepare',
      showing: imageShowing('green', await rig.addPlainImage('green'), 700),
      cut: 'after_current',
    });
    await waitUntil('ready', () => rig.messagesOfType('ready', 'green').length > 0);
    const frames = await rig.watchFrames();
    await rig.stopServer();
    await waitUntil('the cut without a runtime', async () => isGreen(await rig.middleColour()));
    await rig.startServer();

    await waitUntil('green reported as ended', () => rig.messagesOfType('ended', 'green').length > 0);
    expect((await frames.stop()).filter(isBlack)).toEqual([]);
    expect(rig.messagesOfType('hello').at(-1)!.page_id).toBe(rig.messagesOfType('hello')[0]!.page_id);
    const afterHello = rig.messages.slice(rig.messages.lastIndexOf(rig.messagesOfType('hello').at(-1)!) + 1);
    expect(afterHello.map(({ type }) => type)).toEqual(expect.arrayContaining(['ended', 'started', 'ended']));
    expect(rig.messagesOfType('started', 'green')).toHaveLength(1);
    expect(isGreen(await rig.middleColour())).toBe(true);
  });
});
