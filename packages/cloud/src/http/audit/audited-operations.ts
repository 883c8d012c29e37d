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
  /** The resource is the person who called. */
  ofCaller?: true;
  /** Not logged again for the same caller and resource within this time: of what is repeated every second. */
  everyMs?: number;
  /** Fields from the response that are not part of the resource. When set, every operation that changed something is logged. */
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

/** What is always logged, and has nothing more to say. */
const noFields: NonNullable<AuditedOperation['extraFields']> = async () => ({});

/** Who looks asks again every second. */
const LIVE_ENTRY_MS = 10 * 60_000;

const ownAccount = (verb: string, extraFields?: AuditedOperation['extraFields']): AuditedOperation => ({
  ...auditedOperation('user', verb, extraFields),
  ofCaller: true,
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
  requestScreenshot: auditedOperation(
    'device',
    'screenshot_requested',
    responseFields({ screenshot_request: 'id' }),
  ),
  takeLivePicture: { ...auditedOperation('device', 'viewed_live', noFields), everyMs: LIVE_ENTRY_MS },
  readLiveLog: { ...auditedOperation('device', 'log_followed', noFields), everyMs: LIVE_ENTRY_MS },
  requestLogs: auditedOperation('device', 'logs_requested', responseFields({ logs_request: 'id' })),
  createOperation: auditedOperation(
    'operation',
    'created',
    responseFields({ action: 'action', filter: 'filter', devices: 'total' }),
  ),
  cancelOperation: auditedOperation('operation', 'cancelled', responseFields({ succeeded: 'succeeded' })),
  createRollout: auditedOperation('rollout', 'created'),
  stopRollout: auditedOperation('rollout', 'stopped'),
  continueRollout: auditedOperation('rollout', 'continued'),
  deleteRollout: auditedOperation('rollout', 'deleted'),
  uploadContent: auditedOperation('content', 'created'),
  importContent: auditedOperation('content', 'created'),
  // With the last bytes; as `replaceContent` when they replace a file.
  appendUpload: auditedOperation('content', 'created'),
  updateContent: auditedOperation('content', 'updated'),
  replaceContent: auditedOperation('content', 'replaced'),
  makeRendition: auditedOperation('content', 'rendition_wanted', responseFields({ rendition: 'kind' })),
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
  createAlertRule: auditedOperation('alert_rule', 'created'),
  updateAlertRule: auditedOperation('alert_rule', 'updated'),
  deleteAlertRule: auditedOperation('alert_rule', 'deleted'),
  createAlertMute: auditedOperation('alert_mute', 'created'),
  deleteAlertMute: auditedOperation('alert_mute', 'deleted'),
  createWebhook: auditedOperation('webhook', 'created'),
  updateWebhook: auditedOperation('webhook', 'updated'),
  deleteWebhook: auditedOperation('webhook', 'deleted'),
  rotateWebhookSecret: auditedOperation('webhook', 'secret_rotated'),
  testWebhook: auditedOperation('webhook', 'tested', responseFields({ delivery_id: 'id' })),
  replayWebhook: auditedOperation('webhook', 'replayed', responseFields({ deliveries: 'queued' })),
  updateUser: auditedOperation('user', 'updated'),
  deleteUser: auditedOperation('user', 'removed'),
  createResetLink: auditedOperation('user', 'reset_link_created', noFields),
  removeSecondFactor: auditedOperation('user', 'second_factor_removed'),
  endUserSessions: auditedOperation('user', 'sessions_ended', responseFields({ ended: 'ended' })),
  endUserSession: auditedOperation('user', 'sessions_ended', responseFields({ ended: 'ended' })),
  createInvitation: auditedOperation('invitation', 'created'),
  deleteInvitation: auditedOperation('invitation', 'revoked'),
  updateOwnAccount: ownAccount('updated'),
  changePassword: ownAccount('password_changed', noFields),
  endOwnSession: ownAccount('sessions_ended', responseFields({ session: 'id' })),
  startSecondFactor: ownAccount('second_factor_prepared', noFields),
  confirmSecondFactor: ownAccount('second_factor_added', noFields),
  stopSecondFactor: ownAccount('second_factor_removed', noFields),
  startPasskey: ownAccount('passkey_prepared', noFields),
  addPasskey: ownAccount('passkey_added', responseFields({ passkey: 'id', passkey_name: 'name' })),
  removePasskey: ownAccount('passkey_removed', responseFields({ passkey: 'id' })),
  retryDelivery: auditedOperation('webhook', 'delivery_retried', responseFields({ delivery_id: 'id' })),
};
