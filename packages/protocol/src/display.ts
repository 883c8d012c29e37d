import { z } from 'zod';
import { DEFAULT_DISPLAY, FITS, GROUNDS, LANGUAGES, LONGEST_FADE_MS } from './display-choices.ts';

/** How the player shows what it is given; a setting of the device. */
export const displaySettings = z.object({
  /** How a picture fills the screen: whole, cropped, or pulled to its shape. */
  fit: z.enum(FITS).meta({
    description: '`contain` shows all of a picture, `cover` fills the screen and crops, `stretch` distorts',
  }),
  /** What fills the rest beside a contained picture. */
  ground: z.enum(GROUNDS).meta({ description: 'What fills the rest beside a contained picture' }),
  /** Milliseconds that one item fades into the next; 0 is a cut. */
  fade_ms: z
    .int()
    .min(0)
    .max(LONGEST_FADE_MS)
    .meta({ description: 'Milliseconds of the cross-fade; 0 is a cut' }),
  /** Of the player's own screens: pairing, idle, technician menu. */
  language: z.enum(LANGUAGES).meta({ description: "Language of the player's own screens" }),
});

export type DisplaySettings = z.infer<typeof displaySettings>;

const { fit, ground, fade_ms: fadeMs, language } = displaySettings.shape;

/**
 * The same as a player reads it: what is missing (an older cloud) or means nothing to it (a newer one) is
 * shown in the default way. How to show something is never a reason to show nothing.
 */
export const tolerantDisplay = z
  .object({
    fit: fit.catch(DEFAULT_DISPLAY.fit),
    ground: ground.catch(DEFAULT_DISPLAY.ground),
    fade_ms: fadeMs.catch(DEFAULT_DISPLAY.fade_ms),
    language: language.catch(DEFAULT_DISPLAY.language),
  })
  .default(DEFAULT_DISPLAY);
