import type {
  CommandName,
  DeviceTaskName,
  DeviceType,
  DisplaySettings,
  Orientation,
  Play,
  PlaylistMode,
} from '@placard/protocol';
import type { CommandStatus, RenditionPolicy, Scope } from '@placard/protocol/api';
import type { Target } from '@placard/schedule';
import type { Generated, Insertable, Selectable, Updateable } from 'kysely';
import type { PeopleTables } from './people-tables.ts';
import type { StoredRule } from '../domain/schedule-rules.ts';
import type { AlertTables } from './alert-tables.ts';
import type { BulkOperationTables } from './bulk-operation-tables.ts';
import type { RolloutTables } from './rollout-tables.ts';
import type { WebhookTables } from './webhook-tables.ts';
import type { ContentTables } from './content-tables.ts';
import type { DeviceLiveTable } from './device-live-table.ts';
import type { DeviceUploadTables } from './device-upload-tables.ts';
import type { UploadTables } from './upload-tables.ts';

/**
 * The tables. Portable on purpose: text, integers and reals only, booleans as 0/1, timestamps as milliseconds since
 * 1970, structured values as JSON text.
 */
export interface DatabaseSchema
  extends
    AlertTables,
    DeviceUploadTables,
    BulkOperationTables,
    ContentTables,
    PeopleTables,
    DeviceLiveTable,
    RolloutTables,
    UploadTables,
    WebhookTables {
  organization: {
    id: string;
    name: string;
    timezone: string;
    /** 0 or 1. */
    screenshots_allowed: Generated<number>;
    screenshot_interval_minutes: Generated<number | null>;
    renditions: Generated<RenditionPolicy>;
    /** Incremented by every write that can change what a device shows. */
    epoch: number;
    /** The id that the media store has as well; null until the first start with one. */
    media_id: Generated<string | null>;
    /** See `MediaOwner`; 0 until the media store has the id. */
    media_turn: Generated<number>;
    created_at: number;
    updated_at: number;
  };
  api_keys: {
    id: string;
    name: string;
    scope: Scope;
    hash: string;
    /** Of a generated key; null for one that a person chose, and for older ones. */
    last_four: string | null;
    created_at: number;
    expires_at: number | null;
    last_used_at: number | null;
  };
  audit_log: {
    id: string;
    created_at: number;
    actor_type: string;
    actor_id: string | null;
    actor_name: string;
    address: string | null;
    request_id: string | null;
    action: string;
    resource_type: string;
    resource_id: string;
    resource_name: string | null;
    /** JSON. */
    changes: string;
  };
  audit_retention: { id: number; delete_before: number };
  folders: { id: string; name: string; parent_id: string | null; created_at: number; updated_at: number };
  playlists: { id: string; name: string; mode: PlaylistMode; created_at: number; updated_at: number };
  playlist_items: {
    id: string;
    playlist_id: string;
    content_id: string;
    position: number;
    duration: number | null;
    weight: number | null;
  };
  schedules: { id: string; name: string; is_active: number; created_at: number; updated_at: number };
  schedule_rules: Omit<StoredRule, 'end_day_offset' | 'local_time'> & {
    end_day_offset: Generated<number>;
    local_time: Generated<number>;
  } & { schedule_id: string; position: number };
  schedule_targets: { schedule_id: string; position: number; kind: Target['type']; ref: string };
  stores: {
    id: string;
    name: string;
    address: string | null;
    city: string | null;
    region: string | null;
    country: string | null;
    contact: string | null;
    timezone: string | null;
    tags: string;
    created_at: number;
    updated_at: number;
  };
  devices: {
    id: string;
    name: string;
    type: DeviceType;
    platform: string;
    serial: string;
    store_id: string | null;
    orientation: Orientation;
    fit: DisplaySettings['fit'];
    ground: DisplaySettings['background'];
    fade_ms: number;
    language: DisplaySettings['language'];
    /** `scrypt$…`, as in the manifest. */
    menu_pin_hash: string | null;
    /** 0 or 1. */
    screenshots_allowed: Generated<number>;
    /** 0: never; null: as the organization says. */
    screenshot_interval_minutes: Generated<number | null>;
    status: 'online' | 'offline';
    /** The last status that webhooks were notified of. */
    told_status: 'online' | 'offline';
    player_version: string;
    hardware: string | null;
    /** What it can play, as `encodeDecoders` writes it; null: not reported. */
    decoders: string | null;
    /** Of its row in `device_live` and of its samples. */
    number: number;
    created_at: number;
    updated_at: number;
  };
  device_tags: { device_id: string; tag: string; position: number };
  /** The tags in use, with how many rows of each kind have them; kept up to date by triggers. */
  tag_counts: { tag: string; devices: number; content: number; schedules: number };
  /** Codes of the faults in `device_live`, by its number; kept up to date by triggers. */
  device_faults: { device: number; code: string };
  /** Devices that were removed, for reports. */
  removed_devices: {
    id: string;
    name: string;
    removed_at: number;
    /** Null if an earlier version removed it. */
    number: number | null;
  };
  /** Kept after removal, so that a removed device learns it when it reconnects. */
  device_tokens: {
    hash: string;
    device_id: string;
    created_at: number;
    first_used_at: number | null;
    revoked_at: number | null;
  };
  /** One row; kept up to date by triggers. */
  device_count: { id: number; devices: number };
  pairings: {
    id: string;
    code: string;
    /** Null once the device token was used: the session has ended. */
    poll_token: string | null;
    serial: string;
    /** The address, or /64 network, of the device. */
    address: string;
    /** Hash of the secret that the player generated; null for older players. */
    secret_hash: string | null;
    request: string;
    created_at: number;
    expires_at: number;
    /** Seconds between two polls. */
    interval: number;
    device_id: string | null;
  };
  deployments: { id: string; playlist_id: string; created_at: number };
  /** The current deployment of each target: a newer one replaces it. */
  deployment_targets: { kind: Target['type']; ref: string; deployment_id: string; created_at: number };
  commands: {
    id: string;
    device_id: string;
    command: CommandName | DeviceTaskName;
    status: CommandStatus;
    created_at: number;
    expires_at: number;
    delivered_at: number | null;
    acknowledged_at: number | null;
    finished_at: number | null;
    result: string | null;
  };
  /**
   * Samples that arrived late, and all of versions that had no `samples`: needed to detect those that are sent again.
   */
  heartbeat_samples: {
    device_id: string;
    measured_at: number;
    received_at: number;
  };
  /** One row per sample, in tenths where that is exact, otherwise as it is (`typeof` tells). */
  samples: { device: number; at: number } & Record<Measure, number | null>;
  /**
   * Samples aggregated by hour and day, so that a chart of a year reads 365 rows. Minutes only of versions that had no
   * `samples`.
   */
  heartbeat_buckets: {
    device_id: string;
    interval: 'minute' | 'hour' | 'day';
    bucket: number;
    samples: number;
  } & Measures;
  plays: {
    id: string;
    device_id: string;
    content_id: string;
    playlist_id: string | null;
    schedule_id: string | null;
    rule_id: string | null;
    started_at: number;
    ended_at: number;
    duration_ms: number;
    outcome: Play['outcome'];
    reason: string | null;
    received_at: number;
  };
  /** Counts per hour and day, updated at ingest. */
  play_hours: PlayCounts;
  play_days: PlayCounts;
  /** Time spans in which a device was online; `ended_at` is null while it is. */
  online_spans: { device_id: string; started_at: number; ended_at: number | null };
  /** Time spans in which this cloud was running and could observe devices. */
  observed_spans: { started_at: number; ended_at: number };
  /** The log of events; see `events.ts`. */
  events: {
    /** Counted up without gaps. */
    seq: number;
    id: string;
    type: string;
    /** Id of the resource concerned. */
    resource: string;
    /** Length of the data of all events so far, this one included. */
    end_offset: number;
    created_at: number;
    /** JSON. */
    data: string;
  };
  /** What nodes have told each other, on PostgreSQL; see `node-messages.ts`. */
  node_messages: {
    seq: Generated<number>;
    node: string;
    body: string;
    created_at: number;
  };
  /** Rate limits that hold for all nodes, on PostgreSQL; see `rate-windows.ts`. */
  rate_windows: {
    /** The limiter, its limit and the caller. */
    caller: string;
    /** Times of the requests in the window, oldest first. */
    taken: number[];
    /** Whether the last request was allowed, and so is in `taken`. */
    is_allowed: boolean;
    /** Nothing is counted from then on. */
    until: number;
  };
  /** What devices have answered to those who look at them, on PostgreSQL; see `live-answers.ts`. */
  live_answers: { device_id: string; wanted: string; answer: string; at: number };
  /** From when on the rows of a table with partitions are kept, on PostgreSQL: older ones are left out when it is read. */
  kept_since: { name: string; since: number };
  idempotent_answers: {
    key_id: string;
    idempotency_key: string;
    request_hash: string;
    status: number;
    body: string;
    created_at: number;
  };
}

