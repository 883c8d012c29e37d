import { z } from 'zod';
import { reportedFault } from '../player/heartbeat.ts';
import { timestamp } from '../primitives.ts';
import { alert, exampleAlert } from './alerts.ts';
import { bulkOperation, exampleOperation } from './bulk-operations.ts';
import { command, exampleCommand } from './commands.ts';
import { asset, exampleAsset } from './content.ts';
import { device, deviceDetail, exampleDevice, exampleDeviceDetail } from './devices.ts';
import { namedReference } from './fields.ts';
import { deployment, exampleDeployment, examplePlaylist, playlist } from './playlists.ts';
import { deviceLogs, exampleDeviceLogs } from './device-logs.ts';
import { exampleScreenshot, screenshot } from './screenshots.ts';
import { exampleNewRollout, exampleRollout, exampleStoppedRollout, rollout } from './rollouts.ts';
import { exampleSchedule, schedule } from './schedules.ts';
import type { EventType } from './event-types.ts';
import { exampleUpload, upload } from './uploads.ts';

/** What an event of one type says. */
interface NotificationDefinition {
  readonly summary: string;
  readonly description?: string;
  /** The fields of `data`. */
  readonly data: Readonly<Record<string, z.ZodType>>;
  /** An example of `data`. */
  readonly example: Readonly<Record<string, unknown>>;
}

const { manifest_revisions: _revisions, ...exampleDeploymentSummary } = exampleDeployment;
const ofDevice = { data: { device }, example: { device: exampleDevice } };
const ofPlaylist = { data: { playlist }, example: { playlist: examplePlaylist } };
const ofSchedule = { data: { schedule }, example: { schedule: exampleSchedule } };

