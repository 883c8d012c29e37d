import { z } from 'zod';
import { FORMATS } from '../domain/formats.ts';
import type { Format } from '../domain/formats.ts';

/** Why a file is refused: `details.reason` of the 415. A reason never changes its meaning. */
export const REFUSED_BECAUSE = [
  'unsupported_format',
  'unsupported_codec',
  'undecodable',
  'no_picture',
  'too_many_pixels',
  'too_slow',
  'too_much_memory',
  'crashed',
] as const;
export type RefusedBecause = (typeof REFUSED_BECAUSE)[number];

// The compiler knows the keys of an object as strings only.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const formats = Object.keys(FORMATS) as [Format, ...Format[]];

const facts = z.object({
  format: z.enum(formats),
  type: z.enum(['image', 'video']),
  /** As shown, with rotation applied. */
  width: z.int().positive(),
  height: z.int().positive(),
  /** Seconds of the video track (sound may be longer); null for an image. */
  durationSeconds: z.number().positive().nullable(),
});
export type Facts = z.infer<typeof facts>;

/** What the codecs of the small pictures are, as mediabunny names them. */
const codecs = z.object({
  codecs: z.array(z.string()),
  /** Why the optional decoder cannot be used; null when it can. */
  missing: z.string().nullable(),
});
export type Codecs = z.infer<typeof codecs>;

/** Argument of the process: the optional decoder is not loaded. */
export const WITHOUT_DECODER = '--without-decoder';

/** From the cloud to the process that looks at files. */
export const order = z.discriminatedUnion('type', [
  z.object({ type: z.literal('inspect'), path: z.string() }),
  z.object({ type: z.literal('codecs') }),
]);
export type Order = z.infer<typeof order>;

/** Most characters of a small picture in base64: far more than 480 pixels need. */
const MOST_THUMBNAIL_TEXT = 4_000_000;

/** From the process that looks at files. It reads what strangers made, so nothing of this is believed unseen. */
export const report = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  /** The file can be shown. Its small picture is still to come, and may cost the process its life. */
  z.object({ type: z.literal('facts'), facts }),
  z.object({
    type: z.literal('done'),
    /** WebP in base64. */
    thumbnail: z.base64().max(MOST_THUMBNAIL_TEXT).nullable(),
    /** Why there is none, when it was tried. */
    thumbnailFault: z.enum(REFUSED_BECAUSE).nullable(),
  }),
  z.object({ type: z.literal('refused'), reason: z.enum(REFUSED_BECAUSE), message: z.string().max(2000) }),
  z.object({ type: z.literal('codecs'), ...codecs.shape }),
]);
export type Report = z.infer<typeof report>;

/** A file that no screen can show, or that costs too much to look at. */
export interface Refused {
  reason: RefusedBecause;
  message: string;
}

/** What the bytes of a file say. */
export interface Inspected extends Facts {
  /** A small WebP picture; null for a video out of which none can be had. */
  thumbnail: Buffer | null;
  /** Why it has none although that was tried; null when it has one, or when no decoder was there to try. */
  thumbnailFault: RefusedBecause | null;
}