/** Plays of one asset on one device in one bucket. `''` stands for no playlist, so that the key is complete. */
interface PlayCounts {
  bucket: number;
  device_id: string;
  content_id: string;
  playlist_id: string;
  plays: number;
  play_ms: number;
  completed: number;
  interrupted: number;
  failed: number;
}

export const MEASURES = ['cpu', 'memory', 'disk', 'temperature', 'wifi'] as const;
export type Measure = (typeof MEASURES)[number];

/** Aggregates of one measure from which averages can be computed and buckets merged. */
export type MeasureColumns<Name extends Measure> = Record<`${Name}_count`, number> &
  Record<`${Name}_sum` | `${Name}_min` | `${Name}_max`, number | null>;
type Measures = MeasureColumns<Measure>;

/** Tables that SQLite does not have. */
export type PostgresTable = 'node_messages' | 'rate_windows' | 'live_answers' | 'kept_since';

/** Tables that PostgreSQL divides by time; `postgres/partitioning.ts` says how. */
export const PARTITIONED_TABLES = ['samples', 'plays', 'play_hours', 'play_days'] as const;
export type PartitionedTable = (typeof PARTITIONED_TABLES)[number];

export type Row<T extends keyof DatabaseSchema> = Selectable<DatabaseSchema[T]>;
export type NewRow<T extends keyof DatabaseSchema> = Insertable<DatabaseSchema[T]>;
/** Columns to change; undefined values are ignored. */
export type RowChange<T extends keyof DatabaseSchema> = Updateable<DatabaseSchema[T]>;
