import { LIMITS } from '@placard/protocol';
import type { IdKind } from '@placard/protocol';
import type { BulkAction } from '@placard/protocol/api';
import type { Transaction } from '../../database/cloud-database.ts';
import type { DeviceRow } from '../../database/devices.ts';
import { validationError } from '../../domain/api-error.ts';
import type { AuditedCall, AuditRecorder, Change } from '../../http-server/operation-route.ts';
import { createCommand, requireFewOpenCommands } from '../../http-server/create-command.ts';
import { changeDevice } from '../devices/change-device.ts';
import { describeDeployment, storeDeployment } from '../playlists/store-deployment.ts';
import { requirePlaylist } from '../playlists/playlists.ts';
import { requireStore } from '../request-checks.ts';

const MAX_TAGS_PER_DEVICE = 100;

/** What was made for a device. */
export interface Made {
  command_id?: string;
  deployment_id?: string;
}

/** An action on some devices in one transaction. */
export interface BoundAction {
  /** Throws what prevents the action; writes nothing. */
  check: (device: DeviceRow) => Promise<void>;
  /** Throws only what `check` cannot know: then the transaction must be rolled back. */
  apply: (device: DeviceRow) => Promise<Made>;
  /** After the last device. */
  finish: () => Promise<void>;
}

export interface ActionContext {
  tx: Transaction;
  nowMs: number;
  newId: (kind: IdKind) => string;
  recordAudit: AuditRecorder;
  /** Who asked for the operation. */
  audited: Pick<AuditedCall, 'caller'> & { ip: string; requestId: string };
}

const nothing = async (): Promise<void> => {};

/** The action with what it needs; each device is audited like a request about it alone. */
export function bindAction(action: BulkAction, context: ActionContext): BoundAction {
  const { tx, nowMs, newId } = context;
  const audit = (operationId: string, id: string, change: Change) =>
    context.recordAudit(change, {
      operation: { id: operationId },
      caller: context.audited.caller,
      request: { params: { id }, ip: context.audited.ip, id: context.audited.requestId },
      nowMs,
      newId,
    })(tx);
  const changeEach = (
    check: BoundAction['check'],
    /** Undefined when there is nothing to change. */
    changeOf: (device: DeviceRow) => Parameters<typeof changeDevice>[2] | undefined,
  ): BoundAction => ({
    check,
    async apply(device) {
      const change = changeOf(device);
      if (change) {
        await audit('updateDevice', device.id, async () => ({
          data: await changeDevice(tx, device, change, nowMs),
        }));
      }
      return {};
    },
    finish: nothing,
  });

  switch (action.type) {
    case 'command':
      return {
        check: ({ id }) => requireFewOpenCommands(tx, id, nowMs),
        async apply({ id }) {
          const data = await createCommand(tx, { deviceId: id, ...action, nowMs, newId });
          await audit('sendCommand', id, async () => ({ data }));
          return { command_id: data.id };
        },
        finish: nothing,
      };
    case 'add_tags': {
      const tagsWith = ({ tags }: DeviceRow) => [...new Set([...tags, ...action.tags])];
      return changeEach(
        async (device) => {
          if (tagsWith(device).length > MAX_TAGS_PER_DEVICE) {
            throw validationError([
              { path: 'action.tags', message: `a device has at most ${MAX_TAGS_PER_DEVICE} tags` },
            ]);
          }
        },
        (device) => (tagsWith(device).length > device.tags.length ? { tags: tagsWith(device) } : undefined),
      );
    }
    case 'remove_tags': {
      const removed = new Set(action.tags);
      return changeEach(nothing, ({ tags }) =>
        tags.some((tag) => removed.has(tag)) ? { tags: tags.filter((tag) => !removed.has(tag)) } : undefined,
      );
    }
    case 'set_store': {
      const { store_id } = action;
      return changeEach(
        async () => {
          if (store_id !== null) {
            await requireStore(tx, store_id);
          }
        },
        (device) => (device.store_id === store_id ? undefined : { columns: { store_id } }),
      );
    }
    case 'set_orientation': {
      const { orientation } = action;
      return changeEach(nothing, (device) =>
        device.orientation === orientation ? undefined : { columns: { orientation } },
      );
    }
    case 'deploy':
    default:
      return deployTo(action.playlist_id, context, (change) =>
        audit('deployPlaylist', action.playlist_id, change),
      );
  }
}

/** The devices of one transaction are the targets of one deployment. */
function deployTo(
  playlistId: string,
  { tx, nowMs, newId }: ActionContext,
  audit: (change: Change) => Promise<unknown>,
): BoundAction {
  const id = newId('deployment');
  const targets: { type: 'device'; id: string }[] = [];
  let allowed: number | null = null;
  return {
    async check(device) {
      await requirePlaylist(tx, playlistId);
      allowed ??= LIMITS.deployedTargets - (await tx.deployments.countTargets());
      const isTarget = (await tx.deployments.findByTargets([{ type: 'device', id: device.id }])).length > 0;
      if (!isTarget && targets.length >= allowed) {
        throw validationError([
          {
            path: 'action',
            message: `at most ${LIMITS.deployedTargets} devices, stores and tags have a deployed playlist`,
          },
        ]);
      }
    },
    async apply(device) {
      targets.push({ type: 'device', id: device.id });
      return { deployment_id: id };
    },
    async finish() {
      if (targets.length === 0) {
        return;
      }
      const deployment = { id, playlist: await requirePlaylist(tx, playlistId), targets, nowMs };
      await audit(async () => {
        await storeDeployment(tx, deployment);
        return { data: describeDeployment(tx, deployment, targets.length) };
      });
    },
  };
}
