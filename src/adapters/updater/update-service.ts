import type { Dispatcher } from 'undici';
import { z } from 'zod';
import type { Clock, Log, Random, Updater } from '../../core/ports.ts';
import { isHealthy } from '../../core/update/version-health.ts';
import type { HealthSignals } from '../../core/update/version-health.ts';
import {
  DEFAULT_MAINTENANCE_WINDOW,
  msUntilWindow,
  parseMaintenanceWindow,
  windowDurationMinutes,
} from '../../core/update/maintenance-window.ts';
import { RELEASE_KEY_PEM } from './release-key.ts';
import { createPackageUpdater } from './package-updater.ts';

export interface UpdateServiceDeps {
  /**
   * `PLACARD_UPDATE_FEED`: address of the feed; `PLACARD_UPDATE_CHANNEL`: `stable` (default) or `beta`;
   * `PLACARD_UPDATE_WINDOW`: when updates are installed automatically, `02:00-05:00` (default) or `always`.
   */
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  arch: string;
  /** Which shell shows the picture; each has its own package. */
  shell: string;
  version: string;
  deviceId(): string | null;
  /** Time zone of the organization. */
  timezone(): string;
  healthSignals(): HealthSignals;
  dispatcher: Dispatcher;
  clock: Clock;
  random: Random;
  log: Log;
  releaseKeyPem?: string | null;
}

export interface UpdateService extends Updater {
  readonly name: string;
  /** Reports when this version is healthy, then downloads new versions once a day and installs them in the window. */
  run(signal: AbortSignal): Promise<void>;
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

/** Updates of an installed player: at once by command, and automatically in the maintenance window. */
export function createUpdateService(deps: UpdateServiceDeps): UpdateService {
  const { env, clock, random, log } = deps;
  const feedUrl = env['PLACARD_UPDATE_FEED'] || null;
  const window = readWindow(env['PLACARD_UPDATE_WINDOW'], log);
  const updater = createPackageUpdater({
    feedUrl,
    releaseKeyPem: deps.releaseKeyPem === undefined ? RELEASE_KEY_PEM : deps.releaseKeyPem,
    folder: env['PLACARD_UPDATE_FOLDER'] ?? helperFolder(deps),
    installed: () => ({
      ...packageOf(deps),
      version: deps.version,
      channel: env['PLACARD_UPDATE_CHANNEL'] === 'beta' ? 'beta' : 'stable',
      // An unpaired device has no id; all of them have the same position in a staged rollout.
      deviceId: deps.deviceId() ?? 'unpaired',
    }),
    dispatcher: deps.dispatcher,
    clock,
    log,
  });

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

  const untilWindowMs = () => msUntilWindow(window, deps.timezone(), clock.wallMs());

  /** Downloads at any hour, installs in the window; a release withdrawn in between is not installed. */
  async function checkAutomatically(signal: AbortSignal): Promise<void> {
    const install = untilWindowMs() === 0;
    const report = await updater.check({ install }, signal);
    log.info({ ...report }, 'update.checked');
    if (report.outcome !== 'staged') {
      return;
    }
    const spreadMs =
      Math.min(MAX_JITTER_MINUTES, windowDurationMinutes(window) / 2) * MINUTE_MS * random.next();
    await clock.sleep(untilWindowMs() + spreadMs, signal);
    if (signal.aborted || untilWindowMs() > 0) {
      return;
    }
    log.info({ ...(await updater.check({ install: true }, signal)) }, 'update.checked');
  }

  return {
    name: 'updates',
    async update({ previousProgress, reportProgress }, signal) {
      const previous = reportedProgress.safeParse(previousProgress).data;
      // `installing` is reported only after the helper has the package; after earlier reports that is unknown.
      if (previous && (previous.outcome === 'installing' || (await updater.isBusy()))) {
        return updater.follow(previous.to, signal);
      }
      const report = await updater.check({ install: true, onProgress: reportProgress }, signal);
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
      if (feedUrl === null) {
        return;
      }
      // Devices that are switched on together must not check at the same time.
      await clock.sleep((10 + 30 * random.next()) * MINUTE_MS, signal);
      while (!signal.aborted) {
        try {
          await checkAutomatically(signal);
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

function readWindow(text: string | undefined, log: Log) {
  if (!text) {
    return DEFAULT_MAINTENANCE_WINDOW;
  }
  const window = parseMaintenanceWindow(text);
  if (!window) {
    log.warn({ window: text, wanted: 'HH:MM-HH:MM or always' }, 'update.window_rejected');
  }
  return window ?? DEFAULT_MAINTENANCE_WINDOW;
}

function packageOf({ platform, arch, shell }: UpdateServiceDeps): { package: string; arch: string } {
  if (platform === 'win32') {
    return { package: 'placard-windows', arch };
  }
  return {
    package: shell === 'electron' ? 'placard' : 'placard-chromium',
    arch: arch === 'x64' ? 'amd64' : arch,
  };
}

const helperFolder = ({ platform, env }: UpdateServiceDeps): string =>
  platform === 'win32'
    ? `${env['ProgramData'] ?? 'C:\\ProgramData'}\\Placard\\update`
    : '/var/lib/placard-update';
