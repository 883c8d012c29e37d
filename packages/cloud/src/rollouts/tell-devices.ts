import type { IdKind } from '@placard/protocol';
import type { Transaction } from '../database/cloud-database.ts';
import type { RolloutRow } from '../database/rollouts.ts';
import { isOlderVersion } from '../domain/version-order.ts';
import { actorOfRow } from '../http-server/actor-of-row.ts';
import { createCommand } from '../http-server/create-command.ts';
import type { AuditRecorder } from '../http-server/operation-route.ts';

/** A device that is off gets its turn when it comes back within a week. */
const COMMAND_EXPIRES_IN_SECONDS = 7 * 24 * 3600;

export interface TellDeps {
  newId: (kind: IdKind) => string;
  recordAudit: AuditRecorder;
}

/** Tells the next devices of the current ring to update; like a request about each, in the name of whoever asked for the rollout. */
export async function tellDevices(
  tx: Transaction,
  row: RolloutRow,
  { limit, nowMs, newId, recordAudit }: TellDeps & { limit: number; nowMs: number },
): Promise<void> {
  for (const { position, device_id } of await tx.rolloutDevices.waiting(row.id, row.ring, limit)) {
    const device = await tx.devices.findRow(device_id);
    if (!device) {
      await tx.rolloutDevices.update(row.id, position, { status: 'removed' });
      continue;
    }
    if (!isOlderVersion(device.player_version, row.version)) {
      const code = device.player_version === row.version ? null : 'other_version';
      await tx.rolloutDevices.update(row.id, position, {
        status: code === null ? 'updated' : 'failed',
        code,
        updated_at: nowMs,
      });
      continue;
    }
    const command = await createCommand(tx, {
      deviceId: device_id,
      command: 'UPDATE_CHECK',
      expires_in: COMMAND_EXPIRES_IN_SECONDS,
      nowMs,
      newId,
    });
    await recordAudit(async () => ({ data: command }), {
      operation: { id: 'sendCommand' },
      caller: { actor: actorOfRow(row), deviceId: null, secret: null },
      request: { params: { id: device_id }, ip: row.address, id: row.request_id },
      nowMs,
      newId,
    })(tx);
    await tx.rolloutDevices.update(row.id, position, {
      status: 'told',
      command_id: command.id,
      told_at: nowMs,
    });
  }
}
