import { z } from 'zod';
import type { Updater } from '../../core/ports.ts';
import { msUntilWindow, windowDurationMinutes } from '../../core/update/maintenance-window.ts';
import type { MaintenanceWindow } from '../../core/update/maintenance-window.ts';
import { isHealthy } from '../../core/update/version-health.ts';
import type { HealthSignals } from '../../core/update/version-health.ts';
import type { ServiceDeps } from '../base/service-deps.ts';
import type { Service } from '../base/supervisor.ts';

interface UpdateLoopDeps extends Pick<ServiceDeps, 'clock' | 'random' | 'updater' | 'timezone' | 'log'> {
  /** When updates are installed automatically; null: only by command. */
  window: MaintenanceWindow | null;
  /** The cloud says when to update, by command. */
  isHeld(): boolean;
  healthSignals(): HealthSignals;
}

const POLL_INTERVAL_MS = 5_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A version that fails within six minutes is rolled back; with a slow start this is within the helper's 10 minutes. */
const MIN_HEALTHY_MS = 6 * MINUTE_MS;
/** Within the window, so that a fleet does not restart at once. */
const MAX_JITTER_MINUTES = 30;

/** The progress of an UPDATE_CHECK that was reported before the update ended that run of the player. */
const reportedProgress = z.object({
  outcome: z.enum(['downloading', 'staged', 'installing']),
  to: z.string(),
});

/**
 * Reports when this version is healthy, then downloads new versions once a day and installs them in the maintenance
 * window; by command at once.
 */
export function createUpdateLoop(deps: UpdateLoopDeps): Updater & Service {
  const { clock, random, updater, log } = deps;
  /** How long this run of the player has been healthy. */
  let healthyMs = 0;

  /** Checks once. A disk that is temporarily unwritable must not end the player. */
  async function reportIfHealthy(): Promise<boolean> {
    if (!isHealthy(deps.healthSignals())) {
      return false;
    }
    if (healthyMs < MIN_HEALTHY_MS) {
      healthyMs += POLL_INTERVAL_MS;
      return false;
    }
    try {
      await updater.reportHealthy();
      return true;
    } catch (error) {
      log.warn({ error: String(error) }, 'update.health_report_failed');
      return false;
    }
  }

  /** Downloads at any hour, installs in the window; a release withdrawn in between is not installed, nor one that is to wait. */
  async function checkAutomatically(window: MaintenanceWindow, signal: AbortSignal): Promise<void> {
    const untilWindowMs = () => msUntilWindow(window, deps.timezone(), clock.wallMs());
    const mayInstall = () => untilWindowMs() === 0 && !deps.isHeld();
    const report = await updater.check({ mayInstall }, signal);
    log.info({ ...report }, 'update.checked');
    if (report.outcome !== 'staged') {
      return;
    }
    const spreadMs =
      Math.min(MAX_JITTER_MINUTES, windowDurationMinutes(window) / 2) * MINUTE_MS * random.next();
    await clock.sleep(untilWindowMs() + spreadMs, signal);
    if (signal.aborted || !mayInstall()) {
      return;
    }
    log.info({ ...(await updater.check({ mayInstall }, signal)) }, 'update.checked');
  }

  return {
    name: 'updates',
    async update({ previousProgress, reportProgress }, signal) {
      const previous = reportedProgress.safeParse(previousProgress).data;
      // `installing` is reported only after the helper has the package; after earlier reports that is unknown.
      if (previous && (previous.outcome === 'installing' || (await updater.isBusy()))) {
        return updater.follow(previous.to, signal);
      }
      const report = await updater.check({ mayInstall: () => true, onProgress: reportProgress }, signal);
      if (report.outcome !== 'installing' || report.to === null) {
        return report;
      }
      reportProgress(report);
      return updater.follow(report.to, signal);
    },
    async run(signal) {
      const lastState = await updater.readHelperState();
      if (lastState.outcome !== 'none') {
        log.info({ ...lastState }, 'update.state_read');
      }
      while (
        !signal.aborted &&
        (await updater.readHelperState()).phase !== 'idle' &&
        !(await reportIfHealthy())
      ) {
        await clock.sleep(POLL_INTERVAL_MS, signal);
      }
      if (deps.window === null) {
        return;
      }
      // Devices that are switched on together must not check at the same time.
      await clock.sleep((10 + 30 * random.next()) * MINUTE_MS, signal);
      while (!signal.aborted) {
        try {
          if (!deps.isHeld()) {
            await checkAutomatically(deps.window, signal);
          }
        } catch (error) {
          if (signal.aborted) {
            return;
          }
          log.warn({ error: String(error) }, 'update.failed');
        }
        await clock.sleep(DAY_MS + 60 * MINUTE_MS * (random.next() - 0.5), signal);
      }
    },
  };
}
