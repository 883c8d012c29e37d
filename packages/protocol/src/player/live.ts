import { z } from 'zod';
import { screenshotUpload } from './screenshot.ts';

/** What somebody who looks at a screen from afar waits for. */
export const liveWanted = z.enum(['picture', 'log_lines']);
export type LiveWanted = z.infer<typeof liveWanted>;

/** The first protocol version in which a player can be asked for it. */
export const LIVE_PROTOCOL_VERSIONS: Readonly<Record<LiveWanted, number>> = { picture: 13, log_lines: 14 };

/** Longer side of a picture of the live view in pixels. */
export const MAX_LIVE_PICTURE_PIXELS = 960;

/** Of all lines in an answer together. */
export const MAX_LIVE_LOG_CHARS = 16_384;
export const MAX_LIVE_LOG_LINES = 1_000;

/** The newest lines of the log of a player, oldest first, as many as fit. */
export const liveLogLines = z.object({
  /** Of this run of the process, which counts its lines from 0. */
  run: z.string().max(50),
  /** The number of the first of these lines. */
  first: z.int().min(0),
  lines: z.array(z.string().max(MAX_LIVE_LOG_CHARS)).max(MAX_LIVE_LOG_LINES),
});
export type LiveLogLines = z.infer<typeof liveLogLines>;

/**
 * Somebody looks at the screen now and waits for a few seconds. It is no command: neither side stores it, and one that is lost
 * is not repeated. The answer is `POST /v1/player/live`.
 */
export const liveRequest = z.object({ type: z.literal('live_request'), wanted: liveWanted });

/** `POST /v1/player/live`: the answer to a `live_request`. */
export const liveAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('picture'), image: screenshotUpload.shape.image }),
  z.object({ kind: z.literal('log_lines'), log: liveLogLines }),
  z.object({ kind: z.literal('problem'), wanted: liveWanted, problem: z.string().max(300) }),
]);
export type LiveAnswer = z.infer<typeof liveAnswer>;
