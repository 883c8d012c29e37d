import { z } from 'zod';
import { tolerantDisplay } from '../display.ts';
import {
  assetType,
  calendarDate,
  dayCode,
  orientation,
  playlistMode,
  sha256,
  timestamp,
} from '../primitives.ts';

/** Which devices a schedule reaches. The manifest lists only the targets that reach this very device. */
export const manifestTarget = z.union([
  z.object({ type: z.literal('device'), id: z.string() }),
  z.object({ type: z.literal('store'), id: z.string() }),
  z.object({ type: z.literal('tag'), value: z.string() }),
]);

export const manifestRule = z.object({
  id: z.string(),
  playlist_id: z.string(),
  /** `HH:MM`; the window is `[start, end)` of the organization's wall clock. */
  start_time: z.string(),
  /** `HH:MM`, may be `24:00`; before the start means past midnight, equal means one round of the clock. */
  end_time: z.string(),
  days: z.array(dayCode).nullable(),
  rrule: z.string().nullable(),
  priority: z.int(),
  starts_on: calendarDate.nullable(),
  ends_on: calendarDate.nullable(),
  /** Anchors an rrule that has no other anchor. */
  created_at: timestamp,
  /** Breaks ties: of two equal rules the one changed last wins. */
  updated_at: timestamp,
});

export const manifestSchedule = z.object({
  id: z.string(),
  name: z.string(),
  targets: z.array(manifestTarget),
  rules: z.array(manifestRule),
});

export const manifestItem = z.object({
  id: z.string(),
  content_id: z.string(),
  /** Seconds on screen; null lets a video run to its natural end. */
  duration: z.int().min(1).nullable(),
  weight: z.int().min(1).nullable(),
});

export const manifestPlaylist = z.object({
  id: z.string(),
  name: z.string(),
  mode: playlistMode,
  /** In position order. */
  items: z.array(manifestItem),
});

export const manifestAsset = z.object({
  id: z.string(),
  sha256,
  /** Bytes. */
  size: z.int().min(0),
  url: z.url(),
  type: assetType,
  /** Sniffed from the bytes: `jpeg`, `png`, `webp`, `gif`, `avif`, `mp4`, `webm`. */
  format: z.string(),
  width: z.int().nullable(),
  height: z.int().nullable(),
  /** Seconds (fractions allowed) of the video track; null for an image. */
  duration: z.number().min(0).nullable(),
});

/** `GET /v1/player/manifest`: all that offline play needs. */
export const manifest = z.object({
  /** Hash of everything else here: equal content, equal revision. Also the ETag. */
  revision: z.string().min(1),
  organization: z.object({ timezone: z.string().min(1) }),
  device: z.object({
    id: z.string(),
    name: z.string(),
    orientation,
    display: tolerantDisplay,
    /** `scrypt$<log2 N>$<salt>$<hash>`, both base64url; r = 8, p = 1, 32 bytes. Null: no PIN is set. */
    menu_pin_hash: z.string().max(500).nullable().default(null),
  }),
  base_playlist_id: z.string().nullable(),
  schedules: z.array(manifestSchedule),
  playlists: z.array(manifestPlaylist),
  assets: z.array(manifestAsset),
});

export type ManifestTarget = z.infer<typeof manifestTarget>;
export type ManifestRule = z.infer<typeof manifestRule>;
export type ManifestSchedule = z.infer<typeof manifestSchedule>;
export type ManifestItem = z.infer<typeof manifestItem>;
export type ManifestPlaylist = z.infer<typeof manifestPlaylist>;
export type ManifestAsset = z.infer<typeof manifestAsset>;
export type Manifest = z.infer<typeof manifest>;
