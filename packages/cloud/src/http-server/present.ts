import { toWireDisplay } from '@placard/protocol';
import type {
  ApiKey,
  Asset,
  Command,
  Device,
  DeviceDetail,
  Folder,
  Organization,
  Playlist,
  PlaylistSummary,
  Schedule,
  ScheduleSummary,
  Store,
} from '@placard/protocol/api';
import { toIso, toIsoOrNull } from '../domain/iso-time.ts';
import { HEARTBEAT_INTERVAL_SECONDS } from '../domain/presence.ts';
import { decodeDecoders } from '../domain/decoders.ts';
import { blobName } from '../domain/media-formats.ts';
import type { AssetRow } from '../database/assets.ts';
import type { CommandRow } from '../database/commands.ts';
import { toDisplaySettings } from '../database/devices.ts';
import type { ListedDevice } from '../database/device-list.ts';
import type { DeviceRow } from '../database/devices.ts';
import type { PlaylistItemRow, PlaylistSummaryRow } from '../database/playlists.ts';
import { toRule } from '../database/schedules.ts';
import type { ScheduleRow, ScheduleSummaryRow } from '../database/schedules.ts';
import type { Row } from '../database/schema.ts';
import type { StoreRow } from '../database/stores.ts';

/** Maps database rows to the shapes of the API contract. */

/** URLs on the content host. */
export interface ContentUrls {
  /** URL of a file named `<sha256>.<extension>`. */
  blobUrl: (name: string) => string;
}

// JSON in our own columns was validated when it was written.
const parseColumn = (text: string | null) => (text === null ? null : JSON.parse(text));
const presentTimestamps = (row: { created_at: number; updated_at: number }) => ({
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
});

export function presentOrganization(row: Row<'organization'>): Organization {
  return {
    id: row.id,
    name: row.name,
    timezone: row.timezone,
    screenshots_allowed: row.screenshots_allowed === 1,
    screenshot_interval_minutes: row.screenshot_interval_minutes,
    renditions: row.renditions,
    ...presentTimestamps(row),
  };
}

export function presentApiKey(row: Row<'api_keys'>): ApiKey {
  return {
    id: row.id,
    name: row.name,
    scope: row.scope,
    last_four: row.last_four,
    created_at: toIso(row.created_at),
    expires_at: toIsoOrNull(row.expires_at),
    last_used_at: toIsoOrNull(row.last_used_at),
  };
}

export function presentAsset(row: AssetRow, contentUrls: ContentUrls): Asset {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    format: row.format,
    width: row.width,
    height: row.height,
    size: row.size,
    duration: row.duration === null ? null : Math.max(1, Math.round(row.duration)),
    codec: row.codec || null,
    frame_rate: row.frame_rate,
    sha256: row.sha256,
    url: contentUrls.blobUrl(blobName(row.sha256, row.format)),
    thumbnail_url: row.thumbnail === null ? null : contentUrls.blobUrl(row.thumbnail),
    folder_id: row.folder_id,
    tags: row.tags,
    ...presentTimestamps(row),
  };
}

export function presentFolder(row: Row<'folders'>): Folder {
  return { id: row.id, name: row.name, parent_id: row.parent_id, ...presentTimestamps(row) };
}

export function presentPlaylistSummary(row: PlaylistSummaryRow): PlaylistSummary {
  return {
    id: row.id,
    name: row.name,
    mode: row.mode,
    item_count: row.item_count,
    total_duration: Math.round(row.total_duration),
    ...presentTimestamps(row),
  };
}

export function presentPlaylist(
  row: PlaylistSummaryRow,
  items: readonly PlaylistItemRow[],
  contentUrls: ContentUrls,
): Playlist {
  return {
    ...presentPlaylistSummary(row),
    items: items.map((item) => ({
      id: item.id,
      content_id: item.content_id,
      position: item.position,
      duration: item.duration,
      weight: item.weight,
      content: {
        name: item.name,
        type: item.type,
        format: item.format,
        url: contentUrls.blobUrl(blobName(item.sha256, item.format)),
        thumbnail_url: item.thumbnail === null ? null : contentUrls.blobUrl(item.thumbnail),
      },
    })),
  };
}

export function presentScheduleSummary(row: ScheduleSummaryRow): ScheduleSummary {
  return {
    id: row.id,
    name: row.name,
    is_active: row.is_active === 1,
    rule_count: row.rule_count,
    targets: row.targets,
    ...presentTimestamps(row),
  };
}

export function presentSchedule(row: ScheduleRow): Schedule {
  return { ...presentScheduleSummary(row), rules: row.rules.map(toRule) };
}

export function presentStore(row: StoreRow): Store {
  return {
    id: row.id,
    name: row.name,
    address: row.address,
    city: row.city,
    region: row.region,
    country: row.country,
    contact: row.contact,
    timezone: row.timezone,
    tags: JSON.parse(row.tags),
    device_count: row.device_count,
    ...presentTimestamps(row),
  };
}

export function presentCommand(row: CommandRow): Command {
  return {
    id: row.id,
    device_id: row.device_id,
    command: row.command,
    status: row.status,
    created_at: toIso(row.created_at),
    expires_at: toIso(row.expires_at),
    delivered_at: toIsoOrNull(row.delivered_at),
    acknowledged_at: toIsoOrNull(row.acknowledged_at),
    finished_at: toIsoOrNull(row.finished_at),
    result: parseColumn(row.result),
  };
}

export function presentDevice(row: ListedDevice): Device {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    type: row.type,
    platform: row.platform,
    store_id: row.store_id,
    last_heartbeat: toIsoOrNull(row.last_heartbeat),
    player_version: row.player_version,
    tags: row.tags,
    orientation: row.orientation,
    ...presentTimestamps(row),
  };
}

export function presentDeviceDetail(
  row: DeviceRow,
  { timezone, manifestRevision }: { timezone: string; manifestRevision: string },
  currentPlaylist: DeviceDetail['current_playlist'],
): DeviceDetail {
  return {
    ...presentDevice(row),
    hardware: parseColumn(row.hardware),
    decoders: row.decoders === null ? null : decodeDecoders(row.decoders),
    current_playlist: currentPlaylist,
    configuration: {
      orientation: row.orientation,
      ...toWireDisplay(toDisplaySettings(row)),
      menu_pin_set: row.menu_pin_hash !== null,
      screenshots_allowed: row.screenshots_allowed === 1,
      screenshot_interval_minutes: row.screenshot_interval_minutes,
      timezone,
      heartbeat_interval: HEARTBEAT_INTERVAL_SECONDS,
      manifest_revision: manifestRevision,
      applied_manifest_revision: row.applied_manifest_revision,
    },
    latest_heartbeat: parseColumn(row.latest_sample),
    clock_offset_ms: row.clock_offset_ms,
    storage: parseColumn(row.storage),
    frames: parseColumn(row.frames),
    tz_version: row.tz_version,
    faults: parseColumn(row.faults) ?? [],
  };
}
