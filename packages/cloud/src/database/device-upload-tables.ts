import type { Generated } from 'kysely';

/** What devices have sent: because somebody or a setting asked for it, or a fault began. */
export interface DeviceUploadTables {
  /** The newest picture of what each device shows. */
  screenshots: {
    device_id: string;
    taken_at: number;
    received_at: number;
    /** Of the JPEG image, a blob. */
    sha256: string;
    size: number;
    reason: Generated<'requested' | 'interval'>;
    /** JSON (`NowPlaying`): what the player believed to show; null: nothing. */
    current: string | null;
    /** When it was measured, or failed to be; null: not yet. */
    measured_at: number | null;
    /** JSON (`PictureSeries`): what the last picture that was measured looks like, and how many before it. */
    measures: string | null;
  };
  /** What each device showed when its last faults began; one for each code. */
  fault_screenshots: Omit<DeviceUploadTables['screenshots'], 'reason' | 'measured_at' | 'measures'> & {
    fault_code: string;
  };
  /** The newest logs of each device. */
  device_logs: {
    device_id: string;
    taken_at: number;
    received_at: number;
    /** Of a `LogBundle` as JSON, compressed by gzip: a blob. */
    sha256: string;
    size: number;
    /** JSON: name and size in bytes of each file. */
    files: string;
  };
}
