/** Option values without a schema: the page loads them before the first picture. */
export const ORIENTATIONS = ['landscape', 'portrait', 'landscape-flipped', 'portrait-flipped'] as const;
export const FITS = ['contain', 'cover', 'stretch'] as const;
export const BACKGROUNDS = ['black', 'blurred'] as const;
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'ja'] as const;
export const MAX_FADE_MS = 5_000;

/** Settings of a device that nobody has configured. */
export const DEFAULT_DISPLAY = Object.freeze({
  fit: 'contain',
  background: 'black',
  fade_ms: 0,
  language: 'en',
} as const);
