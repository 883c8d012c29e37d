import type { RenditionKind } from '@placard/protocol/api';
import { z } from 'zod';

// Not the list of the API, all of which the process would load.
const KINDS = ['h264_1080p30', 'still_3840'] as const satisfies readonly RenditionKind[];

/** What the process that makes a rendition is told, as its first argument. */
export const renditionOrder = z.object({
  kind: z.enum(KINDS),
  /** The original. */
  from: z.string(),
  /** The file to write, in a folder of its own. */
  to: z.string(),
  /** The file is to be no larger, bytes. */
  maxBytes: z.int().positive(),
});
export type RenditionOrder = z.infer<typeof renditionOrder>;

/** Why the process made none. */
const refusalReason = z.enum([
  'undecodable',
  'high_dynamic_range',
  'too_long',
  'animated',
  'no_encoder',
  'not_written',
]);
export type RefusalReason = z.infer<typeof refusalReason>;

/** What it answers before it ends. */
const report = [
  z.object({ type: z.literal('made') }),
  z.object({ type: z.literal('failed'), reason: refusalReason, message: z.string().max(2000) }),
] as const;
export type RenditionReport = z.infer<(typeof report)[number]>;

/** What it says; `part`: it has finished one of a video. It reads untrusted files, so all of it is validated. */
export const renditionMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('part') }),
  ...report,
]);
export type RenditionMessage = z.infer<typeof renditionMessage>;
