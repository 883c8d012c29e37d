import { expect, test } from 'vitest';
import { sha256Of } from '../../../test/support/manifests.ts';
import { createSimulatedPlayer } from '../../../test/support/simulated-player.ts';

test('a file damaged while the device was off is deleted and downloaded again, although it opens', async () => {
  const { clock, media, player, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay();
  await clock.advance(1_000);
  player.powerCut();
  media.corrupt(sha256Of('c'));
  player.start();
  const sizeOf = async () => (await media.find(sha256Of('c')))?.size;
  expect(await sizeOf()).toBe('damaged'.length);
  await clock.advance(30_000);
  expect(await sizeOf()).toBe('c'.length);
  expect(player.log.events).toContainEqual(
    expect.objectContaining({ event: 'media.checked', details: { files: 3, lost: 1, unreadable: 0 } }),
  );
});

test('every file is verified once, slowly, current ones first, and none before the first picture', async () => {
  const { clock, media, player, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay({ playlists: { spare: ['z'], pl: ['a', 'b'] }, basePlaylistId: 'pl' });
  await clock.advance(10_000);
  player.powerCut();
  const seen: { name: string | undefined; isLowPriority: boolean; picture: boolean }[] = [];
  const verify = media.verify.bind(media);
  media.verify = (sha256, lowPrioritySignal) => {
    const name = ['a', 'b', 'z'].find((one) => sha256Of(one) === sha256);
    seen.push({
      name,
      isLowPriority: lowPrioritySignal !== undefined,
      picture: player.stage.current !== null,
    });
    return verify(sha256, lowPrioritySignal);
  };
  player.start();
  await clock.advance(3_600_000);
  expect(seen).toEqual(['a', 'b', 'z'].map((name) => ({ name, isLowPriority: true, picture: true })));
});

test('a player that stops while a large file is verified does not wait for it', async () => {
  const { clock, media, player, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay();
  await clock.advance(1_000);
  player.powerCut();
  let began = false;
  media.verify = (_, lowPrioritySignal) => {
    began = true;
    return new Promise((resolve) =>
      lowPrioritySignal?.addEventListener('abort', () => resolve(true), { once: true }),
    );
  };
  player.start();
  await clock.advanceUntil(() => began, 60_000);
  await player.stop();
  expect(player.log.events).not.toContainEqual(expect.objectContaining({ event: 'service.stop_failed' }));
});

test('an unreadable file is kept and verified again later', async () => {
  const { clock, media, player, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay();
  await clock.advance(1_000);
  player.powerCut();
  const seen: string[] = [];
  const verify = media.verify.bind(media);
  let handlesLeft = false;
  media.verify = async (sha256, lowPrioritySignal) => {
    seen.push(sha256);
    return handlesLeft || sha256 !== sha256Of('b') ? verify(sha256, lowPrioritySignal) : null;
  };
  player.start();
  await clock.advance(60_000);
  expect(seen).toHaveLength(3);
  handlesLeft = true;
  await clock.advance(3 * 3_600_000);
  expect(seen.slice(3)).toEqual([sha256Of('b')]);
  expect(player.log.events.filter(({ event }) => event === 'media.checked')).toMatchObject([
    { details: { files: 3, lost: 0, unreadable: 1 } },
    { details: { files: 1, lost: 0, unreadable: 0 } },
  ]);
});
