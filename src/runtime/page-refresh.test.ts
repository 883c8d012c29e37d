import { describe, expect, test, vi } from 'vitest';
import { videoAsset, type ManifestSketch } from '../../test/support/manifests.ts';
import { house, NOON } from '../../test/support/simulated-house.ts';

// Simulated days take seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const PICTURES: ManifestSketch = {
  playlists: {
    pl: [
      ['a', 60],
      ['b', 60],
    ],
  },
};

const night = async (sketch: ManifestSketch = PICTURES) => {
  const home = house();
  await home.settle(sketch);
  const before = home.box.stage.loads;
  return { ...home, refreshed: () => home.box.stage.loads - before };
};

describe('the nightly refresh of the page', () => {
  test('comes once between three and five, from one picture to the next, and costs no play', async () => {
    const { clock, cloud, box, refreshed } = await night();
    // Noon to three, the window, and the rest of the day.
    await clock.advance(15 * 3_600_000);
    expect(refreshed()).toBe(0);
    await clock.advance(2 * 3_600_000);
    expect(refreshed()).toBe(1);
    await clock.advance(7 * 3_600_000);
    expect(refreshed()).toBe(1);
    const ids = box.stage.shown.map((one) => one.id).slice(0, -3);
    expect(ids.length).toBeGreaterThan(24 * 60 - 10);
    expect(ids.filter((id) => cloud.seen.plays.get(id)?.outcome !== 'completed')).toEqual([]);
  });

  test('does not touch a video', async () => {
    const { clock, refreshed } = await night({
      playlists: { pl: [['film', 60]] },
      assets: [videoAsset('film', 60)],
    });
    await clock.advance(24 * 3_600_000);
    expect(refreshed()).toBe(0);
  });

  test('leaves a page alone that was loaded in the evening', async () => {
    const { clock, box, refreshed } = await night();
    await clock.advance(8 * 3_600_000);
    box.powerCut();
    box.start();
    await clock.advance(9 * 3_600_000);
    expect(refreshed()).toBe(1);
    await clock.advance(24 * 3_600_000);
    expect(refreshed()).toBe(2);
  });
});

test('REFRESH loads the page anew at the next cut', async () => {
  const { clock, cloud, refreshed } = await night();
  cloud.command({
    id: 'cmd_1',
    command: 'REFRESH',
    expires_at: new Date(NOON + 3_600_000).toISOString(),
  });
  await clock.advance(30_000);
  expect(refreshed()).toBe(0);
  await clock.advance(60_000);
  expect(refreshed()).toBe(1);
});
