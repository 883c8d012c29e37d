import { z } from 'zod';
import { tolerantDisplay } from '../display.ts';
import {
  assetType,
  calendarDate,
  dayCode,
  orientation,
  playlistMode,
  revision,
  sha256,
  timestamp,
  wireId,
} from '../primitives.ts';
import { zoneTable } from './zones.ts';

/** A name that people gave; the API takes 200 characters, older clouds took more of a device. */
const shownName = z.string().max(500);

/** Which devices a schedule reaches. The manifest lists only the targets that reach this very device. */
export const manifestTarget = z.union([
  z.object({ type: z.literal('device'), id: wireId }),
  z.object({ type: z.literal('store'), id: wireId }),
  z.object({ type: z.literal('tag'), value: shownName }),
]);

export const manifestRule = z.object({
  id: wireId,
  playlist_id: wireId,
  /** `HH:MM`; the window is `[start, end)` of the organization's wall clock. */
  start_time: z.string().max(10),
  /** `HH:MM`, may be `24:00`; before the start means past midnight, equal means one round of the clock. */
  end_time: z.string().max(10),
  days: z.array(dayCode).nullable(),
  rrule: z.string().max(10_000).nullable(),
  priority: z.int(),
  starts_on: calendarDate.nullable(),
  ends_on: calendarDate.nullable(),
  /** Anchors an rrule that has no other anchor. */
  created_at: timestamp,
  /** Breaks ties: of two equal rules the one changed last wins. */
  updated_at: timestamp,
});

export const manifestSchedule = z.object({
  id: wireId,
  name: shownName,
  targets: z.array(manifestTarget),
  rules: z.array(manifestRule),
});

export const manifestItem = z.object({
  id: wireId,
  content_id: wireId,
  /** Seconds on screen; null lets a video run to its natural end. */
  duration: z.int().min(1).nullable(),
  weight: z.int().min(1).nullable(),
});

export const manifestPlaylist = z.object({
  id: wireId,
  name: shownName,
  mode: playlistMode,
  /** In position order. */
  items: z.array(manifestItem),
});

export const manifestAsset = z.object({
  id: wireId,
  sha256,
  /** Bytes. */
  size: z.int().min(0),
  url: z.url().max(2000),
  type: assetType,
  /** Sniffed from the bytes: `jpeg`, `png`, `webp`, `gif`, `avif`, `mp4`, `mov`, `webm`. */
  format: z.string().max(50),
  width: z.int().nullable(),
  height: z.int().nullable(),
  /** Seconds (fractions allowed) of the video track; null for an image. */
  duration: z.number().min(0).nullable(),
});

/** `GET /v1/player/manifest`: all that offline play needs. As a cloud sends it; `readManifest` reads that of any version. */
export const manifest = z.object({
  /** Hash of everything else here: equal content, equal revision. Also the ETag. */
  revision: revision.min(1),
  organization: z.object({ timezone: z.string().min(1).max(100) }),
  device: z.object({
    id: wireId,
    name: shownName,
    orientation,
    display: tolerantDisplay,
    /** `scrypt$<log2 N>$<salt>$<hash>`, both base64url; r = 8, p = 1, 32 bytes. Null: no PIN is set. */
    menu_pin_hash: z.string().max(500).nullable().default(null),
  }),
  base_playlist_id: wireId.nullable(),
  schedules: z.array(manifestSchedule),
  playlists: z.array(manifestPlaylist),
  assets: z.array(manifestAsset),
  /** The clocks of the zones used, from a day ago to two years ahead at least; absent from an older cloud. */
  timezones: zoneTable.optional(),
  /** Hosts, with a port that is not the usual one, where files lie beside the cloud's own; absent from an older cloud. */
  media_hosts: z.array(z.string().max(300)).max(100).optional(),
});

export type ManifestTarget = z.infer<typeof manifestTarget>;
export type ManifestRule = z.infer<typeof manifestRule>;
export type ManifestSchedule = z.infer<typeof manifestSchedule>;
export type ManifestItem = z.infer<typeof manifestItem>;
export type ManifestPlaylist = z.infer<typeof manifestPlaylist>;
export type ManifestAsset = z.infer<typeof manifestAsset>;
export type Manifest = z.infer<typeof manifest>;
