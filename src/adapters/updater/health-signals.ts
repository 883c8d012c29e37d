import { z } from 'zod';
import { cloudReachability } from '../../core/update/version-health.ts';
import type { HealthSignals } from '../../core/update/version-health.ts';

/** The part of the player's status that its health depends on. */
const status = z.object({
  connection: z.string(),
  faults: z.array(z.object({ code: z.string() })),
  now_playing: z.unknown(),
  playing_because: z.object({ source: z.string() }),
});

/**
 * Health signals of a running player, whose database is open. When there is something to show, a drawing page is
 * not enough: it has to be on the screen. A status that cannot be parsed is not healthy.
 */
export function readHealthSignals(of: object, isPageDrawing: boolean): HealthSignals {
  const parsed = status.safeParse(of);
  if (!parsed.success) {
    return { hasShownPicture: false, isDatabaseOpen: true, cloud: 'not_tried' };
  }
  const { connection, faults, now_playing, playing_because } = parsed.data;
  const codes = faults.map(({ code }) => code);
  return {
    hasShownPicture: isPageDrawing && (playing_because.source === 'none' || Boolean(now_playing)),
    isDatabaseOpen: true,
    cloud: cloudReachability(connection, codes),
  };
}
