import { createPackageUpdater } from '../../src/adapters/updater/package-updater.ts';
import type { UpdaterDeps } from '../../src/adapters/updater/package-updater.ts';
import { readUpdateSettings } from '../../src/adapters/updater/update-settings.ts';
import type { Clock } from '../../src/core/ports.ts';
import type { HealthSignals } from '../../src/core/update/version-health.ts';
import { createUpdateLoop } from '../../src/runtime/services/update-loop.ts';

export interface PlayerUpdatesDeps extends Pick<UpdaterDeps, 'dispatcher' | 'log' | 'releaseKeyPem'> {
  clock: Clock;
  env: Record<string, string>;
  arch: string;
  shell: string;
  version: string;
  timezone: string;
  healthSignals(): HealthSignals;
  /** Whether the cloud says when to update. */
  isHeld?: () => boolean;
}

/** The updates of an installed player on Linux: settings, updater and loop, as in `src/runtime`. */
export function createPlayerUpdates(deps: PlayerUpdatesDeps) {
  const { clock, dispatcher, log, releaseKeyPem, version } = deps;
  const { feedUrl, folder, installedPackage, window } = readUpdateSettings({ ...deps, platform: 'linux' });
  return createUpdateLoop({
    clock,
    random: { next: () => 0.5, bytes: () => new Uint8Array() },
    updater: createPackageUpdater({
      feedUrl,
      releaseKeyPem,
      folder,
      installed: () => ({ ...installedPackage, version, deviceId: 'dev_1' }),
      dispatcher,
      clock,
      log,
    }),
    window: feedUrl === null ? null : window,
    timezone: () => deps.timezone,
    isHeld: () => deps.isHeld?.() ?? false,
    healthSignals: () => deps.healthSignals(),
    log,
  });
}
