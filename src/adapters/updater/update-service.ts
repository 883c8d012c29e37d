import type { Dispatcher } from 'undici';
import { z } from 'zod';
import type { Clock, Log, Random, Updater } from '../../core/ports.ts';
import { isHealthy, type Vitals } from '../../core/update/health.ts';
import { DEFAULT_WINDOW, msUntilWindow, parseWindow, windowMinutes } from '../../core/update/window.ts';
import { RELEASE_KEY_PEM } from './release-key.ts';
import { createPackageUpdater } from './updater.ts';

export interface UpdateServiceDeps {
  /**
   * `PLACARD_UPDATE_FEED`: address of the feed; `PLACARD_UPDATE_CHANNEL`: `stable` (default) or `beta`;
   * `PLACARD_UPDATE_WINDOW`: when it installs by itself, `02:00-05:00` (default) or `always`.
   */
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  arch: string;
  /** Which shell shows the picture: each has a package of its own. */
  shell: string;
  version: string;
  deviceId(): string | null;
  /** Zone of the organization. */
  timezone(): string;
  vitals(): Vitals;
  dispatcher: Dispatcher;
  clock: Clock;
  random: Random;
  log: Log;
  releaseKeyPem?: string | null;
}

export interface UpdateService extends Updater {
  readonly name: string;
  /** Says when this version is healthy, then once a day fetches what is new and installs it in the window. */
  run(signal: AbortSignal): Promise<void>;
}

const LOOK_MS = 5_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A version that dies after five minutes is taken back too; with a slow start this is within the helper's 10 minutes. */
const PROVEN_MS = 6 * MINUTE_MS;
/** Within the window, so that a fleet does not go dark at once. */
const SPREAD_MINUTES = 30;

/** What a run of the player told of an UPDATE_CHECK before it was ended by the update. */
const told = z.object({ outcome: z.enum(['downloading', 'staged', 'installing']), to: z.string() });

/** Updates of an installed player: on command at once, and by itself in the maintenance window. */
export function createUpdateService(deps: UpdateServiceDeps): UpdateService {
  const { env, clock, random, log } = deps;
  const feedUrl = env['PLACARD_UPDATE_FEED'] || null;
  const window = windowOf(env['PLACARD_UPDATE_WINDOW'], log);
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
    clock,
    log,
  });

  /** How long this run of the player was healthy. */
  let wellMs = 0;

  /** Looks once. A disk that takes no writes just now must not end the player. */
  async function reportedHealthy(): Promise<boolean> {
    if (!isHealthy(deps.vitals())) return false;
    if (wellMs < PROVEN_MS) {
      wellMs += LOOK_MS;
      return false;
    }
    try {
      await updater.reportHealthy();
      return true;
    } catch (error) {
      log.warn({ error: String(error) }, 'update.health_not_told');
      return false;
    }
  }

  const untilWindow = () => msUntilWindow(window, deps.timezone(), clock.wall());

  /** Fetched at any hour, installed in the window; what was withdrawn in between is not installed any more. */
  async function checkByItself(signal: AbortSignal): Promise<void> {
    const install = untilWindow() === 0;
    const report = await updater.check({ install }, signal);
    log.info({ ...report }, 'update.checked');
    if (report.outcome !== 'staged') return;
    const spreadMs = Math.min(SPREAD_MINUTES, windowMinutes(window) / 2) * MINUTE_MS * random.next();
    await clock.sleep(untilWindow() + spreadMs, signal);
    if (signal.aborted || untilWindow() > 0) return;
    log.info({ ...(await updater.check({ install: true }, signal)) }, 'update.checked');
  }

  return {
    name: 'updates',
    async update({ before, tell }, signal) {
      const begun = told.safeParse(before).data;
      // Nothing is told as `installing` before the helper has it; of the rest it may have it or not.
      if (begun && (begun.outcome === 'installing' || (await updater.atWork())))
        return updater.follow(begun.to, signal);
      const report = await updater.check({ install: true, tell }, signal);
      if (report.outcome !== 'installing' || report.to === null) return report;
      tell(report);
      return updater.follow(report.to, signal);
    },
    async run(signal) {
      const last = await updater.last();
      if (last.outcome !== 'none') log.info({ ...last }, 'update.last');
      while (!signal.aborted && (await updater.last()).phase !== 'idle' && !(await reportedHealthy()))
        await clock.sleep(LOOK_MS, signal);
      if (feedUrl === null) return;
      // A fleet that is switched on at eight does not ask at eight.
      await clock.sleep((10 + 30 * random.next()) * MINUTE_MS, signal);
      while (!signal.aborted) {
        try {
          await checkByItself(signal);
        } catch (error) {
          if (signal.aborted) return;
          log.warn({ error: String(error) }, 'update.failed');
        }
        await clock.sleep(DAY_MS + 60 * MINUTE_MS * (random.next() - 0.5), signal);
      }
    },
  };
}

function windowOf(text: string | undefined, log: Log) {
  if (!text) return DEFAULT_WINDOW;
  const window = parseWindow(text);
  if (!window) log.warn({ window: text, wanted: 'HH:MM-HH:MM or always' }, 'update.window_invalid');
  return window ?? DEFAULT_WINDOW;
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
