import { isDeepStrictEqual } from 'node:util';
import { Fault } from '@placard/protocol';
import type { WireCommand } from '@placard/protocol';
import { backoffMs } from '../../core/backoff.ts';
import {
  finishEntry,
  nextAction,
  runsInBackground,
  isKnownCommandEntry,
  withProgress,
  createEntry,
  recoverEntry,
  statusToReport,
} from '../../core/commands/journal.ts';
import type { CommandEntry, KnownCommandEntry, PlayerRun } from '../../core/commands/journal.ts';
import { errorMessage } from '../../core/error-details.ts';
import type { ServiceDeps } from '../base/service-deps.ts';

/** Reported to the cloud as the end of the command. */
export interface ActionResult {
  stage: 'succeeded' | 'failed';
  result: Record<string, unknown>;
}

/** Passed to an action; an earlier run of the player may have started the command. */
export interface ActionContext {
  /** Id of the command. */
  id: string;
  /** The last reported progress; null at the first run. */
  previousProgress: Record<string, unknown> | null;
  /** Saves progress and reports it to the cloud. */
  reportProgress: (progress: Record<string, unknown>) => void;
}

/** One function per command. Rejecting means `failed` as well, with the error's message as the reason. */
export type CommandActions = Record<
  KnownCommandEntry['command'],
  (signal: AbortSignal, context: ActionContext) => Promise<ActionResult>
>;

interface CommandLoopDeps extends Pick<
  ServiceDeps,
  'clock' | 'random' | 'database' | 'link' | 'wakeup' | 'onUnpaired' | 'log'
> {
  launch: Omit<PlayerRun, 'uptimeMs'>;
  /** Seconds since the operating system booted. */
  uptimeSeconds(): number;
  actions: CommandActions;
}

const RETRY = { baseMs: 2_000, capMs: 60_000 };
const IDLE_MS = 60_000;
/** Commands are kept this long to recognize duplicates. */
const JOURNAL_RETENTION_MS = 30 * 24 * 3_600_000;

/**
 * Executes each command at most once, also across crashes, because it is saved before. Only `UPDATE_CHECK` is executed
 * again by the next run. Execution does not wait until the cloud has got the acknowledgement.
 */
export function createCommandLoop(deps: CommandLoopDeps) {
  const { clock, database, wakeup, log } = deps;

  const save = (entry: CommandEntry) => {
    database.saveCommand(entry);
    return entry;
  };

  const currentRun = (): PlayerRun => ({ ...deps.launch, uptimeMs: deps.uptimeSeconds() * 1_000 });
  const find = (id: string) => database.readCommands().find((entry) => entry.id === id);
  /** Commands that may take long, and those that must not wait for them. */
  const backgroundRuns = new Map<string, Promise<void>>();

  function executeInBackground(entry: KnownCommandEntry, signal: AbortSignal): void {
    if (backgroundRuns.has(entry.id)) {
      return;
    }
    const done = execute(entry, signal)
      .catch((error: unknown) =>
        log.error({ command: entry.id, error: String(error) }, 'command.save_failed'),
      )
      .finally(() => {
        backgroundRuns.delete(entry.id);
        wakeup.wake();
      });
    backgroundRuns.set(entry.id, done);
  }

  /** Reports all unreported statuses to the cloud; false when a report failed. */
  async function report(signal: AbortSignal): Promise<boolean> {
    let allReported = true;
    for (const entry of database.readCommands()) {
      const status = statusToReport(entry);
      if (!status) {
        continue;
      }
      try {
        const response = await deps.link.reportCommandStatus(entry.id, status, signal);
        if (response.kind === 'unpaired') {
          deps.onUnpaired();
          return false;
        }
        if (response.kind === 'refused') {
          const { status: httpStatus, code } = response;
          log.warn(
            { command: entry.id, reported: status.status, status: httpStatus, code },
            'command.report_refused',
          );
        }
        // The command may have progressed during the request; then the new status is still to be reported.
        const now = find(entry.id);
        if (now && isDeepStrictEqual(statusToReport(now), status)) {
          save({ ...now, told: status.status });
        }
      } catch (error) {
        if (signal.aborted || !(error instanceof Fault)) {
          throw error;
        }
        log.warn({ command: entry.id, code: error.code, ...error.details }, 'command.report_failed');
        allReported = false;
        // An error response may concern only this command; without a response, or when asked to slow down, stop here.
        if (error.details.status === undefined || error.code === 'cloud.busy') {
          break;
        }
      }
    }
    return allReported;
  }

  async function execute(entry: KnownCommandEntry, signal: AbortSignal): Promise<void> {
    log.info({ command: entry.id, name: entry.command }, 'command.started');
    try {
      const { stage, result } = await deps.actions[entry.command](signal, {
        id: entry.id,
        previousProgress: entry.result,
        reportProgress(result) {
          if (signal.aborted) {
            return;
          }
          save(withProgress(find(entry.id) ?? entry, result));
          wakeup.wake();
        },
      });
      // After an abort, the next run of the player reports the result.
      if (signal.aborted) {
        return;
      }
      save(finishEntry(find(entry.id) ?? entry, stage, result));
      log.info({ command: entry.id, stage, result }, 'command.finished');
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      const reason = errorMessage(error);
      save(finishEntry(find(entry.id) ?? entry, 'failed', { reason: reason.slice(0, 300) }));
      log.warn({ command: entry.id, reason }, 'command.failed');
    }
  }

  return {
    name: 'commands',
    accept: (commands: readonly WireCommand[]) => {
      for (const command of commands) {
        const entry = createEntry(database.readCommands(), command, clock.wallMs());
        if (!entry) {
          continue;
        }
        try {
          save(entry);
        } catch (error) {
          // A command that cannot be saved is not executed; the cloud sends it again with the next heartbeat.
          log.error({ command: entry.id, error: String(error) }, 'command.save_failed');
          continue;
        }
        log.info({ command: entry.id, name: entry.command }, 'command.received');
        wakeup.wake();
      }
    },
    async run(signal: AbortSignal) {
      for (const entry of database.readCommands()) {
        const found = recoverEntry(entry, currentRun());
        if (found !== entry) {
          save(found);
        }
        if (found.stage === 'executing' && isKnownCommandEntry(found)) {
          executeInBackground(found, signal);
        }
      }
      let attempts = 0;
      while (!signal.aborted) {
        const allReported = await report(signal);
        if (signal.aborted) {
          return;
        }
        const nowMs = clock.isTimeConfirmed ? clock.wallMs() : null;
        const action = nextAction(database.readCommands(), currentRun(), nowMs);
        if (action) {
          save(action.entry);
          if (action.kind === 'execute') {
            if (runsInBackground(action.entry.command)) {
              executeInBackground(action.entry, signal);
            } else {
              await execute(action.entry, signal);
            }
          }
          continue;
        }
        attempts = allReported ? 0 : attempts + 1;
        if (allReported && nowMs !== null) {
          database.deleteReportedCommandsBefore(nowMs - JOURNAL_RETENTION_MS);
        }
        await wakeup.wait(allReported ? IDLE_MS : backoffMs(attempts, deps.random.next(), RETRY), signal);
      }
    },
  };
}
