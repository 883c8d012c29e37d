import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StageShowing } from '@placard/protocol/stage';
import { CORPUS, corpusBytes, isPlayable } from '../corpus/corpus.ts';
import type { Playable } from '../corpus/corpus-file.ts';
import { problemsOfPattern } from '../corpus/look.ts';
import { waitUntil } from '../support/wait-until.ts';
import { imageShowing, isBlack, startStageRig } from './stage-rig.ts';
import type { StageRig } from './stage-rig.ts';

const PANEL = { width: 320, height: 180 };
/** The bundled Chromium has no decoder of HEVC. */
const WITHOUT_DECODER = /hevc/;
/** As the player serves them, by format. */
const ENDINGS: Record<string, string> = { jpeg: 'jpg', mov: 'mp4' };

let rig: StageRig;
beforeAll(async () => {
  rig = await startStageRig(PANEL);
  rig.send({ type: 'screen', screen: { kind: 'stage' } });
  await rig.play(imageShowing('first', await rig.addPlainImage('green'), null));
});
afterAll(() => rig.close());

async function showingOf({ name, answer }: Playable): Promise<StageShowing> {
  const ending = ENDINGS[answer.format] ?? answer.format;
  const url = await rig.addMedia(`${name}.${ending}`, await corpusBytes(name));
  const kind = answer.duration === null ? 'image' : 'video';
  const video_end_ms = answer.duration === null ? null : answer.duration * 1000;
  return { id: name, kind, url, duration_ms: null, video_end_ms };
}

/** Resolves when half of the video on the screen has been played. */
const middleOfVideo = (seconds: number) =>
  waitUntil('the middle of the video', () =>
    rig.page.evaluate(
      `(document.querySelector('.layer.above video:not([hidden])')?.currentTime ?? 0) >= ${seconds / 2}`,
    ),
  );

/** Shows the file, and looks at the screen in the middle of it; returns why the page does not show it, or null. */
async function show(file: Playable): Promise<string | null> {
  const { name, answer } = file;
  rig.send({ type: 'prepare', showing: await showingOf(file), cut: 'when_ready' });
  await waitUntil(
    `${name} to start or fail`,
    () => rig.messagesOfType('started', name).length + rig.messagesOfType('failed', name).length > 0,
  );
  const [failure] = rig.messagesOfType('failed', name);
  if (failure) {
    return failure.reason;
  }
  if (answer.duration !== null) {
    await middleOfVideo(answer.duration);
  }
  const { width, height, isGrey = false } = answer;
  const problems = await problemsOfPattern(await rig.page.screenshot(), { shown: { width, height }, isGrey });
  expect(problems).toEqual([]);
  return null;
}

test.each(CORPUS.filter(isPlayable))('$name ($is) is shown as it is', async (file) => {
  const frames = await rig.watchFrames();
  const [shown] = await Promise.allSettled([show(file)]);
  expect((await frames.stop()).filter(isBlack)).toEqual([]);
  expect(shown).toEqual({
    status: 'fulfilled',
    value: WITHOUT_DECODER.test(file.name) ? 'unsupported' : null,
  });
});

test('a video of one frame ends by itself, and the next item follows', async () => {
  const file = CORPUS.filter(isPlayable).find(({ name }) => name === 'one-frame.mp4')!;
  const [green, showing] = [await rig.addPlainImage('green'), await showingOf(file)];
  rig.send({ type: 'prepare', showing: { ...showing, id: 'short' }, cut: 'when_ready' });
  await waitUntil('the video', () => rig.messagesOfType('started', 'short').length > 0);
  rig.send({ type: 'prepare', showing: imageShowing('next', green, null), cut: 'after_current' });
  await waitUntil('the next item', () => rig.messagesOfType('started', 'next').length > 0);
  expect(rig.messagesOfType('ended', 'short')).toMatchObject([{ outcome: 'completed' }]);
});
