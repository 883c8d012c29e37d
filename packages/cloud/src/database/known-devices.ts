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

/** Some 400 bytes each. */
const MAX_KNOWN = 150_000;

/** What makes a device another one, or its heartbeat one that is not ordinary. */
const CHANGES = [
  'update of id, number, player_version, told_status on main.devices begin select known_device_changed(old.id); end',
  'delete on main.devices begin select known_device_changed(old.id); end',
  'insert on main.commands begin select known_device_changed(new.device_id); end',
  'update of device_id, status, expires_at on main.commands begin select known_device_changed(new.device_id); end',
];

/**
 * What recording a heartbeat has read or written of devices, so that the next one need not read it, which took 9 of 34 µs.
 *
 * Of `devices` and `commands`, temporary triggers tell what has changed, whatever statement changes it, and `data_version`
 * whether another process has written. Of `device_live` nobody tells: whoever writes it must say in the condition of the statement that
 * the device is online, and that last heartbeat and length of `recent_samples` are the known ones. So a transaction that was undone does no harm.
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
