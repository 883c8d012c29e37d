import type { CommandStatus } from '@placard/protocol/api';

export const isFinished = (status: CommandStatus): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'expired';

type Report = 'acknowledged' | 'succeeded' | 'failed';

interface Life {
  status: CommandStatus;
  expires_at: number;
  delivered_at: number | null;
}

/**
 * What a command becomes when its device reports. Reports come at least once and in any order, so an old one
 * changes nothing. An end that is told after expiry is the truth all the same when the device got the command
 * in time; one that it never got cannot have been run, whatever it says.
 */
export function afterReport(command: Life, report: Report, nowMs: number): CommandStatus {
  const { status } = command;
  if (status === 'succeeded' || status === 'failed') return status;
  if (command.delivered_at === null && command.expires_at <= nowMs) return status;
  if (report === 'acknowledged') return status === 'expired' ? 'expired' : 'acknowledged';
  return report;
}
