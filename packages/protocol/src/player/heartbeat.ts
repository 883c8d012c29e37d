import { z } from 'zod';
import { revision, timestamp, wireId } from '../primitives.ts';

const percent = z.number().min(0).max(100).nullable();

/** One reading of the sensors. A missing sensor is null, never 0. */
export const heartbeatSample = z.object({
  /** Identifies the sample: a sample with the same instant, sent twice, counts once. */
  measured_at: timestamp,
  cpu_percent: percent,
  memory_percent: percent,
  disk_percent: percent,
  temperature_celsius: z.number().min(-100).max(250).nullable(),
  wifi_signal_dbm: z.number().min(-200).max(0).nullable(),
  /** 0–100 as the driver reports it. */
  wifi_quality_percent: percent.optional(),
});

/** What is on the screen. */
export const nowPlaying = z.object({
  playlist_id: wireId,
  item_id: wireId,
  content_id: wireId,
  /** When this item appeared. */
  since: timestamp,
  schedule_id: wireId.nullable().optional(),
  rule_id: wireId.nullable().optional(),
});

/** A lasting fault. Once it is missing from the list it is over. Codes: `FAULTS`. */
export const reportedFault = z.object({
  code: z.string().max(100),
  since: timestamp,
  /** Details of the fault: counts, ids, reasons. */
  facts: z.record(z.string(), z.unknown()).optional(),
});

export const reportedState = z.object({
  player_version: z.string().max(50),
  shell: z.string().max(50),
  uptime_seconds: z.number().min(0),
  applied_manifest_revision: revision.nullable(),
  current: nowPlaying.nullable(),
  storage: z.object({
    cache_bytes: z.int().min(0),
    free_bytes: z.int().min(0).nullable(),
    assets_held: z.int().min(0),
    assets_missing: z.int().min(0),
  }),
  faults: z.array(reportedFault).max(100),
  /** Video frames since the page was loaded; left out until the page has reported them. */
  frames: z.object({ drawn: z.int().min(0), dropped: z.int().min(0) }).optional(),
  /** Of the player on this disk; left out by players before protocol version 16. */
  starts: z
    .object({
      /** How often it was started. */
      count: z.int().min(0),
      /** From the start of this run until its first picture was on the screen; null before that. */
      first_picture_ms: z.number().min(0).max(86_400_000).nullable(),
    })
    .optional(),
  /** Version of this player's time zone data, its fallback when the manifest has none: `2026c`. */
  tz_version: z.string().max(50).optional(),
});

/** `POST /v1/player/heartbeats`. */
export const heartbeatRequest = z.object({
  samples: z.array(heartbeatSample).max(1000),
  state: reportedState,
});

/** Commands that a player reads of one response. The cloud sends `LIMITS.openCommands` at most. */
export const MAX_COMMANDS_PER_RESPONSE = 1000;

/** A command on its way to the device. */
export const wireCommand = z.object({
  id: wireId,
  /** One of `commandName` or `deviceTaskName`, or a command of a newer cloud, which the player reports as failed. */
  command: z.string().min(1).max(100),
  expires_at: timestamp,
});

export const heartbeatResponse = z.object({
  server_time: timestamp,
  manifest_revision: revision,
  /** Commands not yet acknowledged, oldest first. */
  commands: z.array(wireCommand).max(MAX_COMMANDS_PER_RESPONSE),
  /** Seconds until the next heartbeat. */
  next_heartbeat_in: z.number().min(1).max(86_400),
  /** True: until the next answer, also after a restart, the player updates by UPDATE_CHECK alone. Left out: also of its own accord. */
  updates_held: z.boolean().optional(),
});

export type HeartbeatSample = z.infer<typeof heartbeatSample>;
export type NowPlaying = z.infer<typeof nowPlaying>;
export type ReportedFault = z.infer<typeof reportedFault>;
export type ReportedState = z.infer<typeof reportedState>;
export type HeartbeatRequest = z.infer<typeof heartbeatRequest>;
export type HeartbeatResponse = z.infer<typeof heartbeatResponse>;
export type WireCommand = z.infer<typeof wireCommand>;
