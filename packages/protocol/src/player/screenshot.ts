import { z } from 'zod';
import { timestamp, wireId } from '../primitives.ts';
import { nowPlaying, reportedFault } from './heartbeat.ts';

/** Of the JPEG image. A player scales and compresses until it fits. */
export const MAX_SCREENSHOT_BYTES = 524_288;
/** Longer side of a screenshot in pixels: most displays are not larger, so that nothing has to be scaled. */
export const MAX_SCREENSHOT_PIXELS = 1_920;

/** The first protocol version of clouds that take more than `FORMER_SCREENSHOT_PIXELS`. */
const LARGE_SCREENSHOTS_PROTOCOL = 17;
const FORMER_SCREENSHOT_PIXELS = 1_280;

/** Longer side of a screenshot that a cloud of this protocol version takes; null: the version is not known. */
export const screenshotPixelsFor = (cloudProtocol: number | null): number =>
  cloudProtocol !== null && cloudProtocol >= LARGE_SCREENSHOTS_PROTOCOL
    ? MAX_SCREENSHOT_PIXELS
    : FORMER_SCREENSHOT_PIXELS;

/** Minutes between the pictures that a player sends of its own accord. */
export const screenshotInterval = z.int().min(5).max(1_440);
/** 0: the player sends none. */
export const screenshotIntervalOrNever = z.union([z.literal(0), screenshotInterval]);

/** `POST /v1/player/screenshots`: what the screen showed. */
export const screenshotUpload = z.object({
  /** The command `SCREENSHOT` that asked for it. */
  command_id: wireId.optional(),
  /** The fault that has begun. With neither of both, the settings want a picture every so many minutes. */
  fault_code: reportedFault.shape.code.optional(),
  taken_at: timestamp,
  /** What the player believes was on the screen. */
  current: nowPlaying.nullable(),
  /** A JPEG image of at most `MAX_SCREENSHOT_BYTES`, in Base64. */
  image: z.string().max(Math.ceil(MAX_SCREENSHOT_BYTES / 3) * 4),
});

export type ScreenshotUpload = z.infer<typeof screenshotUpload>;
