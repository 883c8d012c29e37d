import { describe, expect, test } from 'vitest';
import { waitUntil } from '../support/wait-until.ts';
import { openRigForEach } from './stage-hooks.ts';
import { imageShowing, isBlack, isRed, videoShowing } from './stage-rig.ts';
import type { StageRig } from './stage-rig.ts';

let rig: StageRig;
openRigForEach((opened) => (rig = opened));

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

describe('the end of a showing', () => {
  test('of a video without a duration is its natural one, and moves on there', async () => {
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
    await waitUntil('red', async () => isRed(await rig.middleColour()));
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
});
