import { expect, test } from 'vitest';
import { createSimulatedPlayer } from '../../test/support/simulated-player.ts';

const HOUR_MS = 3_600_000;

test('an idle screen gets the time after a clock correction, and not otherwise', async () => {
  const { clock, cloud, player, publish } = createSimulatedPlayer();
  publish({ playlists: {} });
  player.start();
  cloud.confirmPairing();
  await clock.advance(2 * HOUR_MS);
  const before = player.stage.screen;
  await clock.advance(2 * HOUR_MS);
  expect(player.stage.screen).toBe(before);

  clock.setWall(clock.wallMs() + 3 * HOUR_MS);
  const corrected = clock.wallMs();
  await clock.advance(61_000);
  const screen = player.stage.screen;
  expect(screen).toMatchObject({ kind: 'idle' });
  expect(screen && 'info' in screen && screen.info.now_ms).toBeGreaterThanOrEqual(corrected);
});
