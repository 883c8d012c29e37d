import { z } from 'zod';
import { DEFAULT_DISPLAY, FITS, BACKGROUNDS, LANGUAGES, MAX_FADE_MS } from './display-options.ts';

const fit = z.enum(FITS).meta({
  description: '`contain` shows all of a picture, `cover` fills the screen and crops, `stretch` distorts',
});
const background = z
  .enum(BACKGROUNDS)
  .meta({ description: 'What fills the rest of the screen beside a contained picture' });
const fadeMs = z
  .int()
  .min(0)
  .max(MAX_FADE_MS)
  .meta({ description: 'Milliseconds of the cross-fade between two items; 0 is a cut' });
const language = z
  .enum(LANGUAGES)
  .meta({ description: "Language of the player's own screens: pairing, idle, technician menu" });

/** Display settings of a device. */
export const displaySettings = z.object({ fit, background, fade_ms: fadeMs, language });

/**
 * The same on the wire. `ground` is the name of `background` before protocol version 5, which older players, clouds and
 * integrations still use: it is sent as well and still read.
 */
export const wireDisplay = displaySettings.extend({
  ground: background.meta({
    description: 'The old name of `background`, with the same value',
    deprecated: true,
  }),
});

export type DisplaySettings = z.infer<typeof displaySettings>;
export type WireDisplay = z.infer<typeof wireDisplay>;

export const toWireDisplay = (display: DisplaySettings): WireDisplay => ({
  ...display,
  ground: display.background,
});

export function fromWireDisplay(wire: WireDisplay): DisplaySettings {
  const { ground: _, ...display } = wire;
  return display;
}

/** A change of display settings: the given fields are replaced. */
type DisplayChange = { [Name in keyof WireDisplay]?: WireDisplay[Name] | undefined };

/**
 * The change under the new name alone. Of two different values it is the one that is not `current`: the other one was sent
 * as it was read.
 */
export const normalizeDisplayChange = (
  { ground, background, ...change }: DisplayChange,
  current: DisplaySettings['background'],
) => ({
  ...change,
  background: background === undefined || background === current ? (ground ?? background) : background,
});

const tolerantDisplay = z.object({
  fit: fit.catch(DEFAULT_DISPLAY.fit),
  background: background.optional().catch(undefined),
  ground: background.catch(DEFAULT_DISPLAY.background),
  fade_ms: fadeMs.catch(DEFAULT_DISPLAY.fade_ms),
  language: language.catch(DEFAULT_DISPLAY.language),
});

/**
 * Display settings as received by a player: missing (an older cloud) or unknown values (a newer one) become the default.
 * A display setting never prevents playback.
 */
export function parseDisplay(input: Readonly<Record<string, unknown>>): WireDisplay {
  const { background: received, ...display } = tolerantDisplay.parse(input);
  return toWireDisplay({ ...display, background: received ?? display.ground });
}
