import { heartbeatSample, orientation, play, parseStoredManifest } from '@placard/protocol';
import { z } from 'zod';
import type { CommandEntry } from '../../core/commands/journal.ts';
import type { PairingSession } from '../../core/pairing/pairing-session.ts';
import type { DroppedPlays, Showing } from '../../core/playback/plays.ts';
import type { LocalSettings, CachedFile, OrderPosition } from '../../core/ports.ts';

/** A column with JSON of this shape. */
const json = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: 'custom', message: 'not JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);

const nullableString = z.string().nullable();

const storedShowing = z.object({
  id: z.string(),
  playlistId: z.string(),
  itemId: z.string(),
  contentId: z.string(),
  sha256: z.string(),
  scheduleId: nullableString,
  ruleId: nullableString,
  kind: z.enum(['image', 'video']),
  durationMs: z.number().nullable(),
  videoEndMs: z.number().nullable(),
}) satisfies z.ZodType<Showing>;

const orderPosition = z.object({
  round: z.number(),
  last: nullableString,
  index: z.number().exactOptional(),
  following: z.string().exactOptional(),
  at: nullableString.exactOptional(),
  held: nullableString.exactOptional(),
  heldRank: z.number().exactOptional(),
  shown: z.record(z.string(), z.number()).exactOptional(),
}) satisfies z.ZodType<OrderPosition>;

const pairingSession = z.object({
  pairingId: z.string(),
  pollToken: z.string(),
  code: z.string(),
  verificationUrl: z.string(),
  verificationUrlComplete: z.string(),
  expiresAtMs: z.number(),
  intervalMs: z.number(),
}) satisfies z.ZodType<PairingSession>;

const commandEntry = z.object({
  id: z.string(),
  command: z.string(),
  expiresAtMs: z.number(),
  receivedAtMs: z.number(),
  stage: z.enum(['received', 'executing', 'succeeded', 'failed']),
  bootId: nullableString,
  launchId: nullableString,
  begunAtMs: z.number().nullable(),
  begunUptimeMs: z.number().optional(),
  result: z.record(z.string(), z.unknown()).nullable(),
  told: z.enum(['acknowledged', 'succeeded', 'failed']).nullable(),
}) satisfies z.ZodType<CommandEntry>;

const localSettings = z.object({
  orientation: orientation.nullable(),
  pinAttempts: z.object({ wrong: z.int().min(0), lastAtMs: z.number() }),
}) satisfies z.ZodType<LocalSettings>;

const droppedPlays = z.object({
  count: z.int().min(0),
  lastAtMs: z.number(),
}) satisfies z.ZodType<DroppedPlays>;

export const identityRow = z
  .object({ device_id: z.string(), device_token: z.string() })
  .transform((row) => ({ deviceId: row.device_id, deviceToken: row.device_token }));

export const pairingRow = z.object({ session: json(pairingSession) });
/** A manifest of an older version, or of a newer one that was rolled back, is parsed as far as possible. */
const storedManifest = z.unknown().transform((stored, context) => {
  const read = parseStoredManifest(stored);
  if (read) {
    return read;
  }
  context.addIssue({ code: 'custom', message: 'not a manifest' });
  return z.NEVER;
});
export const manifestRow = z.object({ slot: z.enum(['held', 'target']), body: json(storedManifest) });
export const positionRow = z.object({ playlist_id: z.string(), position: json(orderPosition) });
export const sampleRow = z.object({ sample: json(heartbeatSample) });
export const commandRow = z.object({ entry: json(commandEntry) });
export const localSettingsRow = z.object({ value: json(localSettings) });
export const droppedPlaysRow = z.object({ value: json(droppedPlays) });
export const updatesHeldRow = z.object({ value: json(z.boolean()) });
export const countRow = z.object({ count: z.int() });
/** A row of the table `facts`, which holds single values by name. */
export const keyValueRow = z.object({ value: z.string() });

export const mediaRow = z
  .object({ sha256: z.string(), size: z.number(), content_type: z.string() })
  .transform((row): CachedFile => ({ sha256: row.sha256, size: row.size, contentType: row.content_type }));

/** Column `draft`: the showing. `guess`: the boot whose unconfirmed clock dated the play; null: the clock was correct. */
export const unfinishedRow = z.object({
  state: z.enum(['prepared', 'superseded', 'open']),
  draft: json(storedShowing),
  started_at: z.number().nullable(),
  guess: nullableString,
});

/** Milliseconds since 1970 within the range of `Date`, which a damaged number may exceed. */
const epochMs = z.number().min(-8.64e15).max(8.64e15);
const iso = (ms: number) => new Date(ms).toISOString();

/** A closed play in the wire format; the column `draft` holds its showing. */
export const closedPlayRow = z
  .object({
    draft: json(storedShowing),
    started_at: epochMs,
    ended_at: epochMs,
    duration_ms: z.number(),
    outcome: play.shape.outcome,
    reason: nullableString,
  })
  .transform(({ draft, ...row }): z.input<typeof play> => ({
    id: draft.id,
    content_id: draft.contentId,
    playlist_id: draft.playlistId,
    schedule_id: draft.scheduleId,
    rule_id: draft.ruleId,
    started_at: iso(row.started_at),
    ended_at: iso(row.ended_at),
    duration_ms: row.duration_ms,
    outcome: row.outcome,
    reason: row.reason,
  }))
  .pipe(play);
