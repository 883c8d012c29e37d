import { z } from 'zod';
import { MEDIA_FORMATS } from '../domain/media-formats.ts';
import type { MediaFormat } from '../domain/media-formats.ts';

/** Why a file is rejected: `details.reason` of the 415. Reasons never change their meaning. */
export const REJECTION_REASONS = [
  'unsupported_format',
  'unsupported_codec',
  'undecodable',
  'no_picture',
  'too_many_pixels',
  'too_slow',
  'too_much_memory',
  'crashed',
] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

// TypeScript types the keys of an object as strings.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const formats = Object.keys(MEDIA_FORMATS) as [MediaFormat, ...MediaFormat[]];

const mediaInfo = z.object({
  format: z.enum(formats),
  type: z.enum(['image', 'video']),
  /** As displayed, with rotation applied. */
  width: z.int().positive(),
  height: z.int().positive(),
  /** Seconds of the video track (audio may be longer); null for an image. */
  durationSeconds: z.number().positive().nullable(),
  /** As RFC 6381 writes it, such as `avc1.640028`; null for an image, and when the file does not tell. */
  codec: z.string().max(100).nullable(),
  /** Frames per second; null for an image, and when the file does not tell. */
  frameRate: z.number().positive().max(1000).nullable(),
});
export type MediaInfo = z.infer<typeof mediaInfo>;

/** Codecs of videos that thumbnails can be made of, as mediabunny names them. */
const codecs = z.object({
  codecs: z.array(z.string()),
  /** Why the optional decoder cannot be used; null when it can. */
  missing: z.string().nullable(),
});
export type Codecs = z.infer<typeof codecs>;

/** As `PictureMeasures` says. */
const pictureMeasures = z.object({
  luminance: z.number().min(0).max(255),
  dark: z.number().min(0).max(1),
  hash: z.string().regex(/^[0-9a-f]{16}$/),
});

/** Process argument: do not load the optional decoder. */
export const WITHOUT_DECODER = '--without-decoder';

/** Messages from the cloud to the inspection process. */
export const inspectionRequest = z.discriminatedUnion('type', [
  z.object({ type: z.literal('inspect'), path: z.string() }),
  z.object({ type: z.literal('codecs') }),
  /** What a screenshot looks like. */
  z.object({ type: z.literal('measure'), path: z.string() }),
]);
export type InspectionRequest = z.infer<typeof inspectionRequest>;

/** Maximum base64 characters of a thumbnail: far more than 480 pixels need. */
const MAX_THUMBNAIL_CHARACTERS = 4_000_000;

/** Messages from the inspection process. It parses untrusted files, so every message is validated. */
export const inspectionReport = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  /** The file is supported. Its thumbnail follows, and making it may crash the process. */
  z.object({ type: z.literal('info'), info: mediaInfo }),
  z.object({
    type: z.literal('done'),
    /** WebP in base64. */
    thumbnail: z.base64().max(MAX_THUMBNAIL_CHARACTERS).nullable(),
    /** Why making a thumbnail failed, if it was attempted. */
    thumbnailFault: z.enum(REJECTION_REASONS).nullable(),
  }),
  z.object({ type: z.literal('refused'), reason: z.enum(REJECTION_REASONS), message: z.string().max(2000) }),
  z.object({ type: z.literal('codecs'), ...codecs.shape }),
  z.object({ type: z.literal('measured'), ...pictureMeasures.shape }),
]);
export type InspectionReport = z.infer<typeof inspectionReport>;

/** A file that is not supported, or too expensive to inspect. */
export interface RejectedFile {
  reason: RejectionReason;
  message: string;
}

/** Metadata and thumbnail of an accepted file. */
export interface InspectedFile extends MediaInfo {
  /** WebP thumbnail; null for a video of which none could be made. */
  thumbnail: Buffer | null;
  /** Why making a thumbnail failed; null if it has one, or no decoder was available. */
  thumbnailFault: RejectionReason | null;
}
