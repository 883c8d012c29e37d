import type { CommandStatusRequest, WireCommand } from '@placard/protocol';
import type { CommandStatus } from '@placard/protocol/api';
import { afterReport, isFinished } from '../domain/command-life.ts';
import { shortFacts } from '../domain/device-report.ts';
import { iso, presentCommand } from '../http/present.ts';
import type { Row } from '../store/schema.ts';
import type { Work } from '../store/store.ts';

export function wireCommandOf(row: Row<'commands'>): WireCommand {
  return {
    id: row.id,
    command: row.command,
    expires_at: iso(row.expires_at),
  };
}

/** Commands that the device has not acknowledged, oldest first; they count as delivered from now on. */
export async function deliverWaiting(work: Work, deviceId: string, nowMs: number): Promise<WireCommand[]> {
  const rows = await work.commands.waiting(deviceId, nowMs);
  for (const row of rows)
    if (row.status === 'queued')
      await work.commands.update(row.id, { status: 'delivered', delivered_at: nowMs });
  return rows.map(wireCommandOf);
}

/** Writes down what the device says about a command. Null when the device has no such command. */
export async function reportCommand(
  work: Work,
  deviceId: string,
  id: string,
  report: CommandStatusRequest,
  nowMs: number,
): Promise<CommandStatus | null> {
  const row = await work.commands.find(id);
  if (row?.device_id !== deviceId) return null;
  const before = row.status;
  const status = afterReport(row, report.status, nowMs);
  const isProgress = status === 'acknowledged' && report.result !== undefined;
  if (status === before && !isProgress) return status;
  const change = {
    status,
    delivered_at: row.delivered_at ?? nowMs,
    acknowledged_at: row.acknowledged_at ?? nowMs,
    finished_at: isFinished(status) ? nowMs : null,
    result: report.result === undefined ? row.result : JSON.stringify(shortFacts(report.result)),
  };
  await work.commands.update(id, change);
  // Told once: what had expired was told then.
  if (isFinished(status) && !isFinished(before)) await notifyFinished(work, { ...row, ...change });
  return status;
}

export async function notifyFinished(work: Work, row: Row<'commands'>): Promise<void> {
  await work.notify({
    type: 'command.finished',
    resource: row.device_id,
    data: { command: presentCommand(row) },
  });
}
