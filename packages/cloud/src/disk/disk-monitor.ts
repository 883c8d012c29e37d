import { statfsSync } from 'node:fs';
import type { Logger } from 'pino';
import {
  describeDiskState,
  diskStateOf,
  MIN_WRITABLE_BYTES,
  defaultReserveBytes,
} from '../domain/disk-state.ts';
import type { DiskMeasurements, DiskState } from '../domain/disk-state.ts';
import { ApiError } from '../domain/api-error.ts';
import { storageFullError, STORAGE_FAILURE_MESSAGES } from '../domain/storage-failure.ts';
import { openDiskReserve } from './disk-reserve.ts';

/** The reserve grows in steps, so that no request waits long. */
const RESERVE_STEP_BYTES = 4 * 1_048_576;
/** Released at a time when the database cannot be opened; a few pages suffice. */
const RELEASED_FOR_OPENING_BYTES = 2 * 1_048_576;

export interface DiskStatus extends DiskMeasurements {
  state: DiskState;
  /** For the operator: what is wrong, and what to do. */
  message: string;
}

/** Monitors free disk space of the data folder and maintains the disk reserve for deletions. */
export interface DiskMonitor {
  /** Measures the disk now. */
  status(): DiskStatus;
  /** Throws `INSUFFICIENT_STORAGE` if writing this many bytes would leave less than the minimum free. */
  requireSpaceFor(bytes: number): void;
  /** Throws if the remaining space is reserved for deletions. */
  requireSpace(): void;
  markFull(): void;
  /** Releases the whole reserve; returns false if there was none. */
  releaseReserve(): boolean;
  /** Releases just enough to open the database; returns false if there was none. */
  releaseReserveForOpening: () => boolean;
  /** Refills the reserve as far as possible, logs a changed state, and returns the state. */
  refresh(): DiskState;
}

export interface DiskMonitorDeps {
  dataDir: string;
  /** Otherwise a full disk is no more than one that is low: only uploads need it, and nothing is set aside for deletions. */
  holdsDatabase: boolean;
  /** Uploads are refused below this. */
  minFreeBytes: number;
  /** Size of the reserve; `defaultReserveBytes` by default. */
  reserveBytes?: number | undefined;
  log: Pick<Logger, 'error' | 'warn'>;
}

export function createDiskMonitor({
  dataDir,
  holdsDatabase,
  minFreeBytes,
  reserveBytes,
  log,
}: DiskMonitorDeps): DiskMonitor {
  const reserve = openDiskReserve(dataDir);
  const readSpace = () => {
    const { bavail, blocks, bsize } = statfsSync(dataDir);
    return { free: bavail * bsize, total: blocks * bsize };
  };
  const targetReserveBytes = holdsDatabase ? (reserveBytes ?? defaultReserveBytes(readSpace().total)) : 0;
  if (!holdsDatabase) {
    reserve.shrinkBy(Number.MAX_SAFE_INTEGER);
  }
  const hasSpace = () => readSpace().free + reserve.sizeBytes() >= targetReserveBytes + MIN_WRITABLE_BYTES;
  // Cached, because it is checked before every change.
  let hasSpaceNow = hasSpace();
  let hasRefusedWrite = false;
  let loggedState: DiskState = 'ok';

  const report = (): DiskStatus => {
    const measurements = {
      freeBytes: readSpace().free,
      minFreeBytes,
      reserveBytes: reserve.sizeBytes(),
      targetReserveBytes,
      hasRefusedWrite,
    };
    const measured = diskStateOf(measurements);
    const state = measured === 'full' && !holdsDatabase ? 'low' : measured;
    return { ...measurements, state, message: describeDiskState(state, dataDir, measurements) };
  };

  /** Whether the disk accepts writes again. Tested by writing, because statfs does not show quotas. */
  const takesWrites = (): boolean => {
    const sizeBefore = reserve.sizeBytes();
    const fits = reserve.growTo(sizeBefore + MIN_WRITABLE_BYTES);
    reserve.shrinkBy(reserve.sizeBytes() - sizeBefore);
    return fits;
  };

  const release = (bytes: number): boolean => {
    const hasReleased = reserve.shrinkBy(bytes) > 0;
    hasSpaceNow = hasSpace();
    return hasReleased;
  };

  return {
    status: report,
    requireSpaceFor(bytes) {
      const { freeBytes, state } = report();
      const isFull = state === 'full' || hasRefusedWrite;
      if (!isFull && freeBytes - bytes >= minFreeBytes) {
        return;
      }
      throw new ApiError(
        'INSUFFICIENT_STORAGE',
        `The disk of this cloud has too little space for this file: ${freeBytes} bytes are free, and ${minFreeBytes} must stay ` +
          'free. Delete content or free disk space, then send the request again.',
        {
          details: {
            reason: isFull ? 'disk_full' : 'below_floor',
            free_bytes: freeBytes,
            floor_bytes: minFreeBytes,
          },
        },
      );
    },
    requireSpace() {
      if (!hasSpaceNow) {
        throw storageFullError(STORAGE_FAILURE_MESSAGES.full);
      }
    },
    markFull() {
      hasRefusedWrite = true;
    },
    releaseReserve: () => release(Number.MAX_SAFE_INTEGER),
    releaseReserveForOpening: () => release(RELEASED_FOR_OPENING_BYTES),
    refresh() {
      hasSpaceNow = hasSpace();
      // On a full disk too, so that nothing else takes what deletions need.
      const spareBytes = hasSpaceNow ? RESERVE_STEP_BYTES : readSpace().free - MIN_WRITABLE_BYTES;
      reserve.growTo(
        Math.min(targetReserveBytes, reserve.sizeBytes() + Math.min(spareBytes, RESERVE_STEP_BYTES)),
      );
      if (hasRefusedWrite && readSpace().free >= MIN_WRITABLE_BYTES) {
        hasRefusedWrite = !takesWrites();
      }
      const { state, message, freeBytes } = report();
      if (state !== loggedState) {
        const level = state === 'full' ? 'error' : 'warn';
        log[level](
          { data_dir: dataDir, free_bytes: freeBytes, floor_bytes: minFreeBytes, message },
          `disk.${state}`,
        );
      }
      loggedState = state;
      return state;
    },
  };
}
