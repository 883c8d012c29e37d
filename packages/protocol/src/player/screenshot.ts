import { z } from 'zod';
import { timestamp, wireId } from '../primitives.ts';
import { nowPlaying } from './heartbeat.ts';

/** Of the JPEG image. A player scales and compresses until it fits. */
export const MAX_SCREENSHOT_BYTES = 524_288;
/** Longer side of a screenshot in pixels. */
export const MAX_SCREENSHOT_PIXELS = 1_280;

/** `POST /v1/player/screenshots`: what the screen showed. */
export const screenshotUpload = z.object({
  /** The command `SCREENSHOT` that asked for it. */
  command_id: wireId,
  taken_at: timestamp,
  /** What the player believes was on the screen. */
  current: nowPlaying.nullable(),
  /** A JPEG image of at most `MAX_SCREENSHOT_BYTES`, in Base64. */
  image: z.string().max(Math.ceil(MAX_SCREENSHOT_BYTES / 3) * 4),
});

export type ScreenshotUpload = z.infer<typeof screenshotUpload>;
