import type Sqlite from 'better-sqlite3';
import type { PreviousReport } from '../domain/heartbeat-state.ts';
import { setMostRecent } from '../domain/lru-map.ts';
import type { DeviceWithLive } from './devices.ts';
import { watchOtherCommits, watchRows } from './row-changes.ts';
import type { RowChangeEvent } from './row-changes.ts';

/** What is needed of a device to record its heartbeat. */
export interface PreviousState extends Pick<DeviceWithLive, 'number' | 'player_version' | 'rolled_up_until'> {
  report: PreviousReport;
}

/** The state of a device after its last heartbeat. Its `told_status` is online, and no command is waiting for it. */
export interface KnownDevice extends PreviousState {
  /** The time of its latest sample; -Infinity if it has none, NaN if `recent_samples` is damaged. */
  latestAt: number;
  /** `last_seen_indexed` of its row, unless another statement has written a later one. */
  indexedMs: number;
  /** Characters of `recent_samples`, which is ASCII; `EMPTY_LENGTH` for null. */
  recentLength: number;
}

export interface KnownDevices {
  find: (deviceId: string) => KnownDevice | undefined;
  add: (deviceId: string, device: KnownDevice) => void;
  forget: (deviceId: string) => void;
  forgetAll: () => void;
  /** Forgets all if another process has written; to be called in each transaction, before `find`. */
  forgetIfOthersWrote: () => void;
}

/** One and a half times the devices that one cloud is made for; about 600 bytes each. */
export const MAX_KNOWN = 150_000;

/** A device whose faults are a longer text is not kept: this bounds the memory. */
export const MAX_FAULTS_CHARACTERS = 1000;

/** Statements after which what is kept of a device may be wrong, or its next heartbeat not ordinary. */
const CHANGES: readonly RowChangeEvent[] = [
  ['update of id, number, player_version, told_status on main.devices', 'old.id'],
  ['delete on main.devices', 'old.id'],
  ['insert on main.commands', 'new.device_id'],
  ['update of device_id, status, expires_at on main.commands', 'new.device_id'],
];

/**
 * Keeps the state of a device after its heartbeat in memory, so that the next one need not read it, which took 9 of 34 µs.
 *
 * It is forgotten when `devices` or `commands` change, or when another process has written. Nothing tells of changes in
 * `device_live`: the statement that writes it checks that the row is as expected (`updateKnownSql`).
 */
export function createKnownDevices(writer: Sqlite.Database): KnownDevices {
  const known = new Map<string, KnownDevice>();
  watchRows(writer, 'known_device_changed', CHANGES, (id) => known.delete(id));
  const haveOthersCommitted = watchOtherCommits(writer);
  return {
    find: (deviceId) => known.get(deviceId),
    add(deviceId, device) {
      if ((device.report.faults?.length ?? 0) <= MAX_FAULTS_CHARACTERS) {
        setMostRecent(known, deviceId, device, MAX_KNOWN);
      }
    },
    forget: (deviceId) => void known.delete(deviceId),
    forgetAll: () => known.clear(),
    forgetIfOthersWrote() {
      if (haveOthersCommitted()) {
        known.clear();
      }
    },
  };
}