/** Events, by type. */
export const notifications: Record<EventType, NotificationDefinition> = {
  'device.paired': {
    summary: 'A device was paired',
    data: { device: deviceDetail },
    example: { device: exampleDeviceDetail },
  },
  'device.online': { summary: 'A device came back online', ...ofDevice },
  'device.offline': {
    summary: 'A device missed three heartbeats, or its socket closed and it did not reconnect',
    data: { device },
    example: { device: { ...exampleDevice, status: 'offline' } },
  },
  'device.updated': {
    summary: 'A device was changed: its name, store, tags or configuration',
    data: { device: deviceDetail },
    example: { device: exampleDeviceDetail },
  },
  'upload.progress': {
    summary: 'A resumable upload has received another tenth of its file, has finished, or has failed',
    data: { upload },
    example: { upload: exampleUpload },
  },
  'device.now_playing': {
    summary: 'A device shows another playlist, or the same because of another rule; null: nothing',
    data: {
      device_id: z.string(),
      now_playing: z
        .object({
          playlist_id: z.string(),
          schedule_id: z.string().nullable(),
          rule_id: z.string().nullable(),
          content_id: z.string(),
          since: timestamp,
        })
        .nullable(),
    },
    example: {
      device_id: exampleDevice.id,
      now_playing: {
        playlist_id: examplePlaylist.id,
        schedule_id: exampleSchedule.id,
        rule_id: exampleSchedule.rules[0]?.id ?? null,
        content_id: exampleAsset.id,
        since: '2026-11-20T08:00:00.000Z',
      },
    },
  },
  'device.screenshot': {
    summary:
      'A device has sent a picture of what it shows that somebody has asked for, or of the moment in which a fault began',
    data: { screenshot },
    example: { screenshot: exampleScreenshot },
  },
  'device.logs': {
    summary: 'A device has sent its logs',
    data: { logs: deviceLogs },
    example: { logs: exampleDeviceLogs },
  },
  'device.removed': { summary: 'A device was removed', ...ofDevice },
  'device.alert': {
    summary: 'A device reported a new fault',
    description:
      'At most 500 per day and device. The cloud itself reports `plays.over_quota` once per day and device, with `day` and ' +
      '`limit`, when a device has more plays on one day than are counted.',
    data: { device, fault: reportedFault },
    example: {
      device: exampleDevice,
      fault: { code: 'disk.full', since: '2026-11-20T08:00:00.000Z', facts: { free_bytes: 0 } },
    },
  },
  'content.created': {
    summary: 'A file was uploaded or imported',
    data: { content: asset },
    example: { content: exampleAsset },
  },
  'content.updated': {
    summary: 'The name, folder or tags of a file changed, or another file has replaced it',
    data: { content: asset },
    example: { content: exampleAsset },
  },
  'content.deleted': {
    summary: 'A file was deleted',
    data: { content: asset, playlists: z.array(namedReference) },
    example: { content: exampleAsset, playlists: [{ id: examplePlaylist.id, name: examplePlaylist.name }] },
  },
  'playlist.created': { summary: 'A playlist was created', ...ofPlaylist },
  'playlist.updated': { summary: 'A playlist or its items changed', ...ofPlaylist },
  'playlist.deleted': { summary: 'A playlist was deleted', ...ofPlaylist },
  'playlist.deployed': {
    summary: 'A playlist was deployed',
    data: { deployment: deployment.omit({ manifest_revisions: true }), playlist: namedReference },
    example: {
      deployment: exampleDeploymentSummary,
      playlist: { id: examplePlaylist.id, name: examplePlaylist.name },
    },
  },
  'schedule.activated': { summary: 'A schedule was activated', ...ofSchedule },
  'schedule.deactivated': {
    summary: 'A schedule was deactivated',
    data: { schedule },
    example: { schedule: { ...exampleSchedule, is_active: false } },
  },
  'schedule.changed': { summary: 'A schedule was created, updated or deleted', ...ofSchedule },
  'command.created': {
    summary: 'A command was sent',
    data: { command },
    example: { command: exampleCommand },
  },
  'command.delivered': {
    summary: 'A device has received a command',
    data: { command },
    example: {
      command: { ...exampleCommand, status: 'delivered', delivered_at: '2026-11-20T08:00:01.000Z' },
    },
  },
  'command.acknowledged': {
    summary: 'A device has begun to execute a command',
    data: { command },
    example: {
      command: {
        ...exampleCommand,
        status: 'acknowledged',
        delivered_at: '2026-11-20T08:00:01.000Z',
        acknowledged_at: '2026-11-20T08:00:01.000Z',
      },
    },
  },
  'operation.progress': {
    summary: 'How far an operation on many devices is; at most once a second',
    data: { operation: bulkOperation },
    example: { operation: exampleOperation },
  },
  'operation.finished': {
    summary: 'An operation on many devices has finished, or was cancelled',
    data: { operation: bulkOperation },
    example: {
      operation: {
        ...exampleOperation,
        status: 'finished',
        succeeded: 1999,
        finished_at: '2026-11-20T08:00:08.000Z',
      },
    },
  },
  'rollout.created': {
    summary: 'A rollout was created',
    data: { rollout },
    example: { rollout: exampleNewRollout },
  },
  'rollout.progress': {
    summary: 'How far a rollout is: its screens were chosen, some were told, or have answered',
    description: 'Also after its end, for a week: of screens that were told before',
    data: { rollout },
    example: { rollout: exampleRollout },
  },
  'rollout.advanced': {
    summary: 'The first or the next ring of a rollout has begun',
    data: { rollout },
    example: { rollout: exampleRollout },
  },
  'rollout.held': {
    summary: 'Too few screens of a ring run the new version: a person has to decide',
    data: { rollout },
    example: {
      rollout: {
        ...exampleRollout,
        status: 'held',
        reason:
          'Only 8 of the 20 screens of this ring run the new version and are online (12 could not update, of 0 nothing is known): ' +
          'look at them, then continue or stop.',
      },
    },
  },
  'rollout.continued': {
    summary: 'A rollout that was held was continued; `rollout.advanced` follows when its next ring begins',
    data: { rollout },
    example: { rollout: { ...exampleRollout, ring: 2, ring_started_at: null } },
  },
  'rollout.stopped': {
    summary: 'A rollout was stopped, because screens became worse or by a person; `reason` says which',
    data: { rollout },
    example: {
      rollout: {
        ...exampleRollout,
        status: 'stopped',
        reason:
          'Restarts on Raspberry Pi 4 with chromium went from 0.1 per day to 2.3 per day (of 12 updated screens); ' +
          'on 1170 others: 0.1 per day before, 0.1 per day now.',
        finished_at: '2026-11-20T16:00:00.000Z',
      },
    },
  },
  'rollout.finished': {
    summary: 'All screens of a rollout were told, and have answered or had the time for it',
    description: 'Of one with a filter the other screens are held on (`holds_updates`)',
    data: { rollout },
    example: {
      rollout: { ...exampleRollout, status: 'finished', ring: 3, finished_at: '2026-11-27T08:00:00.000Z' },
    },
  },
  'rollout.deleted': {
    summary:
      'A rollout was deleted, by a person or because it ended too long ago to keep; its data are those before',
    description: 'If it held updates (`holds_updates`), devices update of their own accord again',
    data: { rollout },
    example: { rollout: exampleStoppedRollout },
  },
  'alert.opened': {
    summary: 'A device, a store or several devices meet the condition of a rule for alerts',
    description: 'Once per cause. Devices that join later are not told of one by one',
    data: { alert },
    example: { alert: exampleAlert },
  },
  'alert.resolved': {
    summary: 'An alert is over, its rule was changed, or its devices are no longer watched',
    description: '`resolved_because` says which',
    data: { alert },
    example: {
      alert: {
        ...exampleAlert,
        status: 'resolved',
        devices_affected: 0,
        resolved_at: '2026-11-20T08:30:00.000Z',
        resolved_because: 'over',
      },
    },
  },
  'command.finished': {
    summary: 'A command succeeded, failed or expired',
    data: { command },
    example: {
      command: {
        ...exampleCommand,
        status: 'succeeded',
        delivered_at: '2026-11-20T08:00:01.000Z',
        acknowledged_at: '2026-11-20T08:00:01.000Z',
        finished_at: '2026-11-20T08:00:04.000Z',
      },
    },
  },
};
