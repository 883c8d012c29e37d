import type { CommandStatus } from '@placard/protocol/api';

export const isFinished = (status: CommandStatus): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'expired';

type Report = 'acknowledged' | 'succeeded' | 'failed';

/**
 * What a command becomes when its device reports. Reports come at least once and in any order, so an old one
 * changes nothing; one that comes after expiry is the truth all the same: the device had taken it on in time.
 */
export function afterReport(status: CommandStatus, report: Report): CommandStatus {
  if (status === 'succeeded' || status === 'failed') return status;
  if (report === 'acknowledged') return status === 'expired' ? 'expired' : 'acknowledged';
  return report;
}
