import type { Log } from '../../core/ports.ts';
import type { InstalledPlayer } from '../../core/update/feed.ts';
import { DEFAULT_MAINTENANCE_WINDOW, parseMaintenanceWindow } from '../../core/update/maintenance-window.ts';
import type { MaintenanceWindow } from '../../core/update/maintenance-window.ts';

export interface UpdateSettings {
  /** Address of the feed; null when this player is not updated over the network. */
  feedUrl: string | null;
  /** Folder of the update helper. */
  folder: string;
  installedPackage: Pick<InstalledPlayer, 'package' | 'arch' | 'channel'>;
  /** When updates are installed automatically. */
  window: MaintenanceWindow;
}

/**
 * Settings of the updater. `PLACARD_UPDATE_FEED`: address of the feed; `PLACARD_UPDATE_CHANNEL`: `stable` (default) or
 * `beta`; `PLACARD_UPDATE_WINDOW`: when updates are installed automatically, `02:00-05:00` (default) or `always`;
 * `PLACARD_UPDATE_FOLDER`: folder of the update helper.
 */
export function readUpdateSettings(deps: {
  env: NodeJS.ProcessEnv;
  platform: string;
  arch: string;
  /** Which shell shows the picture; each has its own package. */
  shell: string;
  log: Log;
}): UpdateSettings {
  const { env, platform, arch, shell } = deps;
  const isWindows = platform === 'win32';
  const packageOfShell = shell === 'electron' ? 'placard' : 'placard-chromium';
  const defaultFolder = isWindows
    ? `${env['ProgramData'] ?? 'C:\\ProgramData'}\\Placard\\update`
    : '/var/lib/placard-update';
  return {
    feedUrl: env['PLACARD_UPDATE_FEED'] || null,
    folder: env['PLACARD_UPDATE_FOLDER'] ?? defaultFolder,
    installedPackage: {
      package: isWindows ? 'placard-windows' : packageOfShell,
      arch: arch === 'x64' && !isWindows ? 'amd64' : arch,
      channel: env['PLACARD_UPDATE_CHANNEL'] === 'beta' ? 'beta' : 'stable',
    },
    window: readWindow(env['PLACARD_UPDATE_WINDOW'], deps.log),
  };
}

function readWindow(text: string | undefined, log: Log): MaintenanceWindow {
  if (!text) {
    return DEFAULT_MAINTENANCE_WINDOW;
  }
  const window = parseMaintenanceWindow(text);
  if (!window) {
    log.warn({ window: text, wanted: 'HH:MM-HH:MM or always' }, 'update.window_rejected');
  }
  return window ?? DEFAULT_MAINTENANCE_WINDOW;
}
