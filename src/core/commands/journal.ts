import {
  commandName,
  type CommandName,
  type CommandStatusRequest,
  type WireCommand,
} from '@placard/protocol';

/** How far a command has come. It is written down before anything is done, and never done twice. */
export type CommandStage =
  /** Written down, not begun. */
  | 'received'
  /** About to act, or acting; after a restart the ids below tell whether it happened. */
  | 'executing'
  | 'succeeded'
  | 'failed';

export interface CommandEntry {
  id: string;
  /** Of a newer cloud it may be one that this version does not know. */
  command: string;
  /** Milliseconds since 1970. */
  expiresAtMs: number;
  receivedAtMs: number;
  stage: CommandStage;
  /** Of the operating system and of the player when it began to act; null before. */
  bootId: string | null;
  launchId: string | null;
  /** When it began to act; null before. */
  begunAtMs: number | null;
  /** How long the box had been up then; absent in entries of an older player. */
  begunUptimeMs?: number | undefined;
  result: Record<string, unknown> | null;
  /** The last status that the cloud has confirmed. */
  told: CommandStatusRequest['status'] | null;
}

/** Which run of which boot this is. */
export interface Run {
  bootId: string;
  /** Made once per launch of the shell. */
  launchId: string;
  /** Since the operating system booted. */
  uptimeMs: number;
}

/** An entry with a command that this version can carry out. */
export type KnownEntry = CommandEntry & { command: CommandName };

/** Write the entry down; `execute` then acts. */
export type CommandAction = { kind: 'write'; entry: CommandEntry } | { kind: 'execute'; entry: KnownEntry };

/** At most one reboot in this time, so that a loop of commands cannot take a screen down. */
const REBOOT_SPACING_MS = 10 * 60_000;

/** Commands that end this very process: only the run after it knows whether they happened. */
const ENDS_THE_RUN: ReadonlySet<string> = new Set(['REBOOT', 'APP_RESTART']);

/** Commands that outlive the run: taken up again by the next one where they are, and nobody waits behind them. */
const OUTLIVES_THE_RUN: ReadonlySet<string> = new Set(['UPDATE_CHECK']);

const isKnown = (command: string): command is CommandName => commandName.safeParse(command).success;

export const isKnownEntry = (entry: CommandEntry): entry is KnownEntry => isKnown(entry.command);

/** A command came from the cloud: the entry to write down, or null when it is known already. */
export function receive(
  entries: readonly CommandEntry[],
  command: WireCommand,
  receivedAtMs: number,
): CommandEntry | null {
  if (entries.some((entry) => entry.id === command.id)) return null;
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
 * At the start: what was acting when the last run ended either happened or never will; nothing runs again. What
 * outlives a run is still acting, and is gone on with.
 */
export function recover(entry: CommandEntry, run: Run): CommandEntry {
  if (entry.stage !== 'executing' || outlivesTheRun(entry.command)) return entry;
  // Kernels of some Raspberry Pis gave two boots the same id (raspberrypi/linux#4517).
  const rebooted = entry.bootId !== run.bootId || run.uptimeMs < (entry.begunUptimeMs ?? 0);
  const happened =
    entry.command === 'REBOOT'
      ? rebooted
      : entry.command === 'APP_RESTART' && (rebooted || entry.launchId !== run.launchId);
  return happened
    ? finish(entry, 'succeeded', {})
    : finish(entry, 'failed', { reason: 'the player ended before it was done' });
}

/**
 * What to do next, one thing at a time, oldest first; null when nothing is left. `nowMs` is null while the time is a
 * guess: then nobody knows what has expired, so nothing is begun and nothing expires.
 */
export function nextAction(
  entries: readonly CommandEntry[],
  run: Run,
  nowMs: number | null,
): CommandAction | null {
  const entry = entries.find((one) => one.stage === 'received');
  if (!entry || nowMs === null) return null;
  if (nowMs >= entry.expiresAtMs)
    return { kind: 'write', entry: finish(entry, 'failed', { reason: 'expired' }) };
  if (!isKnown(entry.command)) {
    const reason = `this player does not know the command ${entry.command}; update the player`;
    return { kind: 'write', entry: finish(entry, 'failed', { reason }) };
  }
  if (entry.command === 'REBOOT' && rebootedLately(entries, nowMs)) {
    const reason = 'the last reboot was less than 10 minutes ago';
    return { kind: 'write', entry: finish(entry, 'failed', { reason }) };
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

export function finish(
  entry: CommandEntry,
  stage: 'succeeded' | 'failed',
  result: Record<string, unknown>,
): CommandEntry {
  return { ...entry, stage, result };
}

/** How far it has come, to be told while it is still acting. */
export const progress = (entry: CommandEntry, result: Record<string, unknown>): CommandEntry => ({
  ...entry,
  result,
  told: null,
});

export const outlivesTheRun = (command: string): boolean => OUTLIVES_THE_RUN.has(command);

export const endsTheRun = (command: string): boolean => ENDS_THE_RUN.has(command);

/** The status that the cloud should be told, or null when it knows. */
export function statusOf(entry: CommandEntry): CommandStatusRequest | null {
  if (entry.stage === 'succeeded' || entry.stage === 'failed') {
    if (entry.told === entry.stage) return null;
    return withResult(entry.stage, entry.result);
  }
  return entry.told === null ? withResult('acknowledged', entry.result) : null;
}

const withResult = (
  status: CommandStatusRequest['status'],
  result: CommandEntry['result'],
): CommandStatusRequest => (result ? { status, result } : { status });

/**
 * One that was begun counts, whatever was noted of it: it may have happened all the same. The clock may have been set
 * back since.
 */
const rebootedLately = (entries: readonly CommandEntry[], nowMs: number): boolean =>
  entries.some(
    ({ command, begunAtMs }) =>
      command === 'REBOOT' && begunAtMs !== null && Math.abs(nowMs - begunAtMs) < REBOOT_SPACING_MS,
  );
