import { z } from 'zod';
import { DEFAULT_DISPLAY, FITS, BACKGROUNDS, LANGUAGES, MAX_FADE_MS } from './display-options.ts';

/** Display settings of a device. */
export const displaySettings = z.object({
  /** How media fills the screen: letterboxed, cropped, or stretched. */
  fit: z.enum(FITS).meta({
    description: '`contain` shows all of a picture, `cover` fills the screen and crops, `stretch` distorts',
  }),
  /** Background around contained media. */
  ground: z.enum(BACKGROUNDS).meta({ description: 'What fills the rest beside a contained picture' }),
  /** Duration of the cross-fade between two items; 0 is a cut. */
  fade_ms: z
    .int()
    .min(0)
    .max(MAX_FADE_MS)
    .meta({ description: 'Milliseconds of the cross-fade; 0 is a cut' }),
  /** Language of the player's own screens: pairing, idle, technician menu. */
  language: z.enum(LANGUAGES).meta({ description: "Language of the player's own screens" }),
});

export type DisplaySettings = z.infer<typeof displaySettings>;

const { fit, ground: background, fade_ms: fadeMs, language } = displaySettings.shape;

/**
 * The same for a player: missing (an older cloud) or unknown values (a newer one) become the default. A display
 * setting never prevents playback.
 */
export const tolerantDisplay = z
  .object({
    fit: fit.catch(DEFAULT_DISPLAY.fit),
    ground: background.catch(DEFAULT_DISPLAY.ground),
    fade_ms: fadeMs.catch(DEFAULT_DISPLAY.fade_ms),
    language: language.catch(DEFAULT_DISPLAY.language),
  })
  .default(DEFAULT_DISPLAY);
