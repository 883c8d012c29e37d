import { z } from 'zod';
import { screenshotUpload } from './screenshot.ts';

/** The first protocol version with `live_request`. */
export const LIVE_PROTOCOL_VERSION = 13;

/** Longer side of a picture of the live view in pixels. */
export const MAX_LIVE_PICTURE_PIXELS = 960;

/** What somebody who looks at a screen from afar waits for. */
export const liveWanted = z.enum(['picture']);
export type LiveWanted = z.infer<typeof liveWanted>;

/**
 * Somebody looks at the screen now and waits for a few seconds. It is no command: neither side stores it, and one that is lost
 * is not repeated. The answer is `POST /v1/player/live`.
 */
export const liveRequest = z.object({ type: z.literal('live_request'), wanted: liveWanted });

/** `POST /v1/player/live`: the answer to a `live_request`. */
export const liveAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('picture'), image: screenshotUpload.shape.image }),
  z.object({ kind: z.literal('problem'), wanted: liveWanted, problem: z.string().max(300) }),
]);
export type LiveAnswer = z.infer<typeof liveAnswer>;
