import { delimiter, join } from 'node:path';

/** An installed browser that can show the page. */
export interface InstalledBrowser {
  name: string;
  executable: string;
}

/** Best first: Chromium supports the hardware decoders of a Raspberry Pi, and has no accounts or pop-ups. */
const LINUX_COMMANDS: readonly [name: string, command: string][] = [
  ['Chromium', 'chromium'],
  ['Chromium', 'chromium-browser'],
  ['Chrome', 'google-chrome-stable'],
  ['Chrome', 'google-chrome'],
  ['Edge', 'microsoft-edge-stable'],
  ['Edge', 'microsoft-edge'],
];

const WINDOWS_PATHS: readonly [name: string, path: readonly string[]][] = [
  ['Chromium', ['Chromium', 'Application', 'chrome.exe']],
  ['Chrome', ['Google', 'Chrome', 'Application', 'chrome.exe']],
  ['Edge', ['Microsoft', 'Edge', 'Application', 'msedge.exe']],
];
const WINDOWS_ROOTS = ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'];

const MAC_APPS: readonly [name: string, path: string][] = [
  ['Chromium', '/Applications/Chromium.app/Contents/MacOS/Chromium'],
  ['Chrome', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
  ['Edge', '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge'],
];

/** The first installed browser of this machine, or null. */
export function findBrowser(deps: {
  platform: string;
  env: NodeJS.ProcessEnv;
  exists(path: string): boolean;
}): InstalledBrowser | null {
  for (const [name, executable] of candidates(deps)) {
    if (deps.exists(executable)) {
      return { name, executable };
    }
  }
  return null;
}

function* candidates({
  platform,
  env,
}: {
  platform: string;
  env: NodeJS.ProcessEnv;
}): Generator<[name: string, executable: string]> {
  if (platform === 'darwin') {
    yield* MAC_APPS;
  } else if (platform === 'win32') {
    for (const [name, path] of WINDOWS_PATHS) {
      for (const root of WINDOWS_ROOTS) {
        if (env[root]) {
          yield [name, join(env[root], ...path)];
        }
      }
    }
  } else {
    for (const [name, command] of LINUX_COMMANDS) {
      for (const folder of (env['PATH'] ?? '').split(delimiter)) {
        if (folder !== '') {
          yield [name, join(folder, command)];
        }
      }
    }
  }
}
