import { z } from 'zod';
import { cloudVital, type Vitals } from '../../core/update/health.ts';

/** The part of the player's status that its health depends on. */
const status = z.object({
  connection: z.string(),
  faults: z.array(z.object({ code: z.string() })),
  now_playing: z.unknown(),
  playing_because: z.object({ source: z.string() }),
});

/**
 * The vitals of a player that runs, so its store is open. With something to show, a page that draws is not enough: it
 * has to be on the screen. A status that cannot be read is not healthy.
 */
export function vitalsOf(of: object, pageDraws: boolean): Vitals {
  const parsed = status.safeParse(of);
  if (!parsed.success) return { pictureShown: false, storeOpen: true, cloud: 'not_tried' };
  const { connection, faults, now_playing, playing_because } = parsed.data;
  const codes = faults.map(({ code }) => code);
  return {
    pictureShown: pageDraws && (playing_because.source === 'none' || Boolean(now_playing)),
    storeOpen: true,
    cloud: cloudVital(connection, codes),
  };
}
