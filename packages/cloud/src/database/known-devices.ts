import type Sqlite from 'better-sqlite3';
import type { PreviousReport } from '../domain/heartbeat-state.ts';
import type { DeviceWithLive } from './devices.ts';

/** What is to be known of a device before its heartbeat. */
export interface PreviousState extends Pick<DeviceWithLive, 'number' | 'player_version' | 'rolled_up_until'> {
  report: PreviousReport;
}

/** What is known of a device for which no command is waiting, and of which webhooks know that it is online. */
export interface KnownDevice extends PreviousState {
  /** The time of its latest sample; -Infinity if it has none, NaN if that is not known. */
  latestAt: number;
  /** `last_seen_indexed` of its row. */
  indexedMs: number;
  /** Characters of `recent_samples`, which is ASCII; `EMPTY_LENGTH` for null. */
  recentLength: number;
}

export interface KnownDevices {
  find: (deviceId: string) => KnownDevice | undefined;
  add: (deviceId: string, device: KnownDevice) => void;
  forget: (deviceId: string) => void;
  /** To be called in each transaction, before `find`. */
  forgetIfOthersWrote: () => void;
}

/** About 600 bytes each. */
export const MAX_KNOWN = 150_000;

/** A device that reports more faults than fit is not kept, so that no device decides how much memory it takes. */
export const MAX_FAULTS_CHARACTERS = 1000;

/** Statements after which what is kept of a device may be wrong, or its next heartbeat not ordinary. */
const CHANGES = [
  'update of id, number, player_version, told_status on main.devices begin select known_device_changed(old.id); end',
  'delete on main.devices begin select known_device_changed(old.id); end',
  'insert on main.commands begin select known_device_changed(new.device_id); end',
  'update of device_id, status, expires_at on main.commands begin select known_device_changed(new.device_id); end',
];

/**
 * Keeps in memory what recording a heartbeat has read or written of its device, so that the next one need not read it, which
 * took 9 of 34 µs.
 *
 * Temporary triggers tell what has changed in `devices` and `commands`, whatever statement changes it, and `data_version`
 * whether another process has written. Nothing tells of changes in `device_live`: a statement that writes it must check in its
 * condition that the device is online and that its last heartbeat and the length of `recent_samples` are as kept here. So
 * a transaction that is rolled back does no harm.
 */
export function createKnownDevices(writer: Sqlite.Database): KnownDevices {
  const known = new Map<string, KnownDevice>();
  writer.function('known_device_changed', { varargs: false }, (id: unknown) => {
    known.delete(String(id));
    return null;
  });
  CHANGES.forEach((change, index) => {
    writer.exec(`create temp trigger known_device_change_${index} after ${change}`);
  });
  const dataVersion = writer.prepare<[], number>('pragma data_version').pluck();
  let version = dataVersion.get();
  return {
    find: (deviceId) => known.get(deviceId),
    add(deviceId, device) {
      if ((device.report.faults?.length ?? 0) > MAX_FAULTS_CHARACTERS) {
        return;
      }
      const [oldest] = known.size >= MAX_KNOWN ? known.keys() : [];
      if (oldest !== undefined) {
        known.delete(oldest);
      }
      known.set(deviceId, device);
    },
    forget: (deviceId) => void known.delete(deviceId),
    forgetIfOthersWrote() {
      const current = dataVersion.get();
      if (current !== version) {
        known.clear();
        version = current;
      }
    },
  };
}
