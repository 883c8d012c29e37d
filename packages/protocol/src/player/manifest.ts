import { z } from 'zod';
import { wireDisplay } from '../display.ts';
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
import { screenshotIntervalOrNever } from './screenshot.ts';
import { zoneTable } from './time-zones.ts';

/** A display name; the API allows 200 characters, older clouds allowed more for a device. */
const displayName = z.string().max(500);

const exceptDate = z.string().max(30);
/** Those of the field in the API and those of EXDATE lines in `rrule` (2,000 characters) together are fewer. */
const MAX_EXCEPT_DATES = 600;

/** Which devices a schedule targets. The manifest lists only the targets that match this device. */
export const manifestTarget = z.union([
  z.object({ type: z.literal('device'), id: wireId }),
  z.object({ type: z.literal('store'), id: wireId }),
  z.object({ type: z.literal('tag'), value: displayName }),
  /** Every device; the least specific target. */
  z.object({ type: z.literal('all') }),
]);

export const manifestRule = z.object({
  id: wireId,
  playlist_id: wireId,
  /** `HH:MM`; the window is `[start, end)` of the rule's wall clock, see `local_time`. */
  start_time: z.string().max(10),
  /** `HH:MM`, may be `24:00`; earlier than the start means past midnight, equal means 24 hours. */
  end_time: z.string().max(10),
  days: z.array(dayCode).nullable(),
  rrule: z.string().max(10_000).nullable(),
  priority: z.int(),
  starts_on: calendarDate.nullable(),
  ends_on: calendarDate.nullable(),
  /** 1–6: the window ends that many days after the day on which it opens; absent: 0, and `end_time` decides. */
  end_day_offset: z.int().min(0).max(6).optional(),
  /** Days on which no window opens: dates, or instants that stand for their day on the rule's wall clock. */
  except_dates: z.array(exceptDate).max(MAX_EXCEPT_DATES).optional(),
  /** True: the rule is read in `local_timezone` of the manifest; absent: in the zone of the organization. */
  local_time: z.boolean().optional(),
  /** Anchor of an rrule without another anchor. */
  created_at: timestamp,
  /** Breaks ties: of two equal rules the one changed last wins. */
  updated_at: timestamp,
});

export const manifestSchedule = z.object({
  id: wireId,
  name: displayName,
  targets: z.array(manifestTarget),
  rules: z.array(manifestRule),
});

export const manifestItem = z.object({
  id: wireId,
  content_id: wireId,
  /** Seconds on screen; null plays a video to its end. */
  duration: z.int().min(1).nullable(),
  weight: z.int().min(1).nullable(),
});

export const manifestPlaylist = z.object({
  id: wireId,
  name: displayName,
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

/** `GET /v1/player/manifest`: everything for offline playback, as this version of the cloud sends it. */
export const manifest = z
  .object({
    /** Hash of all other fields: equal content, equal revision. Also the ETag. */
    revision: revision.min(1),
    organization: z.object({
      timezone: z.string().min(1).max(100),
      /** False: no picture of any screen may be taken from afar; absent: see that of the device. */
      screenshots_allowed: z.boolean().optional(),
      /** Minutes between pictures that players send of their own accord; absent: they send none. */
      screenshot_interval_minutes: screenshotIntervalOrNever.optional(),
    }),
    device: z.object({
      id: wireId,
      name: displayName,
      orientation,
      display: wireDisplay,
      /** `scrypt$<log2 N>$<salt>$<hash>`, both base64url; r = 8, p = 1, 32 bytes. Null: no PIN is set. */
      menu_pin_hash: z.string().max(500).nullable().default(null),
      /** False: no picture of this screen may be taken from afar; absent: one may. */
      screenshots_allowed: z.boolean().optional(),
      /** 0: never; absent: as the organization says. */
      screenshot_interval_minutes: screenshotIntervalOrNever.optional(),
    }),
    /** Zone of the store that the device is in, for rules with `local_time`; absent: that of the organization. */
    local_timezone: z.string().min(1).max(100).nullable().optional(),
    base_playlist_id: wireId.nullable(),
    schedules: z.array(manifestSchedule),
    playlists: z.array(manifestPlaylist),
    assets: z.array(manifestAsset),
    /** Offsets of the zones used, from a day ago to at least two years ahead; absent from an older cloud. */
    timezones: zoneTable.optional(),
    /** Hosts of files besides the cloud's own, with any non-default port; absent from an older cloud. */
    media_hosts: z.array(z.string().max(300)).max(100).optional(),
  })
  .meta({ id: 'Manifest' });

/** Whether pictures of the screen may be taken from afar. */
export const allowsScreenshots = ({
  organization,
  device,
}: Pick<Manifest, 'organization' | 'device'>): boolean =>
  organization.screenshots_allowed !== false && device.screenshots_allowed !== false;

/** Minutes between pictures that the player sends of its own accord; null: it sends none. */
export function screenshotIntervalOf(manifest: Pick<Manifest, 'organization' | 'device'>): number | null {
  const { organization, device } = manifest;
  const minutes = device.screenshot_interval_minutes ?? organization.screenshot_interval_minutes ?? 0;
  return minutes === 0 || !allowsScreenshots(manifest) ? null : minutes;
}

export type ManifestRule = z.infer<typeof manifestRule>;
export type ManifestSchedule = z.infer<typeof manifestSchedule>;
export type ManifestItem = z.infer<typeof manifestItem>;
export type ManifestPlaylist = z.infer<typeof manifestPlaylist>;
export type ManifestAsset = z.infer<typeof manifestAsset>;
export type Manifest = z.infer<typeof manifest>;
