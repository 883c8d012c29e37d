import type { DisplaySettings } from './display.ts';

/** What there is to choose from, without a schema: the page on the screen reads these, and is read before any picture. */
export const ORIENTATIONS = ['landscape', 'portrait', 'landscape-flipped', 'portrait-flipped'] as const;
export const FITS = ['contain', 'cover', 'stretch'] as const;
export const GROUNDS = ['black', 'blurred'] as const;
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'ja'] as const;
export const LONGEST_FADE_MS = 5_000;

/** A device that nobody has set up otherwise. */
export const DEFAULT_DISPLAY: DisplaySettings = Object.freeze({
  fit: 'contain',
  ground: 'black',
  fade_ms: 0,
  language: 'en',
});
