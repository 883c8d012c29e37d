import { commandName, deviceTaskName } from '@placard/protocol';
import type { CommandName, CommandStatusRequest, DeviceTaskName, WireCommand } from '@placard/protocol';

/**
 * Progress of a command. It is stored before the command is executed, so that a crash does not execute it twice. Only
 * `UPDATE_CHECK` is executed again in the next run, which continues it.
 */
export type CommandStage =
  /** Stored, not started. */
  | 'received'
  /** About to be executed, or executing; after a restart the ids below show whether it happened. */
  | 'executing'
  | 'succeeded'
  | 'failed';

export interface CommandEntry {
  id: string;
  /** A newer cloud may send commands that this version does not know. */
  command: string;
  /** Milliseconds since 1970. */
  expiresAtMs: number;
  receivedAtMs: number;
  stage: CommandStage;
  /** Boot id of the operating system and launch id of the player when execution started; null before. */
  bootId: string | null;
  launchId: string | null;
  /** When execution started; null before. */
  begunAtMs: number | null;
  /** Uptime of the machine at that time; missing in entries of an older player. */
  begunUptimeMs?: number | undefined;
  result: Record<string, unknown> | null;
  /** The last status that the cloud has acknowledged; null: none. The name is stored. */
  told: CommandStatusRequest['status'] | null;
}

/** Identifies this run of the player and this boot of the machine. */
export interface PlayerRun {
  bootId: string;
  /** New for each launch of the shell. */
  launchId: string;
  /** Since the operating system booted. */
  uptimeMs: number;
}

/** An entry with a command that this version supports. */
export type KnownCommandEntry = CommandEntry & { command: CommandName | DeviceTaskName };

/** Store the entry; with `execute`, execute the command afterwards. */
export type CommandAction =
  { kind: 'write'; entry: CommandEntry } | { kind: 'execute'; entry: KnownCommandEntry };

/** At most one reboot in this time, so that repeated commands cannot keep a screen off. */
const MIN_REBOOT_INTERVAL_MS = 10 * 60_000;

/** Commands that are executed again in the next run, which continues them. */
const COMMANDS_ACROSS_RUNS: ReadonlySet<string> = new Set(['UPDATE_CHECK']);
/** Commands that do not block others. */
const BACKGROUND_COMMANDS: ReadonlySet<string> = new Set(['UPDATE_CHECK', 'SCREENSHOT', 'LOGS']);

const KNOWN_COMMANDS: ReadonlySet<string> = new Set([...commandName.options, ...deviceTaskName.options]);

const isKnownCommand = (command: string): command is KnownCommandEntry['command'] =>
  KNOWN_COMMANDS.has(command);

export const isKnownCommandEntry = (entry: CommandEntry): entry is KnownCommandEntry =>
  isKnownCommand(entry.command);

/** The entry to store for a command from the cloud, or null when the command is already known. */
export function createEntry(
  entries: readonly CommandEntry[],
  command: WireCommand,
  receivedAtMs: number,
): CommandEntry | null {
  if (entries.some((entry) => entry.id === command.id)) {
    return null;
  }
  return {
    id: command.id,
    command: command.command,
    expiresAtMs: Date.parse(command.expires_at),
    receivedAtMs,
    stage: 'received',
    bootId: null,
    launchId: null,
    begunAtMs: null,
    result: null,
    told: null,
  };
}

/**
 * For entries that were executing when the player ended, or when only the service of commands was restarted: they have
 * either happened or never will, and are not executed again. Commands that continue across runs stay as they are.
 */
export function recoverEntry(entry: CommandEntry, run: PlayerRun): CommandEntry {
  if (entry.stage !== 'executing' || continuesAcrossRuns(entry.command)) {
    return entry;
  }
  // Some Raspberry Pi kernels gave two boots the same id (raspberrypi/linux#4517).
  const rebooted = entry.bootId !== run.bootId || run.uptimeMs < (entry.begunUptimeMs ?? 0);
  const tookEffect =
    entry.command === 'REBOOT'
      ? rebooted
      : entry.command === 'APP_RESTART' && (rebooted || entry.launchId !== run.launchId);
  return tookEffect
    ? finishEntry(entry, 'succeeded', {})
    : finishEntry(entry, 'failed', { reason: 'interrupted before its result was stored' });
}

/**
 * The next action, one at a time, oldest first; null when nothing is left. `nowMs` is null while the time is
 * unconfirmed: then nothing can be known to have expired, so nothing is started and nothing expires.
 */
export function nextAction(
  entries: readonly CommandEntry[],
  run: PlayerRun,
  nowMs: number | null,
): CommandAction | null {
  const entry = entries.find((one) => one.stage === 'received');
  if (!entry || nowMs === null) {
    return null;
  }
  if (nowMs >= entry.expiresAtMs) {
    return { kind: 'write', entry: finishEntry(entry, 'failed', { reason: 'expired' }) };
  }
  if (!isKnownCommand(entry.command)) {
    const reason = `this player does not support the command ${entry.command}; update the player`;
    return { kind: 'write', entry: finishEntry(entry, 'failed', { reason }) };
  }
  if (entry.command === 'REBOOT' && rebootedRecently(entries, nowMs)) {
    const reason = 'the last reboot was less than 10 minutes ago';
    return { kind: 'write', entry: finishEntry(entry, 'failed', { reason }) };
  }
  const { bootId, launchId, uptimeMs } = run;
  const { command } = entry;
  return {
    kind: 'execute',
    entry: {
      ...entry,
      command,
      stage: 'executing',
      bootId,
      launchId,
      begunAtMs: nowMs,
      begunUptimeMs: uptimeMs,
    },
  };
}

export function finishEntry(
  entry: CommandEntry,
  stage: 'succeeded' | 'failed',
  result: Record<string, unknown>,
): CommandEntry {
  return { ...entry, stage, result };
}

/** A progress result, to be reported while the command is still executing. */
export const withProgress = (entry: CommandEntry, result: Record<string, unknown>): CommandEntry => ({
  ...entry,
  result,
  told: null,
});

const continuesAcrossRuns = (command: string): boolean => COMMANDS_ACROSS_RUNS.has(command);

export const runsInBackground = (command: string): boolean => BACKGROUND_COMMANDS.has(command);

/** The status to report to the cloud, or null when it has acknowledged it. */
export function statusToReport(entry: CommandEntry): CommandStatusRequest | null {
  if (entry.stage === 'succeeded' || entry.stage === 'failed') {
    if (entry.told === entry.stage) {
      return null;
    }
    return withResult(entry.stage, entry.result);
  }
  return entry.told === null ? withResult('acknowledged', entry.result) : null;
}

const withResult = (
  status: CommandStatusRequest['status'],
  result: CommandEntry['result'],
): CommandStatusRequest => (result ? { status, result } : { status });

/**
 * A started reboot counts whatever its result: it may have happened nevertheless. `Math.abs`, because the clock may
 * have been set back since.
 */
const rebootedRecently = (entries: readonly CommandEntry[], nowMs: number): boolean =>
  entries.some(
    ({ command, begunAtMs }) =>
      command === 'REBOOT' && begunAtMs !== null && Math.abs(nowMs - begunAtMs) < MIN_REBOOT_INTERVAL_MS,
  );
