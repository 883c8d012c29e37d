import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { imageShowing, isBlack, isGreen, startStageRig, videoShowing, type StageRig } from './stage-rig.ts';

let rig: StageRig;

beforeEach(async () => {
  rig = await startStageRig();
  rig.send({ type: 'screen', screen: { kind: 'stage' } });
});

afterEach(() => rig.close());

describe('without the runtime', () => {
  it('the picture stays, the prepared cut still happens, and all of it is told afterwards', async () => {
    await rig.play(imageShowing('red', await rig.addPlain('red'), 1_500));
    rig.send({
      type: 'prepare',
      showing: imageShowing('green', await rig.addPlain('green'), 700),
      cut: 'after_current',
    });
    await until('ready', () => rig.heard('ready', 'green').length > 0);
    const frames = await rig.watchFrames();
    await rig.stopServer();
    await until('the cut without a runtime', async () => isGreen(await rig.middle()));
    await rig.startServer();

    await until('green told as over', () => rig.heard('ended', 'green').length > 0);
    expect((await frames.stop()).filter(isBlack)).toEqual([]);
    expect(rig.heard('hello').at(-1)!.page_id).toBe(rig.heard('hello')[0]!.page_id);
    const afterHello = rig.said.slice(rig.said.lastIndexOf(rig.heard('hello').at(-1)!) + 1);
    expect(afterHello.map(({ type }) => type)).toEqual(expect.arrayContaining(['ended', 'started', 'ended']));
    expect(rig.heard('started', 'green')).toHaveLength(1);
    expect(isGreen(await rig.middle())).toBe(true);
  });

  it('a video without a successor goes on moving', async () => {
    await rig.play(videoShowing('waves', await rig.addSample('sample-waves-1280x720.mp4')));
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
    const [green, waves] = [await rig.addPlain('green'), await rig.addSample('sample-waves-1280x720.mp4')];
    // One route for all of the test: a request that comes while one is made or taken away is told to nobody.
    const unreachable = new Set<string>();
    const refused = new Set<string>();
    await rig.page.route('**/media/*', async (route) => {
      const { pathname } = new URL(route.request().url());
      if (!unreachable.has(pathname)) return route.continue();
      refused.add(pathname);
      return route.abort('connectionrefused');
    });
    await rig.play(imageShowing('red', await rig.addPlain('red'), 60_000));
    for (const next of [imageShowing('green', green, null), videoShowing('waves', waves)]) {
      unreachable.add(next.url);
      rig.send({ type: 'prepare', showing: next, cut: 'when_ready' });
      await until(`${next.id} to be asked for in vain`, () => refused.has(next.url));
      unreachable.delete(next.url);
      await until(`${next.id} on the screen`, () => rig.heard('started', next.id).length > 0);
    }
    expect(rig.heard('failed')).toEqual([]);
  });

  it('a page that comes back says what is on and what is ready', async () => {
    await rig.play(imageShowing('red', await rig.addPlain('red'), 60_000));
    rig.send({
      type: 'prepare',
      showing: imageShowing('green', await rig.addPlain('green'), 500),
      cut: 'after_current',
    });
    await until('ready', () => rig.heard('ready', 'green').length > 0);
    await rig.stopServer();
    await rig.startServer();
    await until('a second hello', () => rig.heard('hello').length > 1);
    expect(rig.heard('hello').at(-1)).toMatchObject({
      current: { showing_id: 'red', ago_ms: expect.any(Number) },
      prepared: 'green',
    });
  });
});
