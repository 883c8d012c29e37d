import type { Dispatcher } from 'undici';
import type { Clock, Log, Random, Updater } from '../../core/ports.ts';
import { isHealthy, type Vitals } from '../../core/update/health.ts';
import { RELEASE_KEY_PEM } from './release-key.ts';
import { createPackageUpdater } from './updater.ts';

export interface UpdateServiceDeps {
  /** `PLACARD_UPDATE_FEED`: address of the feed; `PLACARD_UPDATE_CHANNEL`: `stable` (default) or `beta`. */
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  arch: string;
  /** Which shell shows the picture: each has a package of its own. */
  shell: string;
  version: string;
  deviceId(): string | null;
  vitals(): Vitals;
  dispatcher: Dispatcher;
  clock: Clock;
  random: Random;
  log: Log;
  releaseKeyPem?: string | null;
}

export interface UpdateService extends Updater {
  readonly name: string;
  /** Says when this version is healthy, then checks for updates once a day. */
  run(signal: AbortSignal): Promise<void>;
}

const LOOK_MS = 5_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Updates of an installed player: on command, and by itself once a day. */
export function createUpdateService(deps: UpdateServiceDeps): UpdateService {
  const { env, clock, random, log } = deps;
  const feedUrl = env['PLACARD_UPDATE_FEED'] || null;
  const updater = createPackageUpdater({
    feedUrl,
    releaseKeyPem: deps.releaseKeyPem === undefined ? RELEASE_KEY_PEM : deps.releaseKeyPem,
    folder: env['PLACARD_UPDATE_FOLDER'] ?? helperFolder(deps),
    installed: () => ({
      ...packageOf(deps),
      version: deps.version,
      channel: env['PLACARD_UPDATE_CHANNEL'] === 'beta' ? 'beta' : 'stable',
      // Before the pairing a box has no name of its own; it waits for a full rollout like the last one.
      deviceId: deps.deviceId() ?? 'unpaired',
    }),
    dispatcher: deps.dispatcher,
    log,
  });

  /** A disk that takes no writes just now must not end the player. */
  async function reportedHealthy(): Promise<boolean> {
    if (!isHealthy(deps.vitals())) return false;
    try {
      await updater.reportHealthy();
      return true;
    } catch (error) {
      log.warn({ error: String(error) }, 'update.health_not_told');
      return false;
    }
  }

  return {
    name: 'updates',
    async check(signal) {
      const report = await updater.check(signal);
      if (report.outcome === 'failed') throw new Error(`${report.code}: ${report.detail}`);
      return { ...report, outcome: report.outcome === 'staged' ? 'update_found' : 'up_to_date' };
    },
    async run(signal) {
      const last = await updater.last();
      if (last.outcome !== 'none') log.info({ ...last }, 'update.last');
      while (!signal.aborted && !(await reportedHealthy())) await clock.sleep(LOOK_MS, signal);
      if (feedUrl === null) return;
      // A fleet that is switched on at eight does not ask at eight.
      await clock.sleep((10 + 30 * random.next()) * MINUTE_MS, signal);
      while (!signal.aborted) {
        try {
          const report = await updater.check(signal);
          log.info({ ...report }, 'update.checked');
        } catch (error) {
          if (signal.aborted) return;
          log.warn({ error: String(error) }, 'update.failed');
        }
        await clock.sleep(DAY_MS + 60 * MINUTE_MS * (random.next() - 0.5), signal);
      }
    },
  };
}

function packageOf({ platform, arch, shell }: UpdateServiceDeps): { package: string; arch: string } {
  if (platform === 'win32') return { package: 'placard-windows', arch };
  return {
    package: shell === 'electron' ? 'placard' : 'placard-chromium',
    arch: arch === 'x64' ? 'amd64' : arch,
  };
}

const helperFolder = ({ platform, env }: UpdateServiceDeps): string =>
  platform === 'win32'
    ? `${env['ProgramData'] ?? 'C:\\ProgramData'}\\Placard\\update`
    : '/var/lib/placard-update';
