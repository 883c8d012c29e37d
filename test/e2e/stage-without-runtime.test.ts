import { describe, expect, test } from 'vitest';
import { waitUntil } from '../support/wait-until.ts';
import { openRigForEach } from './stage-hooks.ts';
import { imageShowing, isBlack, videoShowing } from './stage-rig.ts';
import type { StageRig } from './stage-rig.ts';

let rig: StageRig;
openRigForEach((opened) => (rig = opened));

describe('without the runtime', () => {
  test('a video without a next item keeps playing', async () => {
    await rig.play(videoShowing('video', await rig.addShortVideo()));
    await rig.stopServer();
    const frames = await rig.watchFrames();
    const time = () =>
      rig.page.evaluate<number>(
        'Math.max(...[...document.querySelectorAll("video")].map(({ currentTime }) => currentTime))',
      );
    await waitUntil('the end of the first pass', async () => (await time()) > 2.5);
    await waitUntil('the start of a second pass', async () => (await time()) < 1.5);
    expect((await frames.stop()).filter(isBlack)).toEqual([]);
  });

  test('a showing to be prepared waits for the server instead of failing', async () => {
    const [green, waves] = [
      await rig.addPlainImage('green'),
      await rig.addSample('sample-waves-1280x720.mp4'),
    ];
    // One route for the whole test: a request during the creation or removal of a route is not reported.
    const unreachable = new Set<string>();
    const refused = new Set<string>();
    await rig.page.route('**/media/*', async (route) => {
      const { pathname } = new URL(route.request().url());
      if (!unreachable.has(pathname)) {
        return route.continue();
      }
      refused.add(pathname);
      return route.abort('connectionrefused');
    });
    await rig.play(imageShowing('red', await rig.addPlainImage('red'), 60_000));
    for (const next of [imageShowing('green', green, null), videoShowing('waves', waves)]) {
      unreachable.add(next.url);
      rig.send({ type: 'prepare', showing: next, cut: 'when_ready' });
      await waitUntil(`${next.id} to be requested without success`, () => refused.has(next.url));
      unreachable.delete(next.url);
      await waitUntil(`${next.id} on the screen`, () => rig.messagesOfType('started', next.id).length > 0);
    }
    expect(rig.messagesOfType('failed')).toEqual([]);
  });

  test('a video is loaded again when only its first request fails', async () => {
    const waves = videoShowing('waves', await rig.addSample('sample-waves-1280x720.mp4'));
    let requests = 0;
    await rig.page.route(`**${waves.url}`, async (route) => {
      requests += 1;
      return requests === 1 ? route.abort('connectionrefused') : route.continue();
    });
    await rig.play(waves);
    expect(requests).toBeGreaterThan(1);
    expect(rig.messagesOfType('failed')).toEqual([]);
  });

  test('a page that reconnects reports what is shown and what is ready', async () => {
    await rig.play(imageShowing('red', await rig.addPlainImage('red'), 60_000));
    rig.send({
      type: 'prepare',
      showing: imageShowing('green', await rig.addPlainImage('green'), 500),
      cut: 'after_current',
    });
    await waitUntil('ready', () => rig.messagesOfType('ready', 'green').length > 0);
    await rig.stopServer();
    await rig.startServer();
    await waitUntil('a second hello', () => rig.messagesOfType('hello').length > 1);
    expect(rig.messagesOfType('hello').at(-1)).toMatchObject({
      current: { showing_id: 'red', ago_ms: expect.any(Number) },
    });
  });
});
