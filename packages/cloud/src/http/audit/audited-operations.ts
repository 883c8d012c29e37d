import type { AuditField } from '../../domain/audit-changes.ts';
import { target } from '@placard/protocol/api';
import { z } from 'zod';
import type { Repositories } from '../../database/cloud-database.ts';
import { addTargetNames } from './snapshots.ts';
import type { ResourceType } from './snapshots.ts';

/** How an operation appears in the audit log. */
export interface AuditedOperation {
  action: string;
  type: ResourceType;
  /** Fields from the response that are not part of the resource. When set, the operation is always logged. */
  extraFields?: (
    data: Record<string, unknown>,
    repositories: Repositories,
  ) => Promise<Record<string, AuditField>>;
}

/** Maps field names in the log to field names in the response. */
const responseFields =
  (names: Record<string, string>): NonNullable<AuditedOperation['extraFields']> =>
  async (data) =>
    Object.fromEntries(
      Object.entries(names).map(([name, responseName]) => [name, { value: data[responseName] }]),
    );

const auditedOperation = (
  type: ResourceType,
  verb: string,
  extraFields?: AuditedOperation['extraFields'],
): AuditedOperation => ({
  action: `${type}.${verb}`,
  type,
  ...(extraFields ? { extraFields } : {}),
});

/**
 * Every operation that an operator can change something with, by operation id, including pairing and commands. Device
 * reports and rejected requests are not logged: an outsider must not be able to fill the log.
 */
export const AUDITED_OPERATIONS: Readonly<Record<string, AuditedOperation>> = {
  updateOrganization: auditedOperation('organization', 'updated'),
  createApiKey: auditedOperation('api_key', 'created'),
  deleteApiKey: auditedOperation('api_key', 'revoked'),
  pairDevice: auditedOperation('device', 'paired'),
  updateDevice: auditedOperation('device', 'updated'),
  deleteDevice: auditedOperation('device', 'removed'),
  sendCommand: auditedOperation(
    'device',
    'command_sent',
    responseFields({ command: 'command', command_id: 'id' }),
  ),
  uploadContent: auditedOperation('content', 'created'),
  importContent: auditedOperation('content', 'created'),
  updateContent: auditedOperation('content', 'updated'),
  deleteContent: auditedOperation('content', 'deleted', responseFields({ playlists: 'playlists' })),
  createFolder: auditedOperation('folder', 'created'),
  updateFolder: auditedOperation('folder', 'updated'),
  deleteFolder: auditedOperation('folder', 'deleted'),
  createPlaylist: auditedOperation('playlist', 'created'),
  updatePlaylist: auditedOperation('playlist', 'updated'),
  addPlaylistItem: auditedOperation('playlist', 'updated'),
  removePlaylistItem: auditedOperation('playlist', 'updated'),
  deletePlaylist: auditedOperation('playlist', 'deleted'),
  deployPlaylist: auditedOperation('playlist', 'deployed', async (data, repositories) => ({
    targets: { value: await addTargetNames(repositories, z.array(target).parse(data['targets'])) },
    device_count: { value: data['device_count'] },
  })),
  createSchedule: auditedOperation('schedule', 'created'),
  updateSchedule: auditedOperation('schedule', 'updated'),
  activateSchedule: auditedOperation('schedule', 'activated'),
  deactivateSchedule: auditedOperation('schedule', 'deactivated'),
  deleteSchedule: auditedOperation('schedule', 'deleted'),
  createStore: auditedOperation('store', 'created'),
  updateStore: auditedOperation('store', 'updated'),
  deleteStore: auditedOperation('store', 'deleted'),
  createWebhook: auditedOperation('webhook', 'created'),
  updateWebhook: auditedOperation('webhook', 'updated'),
  deleteWebhook: auditedOperation('webhook', 'deleted'),
  rotateWebhookSecret: auditedOperation('webhook', 'secret_rotated'),
  testWebhook: auditedOperation('webhook', 'tested', responseFields({ delivery_id: 'id' })),
  replayWebhook: auditedOperation('webhook', 'replayed', responseFields({ deliveries: 'queued' })),
  retryDelivery: auditedOperation('webhook', 'delivery_retried', responseFields({ delivery_id: 'id' })),
};
