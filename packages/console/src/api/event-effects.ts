import type { QueryKey } from '@tanstack/react-query';

/**
 * The first part of the keys of the queries that an event concerns, by its type or the part of it before the dot. What a screen should
 * show depends on its settings, not on its status.
 */
const AFFECTED: Readonly<Record<string, readonly string[]>> = {
  'device.online': ['devices', 'device-counts', 'device'],
  'device.offline': ['devices', 'device-counts', 'device'],
  'device.alert': ['devices', 'device-counts', 'device'],
  'device.now_playing': ['device'],
  'device.screenshot': ['device'],
  'device.logs': ['device'],
  // People of some stores see the alerts of the screens that are in these.
  device: ['devices', 'device-counts', 'device', 'timeline', 'alerts'],
  command: ['device'],
  operation: ['operations'],
  alert: ['alerts'],
  rollout: ['rollouts'],
  // Playlists have pictures of their files.
  'content.updated': ['content', 'playlists'],
  content: ['content'],
  playlist: ['playlists', 'timeline'],
  schedule: ['schedules', 'timeline'],
};

/** What is to be read again: for each first part of a key, the devices concerned; null is all of them. */
export type Changes = Map<string, Set<string> | null>;

/** Adds what an event has changed. */
export function noteEvent(changes: Changes, event: { type: string; resource: string }): void {
  const device = event.resource.startsWith('dev_') ? event.resource : undefined;
  for (const key of AFFECTED[event.type] ?? AFFECTED[event.type.split('.')[0] ?? ''] ?? []) {
    const before = changes.get(key);
    if (device === undefined || before === null) {
      changes.set(key, null);
    } else {
      changes.set(key, (before ?? new Set<string>()).add(device));
    }
  }
}

/** Whether a query, by its key, shows what has changed. The second part of `['device', id, …]` is the device. */
export function isAffected(changes: Changes, key: QueryKey): boolean {
  const devices = changes.get(String(key[0]));
  return devices !== undefined && (devices === null || key[0] !== 'device' || devices.has(String(key[1])));
}
