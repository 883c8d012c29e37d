import { expect, test } from 'vitest';
import { house } from '../../test/support/simulated-house.ts';

/** A house with pictures of 10 s, and which of those from then on were reported as seen to the end. */
async function playing() {
  const home = house();
  const { box, cloud, settle } = home;
  await settle();
  const { shown } = box.stage;
  const reportedAfter = (count: number) =>
    // The last ones are on the screen yet, or not told yet.
    shown.slice(count, -2).map((one) => cloud.seen.plays.get(one.id)?.outcome);
  return { ...home, shownSoFar: () => shown.length, reportedAfter };
}

test('a page that is loaded anew is heard from its first word on', async () => {
  const { clock, box, shownSoFar, reportedAfter } = await playing();
  await clock.advance(45_000);
  box.stage.disconnect();
  box.stage.reload();
  box.stage.connect();
  const before = shownSoFar();
  await clock.advance(60_000);
  expect(reportedAfter(before)).toEqual(Array.from({ length: 4 }, () => 'completed'));
});

test('a page that stays away for minutes costs no item its turn', async () => {
  const { clock, cloud, box, shownSoFar, reportedAfter } = await playing();
  box.stage.disconnect();
  box.stage.reload();
  await clock.advance(5 * 60_000);
  box.stage.connect();
  const before = shownSoFar();
  await clock.advance(60_000);
  expect(reportedAfter(before)).toEqual(Array.from({ length: 4 }, () => 'completed'));
  expect([...cloud.seen.plays.values()].filter((play) => play.outcome === 'failed')).toEqual([]);
});
