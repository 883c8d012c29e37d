import { VIDEO_CLASSES } from '@placard/protocol';
import { expect, test } from 'vitest';
import { createSimulatedPlayer, SLOW_PLAYLIST } from '../../test/support/simulated-player.ts';

const HOUR_MS = 3_600_000;

/** What the page says after its start, with this many classes that its browser decodes. */
const capabilities = (supported: number) => ({
  type: 'capabilities' as const,
  videos: VIDEO_CLASSES.map((each, index) => ({
    ...each,
    supported: index < supported,
    smooth: index < supported,
    power_efficient: false,
  })),
  display: { width: 3840, height: 2160 },
});

test('a player tells the cloud once after each start what it can play, and again when that changes', async () => {
  const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
  const { capabilities: reports } = cloud.received;
  await pairAndPlay({ playlists: SLOW_PLAYLIST });
  await clock.advance(HOUR_MS);
  expect(reports, 'the page has said nothing').toEqual([]);

  const report = capabilities(4);
  player.runtime.onStageMessage(report);
  await clock.advance(HOUR_MS);
  expect(reports).toEqual([
    { videos: report.videos, hardware: { model: 'Test box', displays: [{ name: null, ...report.display }] } },
  ]);
  // A page says it after every reload.
  player.runtime.onStageMessage(capabilities(4));
  await clock.advance(HOUR_MS);
  expect(reports).toHaveLength(1);

  player.runtime.onStageMessage(capabilities(8));
  await clock.advance(HOUR_MS);
  expect(reports).toHaveLength(2);

  player.powerCut();
  player.start();
  player.runtime.onStageMessage(capabilities(8));
  await clock.advance(HOUR_MS);
  expect(reports).toHaveLength(3);
});

test('a report that the cloud does not take is sent later', async () => {
  const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay({ playlists: SLOW_PLAYLIST });
  cloud.unreachable = true;
  await clock.advance(HOUR_MS);
  player.runtime.onStageMessage(capabilities(4));
  await clock.advance(HOUR_MS);
  expect(cloud.received.capabilities).toEqual([]);
  cloud.unreachable = false;
  await clock.advance(HOUR_MS);
  expect(cloud.received.capabilities).toHaveLength(1);
});

test('a cloud of an older version is asked again after hours, not minutes', async () => {
  const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
  const { capabilities: reports } = cloud.received;
  cloud.refusesCapabilities = true;
  await pairAndPlay({ playlists: SLOW_PLAYLIST });
  player.runtime.onStageMessage(capabilities(4));
  await clock.advance(2 * HOUR_MS);
  expect(reports).toHaveLength(1);
  cloud.refusesCapabilities = false;
  await clock.advance(10 * HOUR_MS);
  expect(reports).toHaveLength(2);
});
