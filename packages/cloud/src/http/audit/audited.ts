import type { AuditField } from '../../domain/audit-changes.ts';
import { target } from '@placard/protocol/api';
import { z } from 'zod';
import type { Repositories } from '../../store/store.ts';
import { namedTargets } from './snapshots.ts';
import type { ResourceType } from './snapshots.ts';

/** How a change is written into the audit log. */
export interface Audited {
  action: string;
  type: ResourceType;
  /** What the answer adds that no field of the resource shows; then it is told whether or not a field differs. */
  also?: (data: Record<string, unknown>, from: Repositories) => Promise<Record<string, AuditField>>;
}

/** Fields of the answer: name in the log, name in the answer. */
const answered =
  (names: Record<string, string>): NonNullable<Audited['also']> =>
  async (data) =>
    Object.fromEntries(Object.entries(names).map(([name, from]) => [name, { value: data[from] }]));

const entry = (type: ResourceType, what: string, also?: Audited['also']): Audited => ({
  action: `${type}.${what}`,
  type,
  ...(also ? { also } : {}),
});

/**
 * Every operation that changes something, by its id. A pairing and a command are changes by an operator; what devices
 * report, and requests that are refused, are not: an outsider must not be able to fill the log.
 */
export const AUDITED: Readonly<Record<string, Audited>> = {
  updateOrganization: entry('organization', 'updated'),
  createApiKey: entry('api_key', 'created'),
  deleteApiKey: entry('api_key', 'revoked'),
  pairDevice: entry('device', 'paired'),
  updateDevice: entry('device', 'updated'),
  deleteDevice: entry('device', 'removed'),
  sendCommand: entry('device', 'command_sent', answered({ command: 'command', command_id: 'id' })),
  uploadContent: entry('content', 'created'),
  importContent: entry('content', 'created'),
  updateContent: entry('content', 'updated'),
  deleteContent: entry('content', 'deleted', answered({ playlists: 'playlists' })),
  createFolder: entry('folder', 'created'),
  updateFolder: entry('folder', 'updated'),
  deleteFolder: entry('folder', 'deleted'),
  createPlaylist: entry('playlist', 'created'),
  updatePlaylist: entry('playlist', 'updated'),
  addPlaylistItem: entry('playlist', 'updated'),
  removePlaylistItem: entry('playlist', 'updated'),
  deletePlaylist: entry('playlist', 'deleted'),
  deployPlaylist: entry('playlist', 'deployed', async (data, from) => ({
    targets: { value: await namedTargets(from, z.array(target).parse(data['targets'])) },
    device_count: { value: data['device_count'] },
  })),
  createSchedule: entry('schedule', 'created'),
  updateSchedule: entry('schedule', 'updated'),
  activateSchedule: entry('schedule', 'activated'),
  deactivateSchedule: entry('schedule', 'deactivated'),
  deleteSchedule: entry('schedule', 'deleted'),
  createStore: entry('store', 'created'),
  updateStore: entry('store', 'updated'),
  deleteStore: entry('store', 'deleted'),
  createWebhook: entry('webhook', 'created'),
  updateWebhook: entry('webhook', 'updated'),
  deleteWebhook: entry('webhook', 'deleted'),
  rotateWebhookSecret: entry('webhook', 'secret_rotated'),
  testWebhook: entry('webhook', 'tested', answered({ delivery_id: 'id' })),
  retryDelivery: entry('webhook', 'delivery_retried', answered({ delivery_id: 'id' })),
};
