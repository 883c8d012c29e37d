import type { CommandStatus } from '@placard/protocol/api';

export const isFinished = (status: CommandStatus): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'expired';

/** Whether anybody still waits for what a device does of it. */
export const isAwaited = (command: Pick<CommandState, 'status' | 'expires_at'>, nowMs: number): boolean =>
  !isFinished(command.status) && command.expires_at > nowMs;

type CommandReport = 'acknowledged' | 'succeeded' | 'failed';

interface CommandState {
  status: CommandStatus;
  expires_at: number;
  delivered_at: number | null;
}

/**
 * The status of a command after a report from its device. Reports are delivered at least once and in any order, so
 * outdated ones change nothing. A result reported after expiry is accepted if the command was delivered before it
 * expired; an undelivered command cannot have been run.
 */
export function nextCommandStatus(
  command: CommandState,
  report: CommandReport,
  nowMs: number,
): CommandStatus {
  const { status } = command;
  if (status === 'succeeded' || status === 'failed') {
    return status;
  }
  if (command.delivered_at === null && command.expires_at <= nowMs) {
    return status;
  }
  if (report === 'acknowledged') {
    return status === 'expired' ? 'expired' : 'acknowledged';
  }
  return report;
}
