/** `low`: uploads are refused. `full`: all writes are refused except those that delete. */
export type DiskState = 'ok' | 'low' | 'full';

/** Measurements of the disk that holds the data folder, in bytes. */
export interface DiskMeasurements {
  freeBytes: number;
  /** Uploads are refused below this. */
  minFreeBytes: number;
  /** Current and intended size of the reserve file, which is released so that deletions fit on a full disk. */
  reserveBytes: number;
  targetReserveBytes: number;
  /** The disk rejected a write and has accepted none since. */
  hasRefusedWrite: boolean;
}

/** With less free space than this a database write may fail. */
export const MIN_WRITABLE_BYTES = 1_048_576;

export function diskStateOf({
  freeBytes,
  minFreeBytes,
  reserveBytes,
  targetReserveBytes,
  hasRefusedWrite,
}: DiskMeasurements): DiskState {
  if (hasRefusedWrite || freeBytes + reserveBytes < targetReserveBytes + MIN_WRITABLE_BYTES) {
    return 'full';
  }
  return freeBytes < minFreeBytes ? 'low' : 'ok';
}

/** Default of `--min-free`. */
export const DEFAULT_MIN_FREE_BYTES = 1_000_000_000;

/** Size of the reserve file on a disk of this size: 1/64 of it, between 4 and 64 MiB. */
export const defaultReserveBytes = (totalBytes: number): number =>
  Math.round(Math.min(Math.max(totalBytes / 64, 4 * 1_048_576), 64 * 1_048_576));

/** Human-readable: `1.5 GB`, `64.0 MB`. */
export const formatBytes = (bytes: number): string =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(1)} MB`;

/** Message for the operator: what is wrong, where, and what to do. */
export function describeDiskState(
  state: DiskState,
  dataDir: string,
  { freeBytes, minFreeBytes }: DiskMeasurements,
): string {
  const where = `the disk of the data folder ${dataDir}`;
  switch (state) {
    case 'full':
      return (
        `Full: ${where} has ${formatBytes(freeBytes)} left. Only reads and deletions work. ` +
        'Delete content or free disk space; the cloud then recovers by itself.'
      );
    case 'low':
      return (
        `Low: ${where} has ${formatBytes(freeBytes)} left, and uploads are refused below ${formatBytes(minFreeBytes)} (--min-free). ` +
        'Delete content or free disk space; uploads are then accepted again.'
      );
    case 'ok':
    default:
      return `Enough space: ${where} has ${formatBytes(freeBytes)} left.`;
  }
}
