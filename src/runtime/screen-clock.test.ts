import { expect, test } from 'vitest';
import { house } from '../../test/support/simulated-house.ts';

const HOUR_MS = 3_600_000;

test('an idle screen is told the time anew when the clock was corrected, and not while it goes right', async () => {
  const { clock, cloud, box, publish } = house();
  publish({ playlists: {} });
  box.start();
  cloud.confirm();
  await clock.advance(2 * HOUR_MS);
  const before = box.stage.screen;
  await clock.advance(2 * HOUR_MS);
  expect(box.stage.screen).toBe(before);

  clock.setWall(clock.wall() + 3 * HOUR_MS);
  const corrected = clock.wall();
  await clock.advance(61_000);
  const screen = box.stage.screen;
  expect(screen).toMatchObject({ kind: 'idle' });
  expect(screen && 'facts' in screen && screen.facts.now_ms).toBeGreaterThanOrEqual(corrected);
});
