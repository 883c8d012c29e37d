import type { Generated } from 'kysely';

/** The table of what devices report; see `schema.ts`. */
export interface DeviceLiveTable {
  /** What changes with each heartbeat. The row stays when the device is removed, as its samples do. */
  device_live: {
    device: Generated<number>;
    /** 1 while the device counts as online: `status` of the device, for the index of silent devices. */
    online: number;
    /** Samples before this are counted in the buckets of hours and days. */
    rolled_up_until: number;
    /** Last message of any kind from the device. */
    last_seen: number | null;
    /**
     * A time at or before `last_seen`, see `silent-devices.ts`; without one, when to look at it next. SQLite alone has this
     * column.
     */
    last_seen_indexed: Generated<number>;
    last_heartbeat: number | null;
    clock_offset_ms: number | null;
    applied_manifest_revision: string | null;
    /** JSON of the current showing. */
    current: string | null;
    storage: string | null;
    frames: string | null;
    /** Version of its time zone data. */
    tz_version: string | null;
    faults: string | null;
    latest_sample: string | null;
    /** JSON of the samples that are not in `samples` yet, see `recent-samples.ts`. SQLite alone has this column. */
    recent_samples: Generated<string | null>;
    /** See `DeviceHealth`. */
    health: Generated<string | null>;
  };
}
