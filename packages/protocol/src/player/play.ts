import { z } from 'zod';
import { timestamp, wireId } from '../primitives.ts';

/** One showing of one item; the id is made by the player, so that a play sent twice counts once. */
export const play = z.object({
  id: z
    .string()
    .max(65)
    .regex(/^play_[0-9a-z]{10,60}$/, 'must be a play id'),
  content_id: z.string().min(1).max(100),
  playlist_id: z.string().min(1).max(100).nullable(),
  schedule_id: z.string().min(1).max(100).nullable(),
  rule_id: z.string().min(1).max(100).nullable(),
  started_at: timestamp,
  ended_at: timestamp,
  /** Milliseconds on screen by the monotonic clock. */
  duration_ms: z.int().min(0),
  outcome: z.enum(['completed', 'interrupted', 'failed']),
  /** Why it was interrupted or failed; null when completed. */
  reason: z.string().max(200).nullable(),
});

/** Most plays in one request. */
export const MAX_PLAYS_PER_REQUEST = 500;

/** `POST /v1/player/plays`. Each play is checked by itself, so that one bad play does not reject the others. */
export const playsRequest = z.object({ plays: z.array(z.unknown()).max(MAX_PLAYS_PER_REQUEST) });

export const playsResponse = z.object({
  /** Ids that are stored now, including those stored before. */
  accepted: z.array(wireId).max(MAX_PLAYS_PER_REQUEST),
  /** Plays that can never be stored, with the reason; do not send them again. */
  rejected: z
    .array(z.object({ index: z.int(), id: z.string().max(200).nullable(), message: z.string().max(2000) }))
    .max(MAX_PLAYS_PER_REQUEST),
});

export type Play = z.infer<typeof play>;
export type PlaysResponse = z.infer<typeof playsResponse>;
