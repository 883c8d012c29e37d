import { describe, expect, test, vi } from 'vitest';
import { videoAsset } from '../../test/support/manifests.ts';
import type { ManifestSpec } from '../../test/support/manifests.ts';
import { createSimulatedPlayer, NOON } from '../../test/support/simulated-player.ts';

// Simulated days take seconds, and longer on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const PICTURES: ManifestSpec = {
  playlists: {
    pl: [
      ['a', 60],
      ['b', 60],
    ],
  },
};

const night = async (spec: ManifestSpec = PICTURES) => {
  const simulation = createSimulatedPlayer();
  await simulation.pairAndPlay(spec);
  const before = simulation.player.stage.loadCount;
  return { ...simulation, refreshed: () => simulation.player.stage.loadCount - before };
};

describe('the nightly page refresh', () => {
  test('happens once between 3:00 and 5:00, at a transition between images, and loses no play', async () => {
    const { clock, cloud, player, refreshed } = await night();
    // Noon to 3:00, the refresh window, and the rest of the day.
    await clock.advance(15 * 3_600_000);
    expect(refreshed()).toBe(0);
    await clock.advance(2 * 3_600_000);
    expect(refreshed()).toBe(1);
    await clock.advance(7 * 3_600_000);
    expect(refreshed()).toBe(1);
    const ids = player.stage.shown.map((one) => one.id).slice(0, -3);
    expect(ids.length).toBeGreaterThan(24 * 60 - 10);
    expect(ids.filter((id) => cloud.received.plays.get(id)?.outcome !== 'completed')).toEqual([]);
  });

  test('does not interrupt a video', async () => {
    const { clock, refreshed } = await night({
      playlists: { pl: [['film', 60]] },
      assets: [videoAsset('film', 60)],
    });
    await clock.advance(24 * 3_600_000);
    expect(refreshed()).toBe(0);
  });

  test('skips a page that was loaded in the evening', async () => {
    const { clock, player, refreshed } = await night();
    await clock.advance(8 * 3_600_000);
    player.powerCut();
    player.start();
    await clock.advance(9 * 3_600_000);
    expect(refreshed()).toBe(1);
    await clock.advance(24 * 3_600_000);
    expect(refreshed()).toBe(2);
  });
});

test('REFRESH reloads the page at the next transition', async () => {
  const { clock, cloud, refreshed } = await night();
  cloud.sendCommand({
    id: 'cmd_1',
    command: 'REFRESH',
    expires_at: new Date(NOON + 3_600_000).toISOString(),
  });
  await clock.advance(30_000);
  expect(refreshed()).toBe(0);
  await clock.advance(60_000);
  expect(refreshed()).toBe(1);
});
