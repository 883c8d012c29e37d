import type { CommandStatusRequest, WireCommand } from '@placard/protocol';
import type { CommandStatus, EventType } from '@placard/protocol/api';
import { nextCommandStatus, isFinished } from '../domain/command-lifecycle.ts';
import { truncateDetails } from '../domain/device-report.ts';
import { toIso } from '../domain/iso-time.ts';
import { presentCommand } from '../http-server/present.ts';
import { isCustomerCommand } from '../database/commands.ts';
import type { Row } from '../database/schema.ts';
import type { Transaction } from '../database/cloud-database.ts';

/** Returns the commands that the device has not acknowledged, oldest first, and marks them as delivered. */
export async function deliverPendingCommands(
  tx: Transaction,
  deviceId: string,
  nowMs: number,
): Promise<WireCommand[]> {
  const rows = await tx.commands.listPending(deviceId, nowMs);
  for (const row of rows) {
    if (row.status === 'queued') {
      const change = { status: 'delivered', delivered_at: nowMs } as const;
      await tx.commands.update(row.id, change);
      recordCommandEvent(tx, 'command.delivered', { ...row, ...change });
    }
  }
  return rows.map(({ id, command, expires_at }) => ({ id, command, expires_at: toIso(expires_at) }));
}

/** Stores the status that a device reports for a command. Null when the device has no such command. */
export async function applyCommandReport(
  tx: Transaction,
  deviceId: string,
  id: string,
  report: CommandStatusRequest,
  nowMs: number,
): Promise<CommandStatus | null> {
  const row = await tx.commands.find(id);
  if (row?.device_id !== deviceId) {
    return null;
  }
  const previousStatus = row.status;
  const status = nextCommandStatus(row, report.status, nowMs);
  const isProgress = status === 'acknowledged' && report.result !== undefined;
  if (status === previousStatus && !isProgress) {
    return status;
  }
  const change = {
    status,
    delivered_at: row.delivered_at ?? nowMs,
    acknowledged_at: row.acknowledged_at ?? nowMs,
    finished_at: isFinished(status) ? nowMs : null,
    result: report.result === undefined ? row.result : JSON.stringify(truncateDetails(report.result)),
  };
  await tx.commands.update(id, change);
  // Once: an expired command was already reported when it expired.
  if (isFinished(status) && !isFinished(previousStatus)) {
    recordCommandEvent(tx, 'command.finished', { ...row, ...change });
  } else if (status === 'acknowledged' && status !== previousStatus) {
    recordCommandEvent(tx, 'command.acknowledged', { ...row, ...change });
  }
  return status;
}

export function recordCommandEvent(
  tx: Transaction,
  type: Extract<EventType, `command.${string}`>,
  row: Row<'commands'>,
): void {
  if (!isCustomerCommand(row)) {
    return;
  }
  tx.recordEvent({ type, resource: row.device_id, data: { command: presentCommand(row) } });
}
