import { describe, expect, test, vi } from 'vitest';
import { createManualClock } from '../../test/support/manual-clock.ts';
import type { ManualClock } from '../../test/support/manual-clock.ts';
import { videoAsset } from '../../test/support/manifests.ts';
import type { ManifestSpec } from '../../test/support/manifests.ts';
import { createSimulatedPlayer, NOON } from '../../test/support/simulated-player.ts';

// Simulated days take seconds, and longer on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

/** So long before the time of the refresh that a page loaded now is old enough for it. */
const AFTERNOON = NOON + 2 * 3_600_000;

const pictures = (seconds: number): ManifestSpec => ({
  playlists: {
    pl: [
      ['a', seconds],
      ['b', seconds],
    ],
  },
});

const afternoon = async (spec: ManifestSpec) => {
  const simulation = createSimulatedPlayer({ clock: createManualClock(AFTERNOON, 3) });
  await simulation.pairAndPlay(spec);
  const before = simulation.player.stage.loadCount;
  return { ...simulation, refreshed: () => simulation.player.stage.loadCount - before };
};

const advanceTo = (clock: ManualClock, hours: number) =>
  clock.advance(NOON + hours * 3_600_000 - clock.wallMs());

describe('the nightly page refresh', () => {
  test('happens once between 3:00 and 5:00, at a transition between images, and loses no play', async () => {
    const { clock, cloud, player, refreshed } = await afternoon(pictures(60));
    await advanceTo(clock, 15);
    expect(refreshed()).toBe(0);
    await advanceTo(clock, 17);
    expect(refreshed()).toBe(1);
    await advanceTo(clock, 18);
    expect(refreshed()).toBe(1);
    const ids = player.stage.shown.map((one) => one.id).slice(0, -3);
    expect(ids.length).toBeGreaterThan(16 * 60 - 10);
    expect(ids.filter((id) => cloud.received.plays.get(id)?.outcome !== 'completed')).toEqual([]);
  });

  test('does not interrupt a video', async () => {
    const { clock, refreshed } = await afternoon({
      playlists: { pl: [['film', 300]] },
      assets: [videoAsset('film', 300)],
    });
    await advanceTo(clock, 17.5);
    expect(refreshed()).toBe(0);
  });

  test('skips a page that was loaded in the evening', async () => {
    const { clock, player, refreshed } = await afternoon(pictures(900));
    await advanceTo(clock, 8);
    player.powerCut();
    player.start();
    await advanceTo(clock, 17);
    expect(refreshed()).toBe(1);
    await advanceTo(clock, 24 + 17);
    expect(refreshed()).toBe(2);
  });
});

test('REFRESH reloads the page at the next transition', async () => {
  const { clock, cloud, refreshed } = await afternoon(pictures(60));
  cloud.sendCommand({
    id: 'cmd_1',
    command: 'REFRESH',
    expires_at: new Date(AFTERNOON + 3_600_000).toISOString(),
  });
  await clock.advance(30_000);
  expect(refreshed()).toBe(0);
  await clock.advance(60_000);
  expect(refreshed()).toBe(1);
});
