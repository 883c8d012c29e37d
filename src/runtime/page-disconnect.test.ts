import { expect, test } from 'vitest';
import { createSimulatedPlayer } from '../../test/support/simulated-player.ts';

/** A player with 10 s images; `reportedAfter` returns the reported outcomes of the showings from that count on. */
async function setUpPlaying() {
  const simulation = createSimulatedPlayer();
  const { player, cloud, pairAndPlay } = simulation;
  await pairAndPlay();
  const { shown } = player.stage;
  const reportedAfter = (count: number) =>
    // The last ones are still on the screen or not reported yet.
    shown.slice(count, -2).map((one) => cloud.received.plays.get(one.id)?.outcome);
  return { ...simulation, shownSoFar: () => shown.length, reportedAfter };
}

test('messages of a reloaded page are accepted from its first sequence number on', async () => {
  const { clock, player, shownSoFar, reportedAfter } = await setUpPlaying();
  await clock.advance(45_000);
  player.stage.disconnect();
  player.stage.reload();
  player.stage.connect();
  const before = shownSoFar();
  await clock.advance(60_000);
  expect(reportedAfter(before)).toEqual(Array.from({ length: 4 }, () => 'completed'));
});

test('a page that is disconnected for minutes makes no item fail', async () => {
  const { clock, cloud, player, shownSoFar, reportedAfter } = await setUpPlaying();
  player.stage.disconnect();
  player.stage.reload();
  await clock.advance(5 * 60_000);
  player.stage.connect();
  const before = shownSoFar();
  await clock.advance(60_000);
  expect(reportedAfter(before)).toEqual(Array.from({ length: 4 }, () => 'completed'));
  expect([...cloud.received.plays.values()].filter((play) => play.outcome === 'failed')).toEqual([]);
});
