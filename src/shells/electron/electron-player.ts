import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { app, BrowserWindow, Menu, powerSaveBlocker, screen, session, utilityProcess } from 'electron';
import { errorMessage } from '../../core/error-details.ts';
import { locateBrowserProfile } from '../options/data-folder.ts';
import { watchForNewSettings } from '../provisioning/watch-provisioning-files.ts';
import { StartupError } from '../options/startup-error.ts';
import { toRuntimeConfig, toRuntimeEnv, loadStartOptions } from '../options/start-options.ts';
import type { StartOptionsResult } from '../options/start-options.ts';
import { openShellLog } from '../supervision/shell-log.ts';
import { smokeTest } from '../smoke-test/smoke-test.ts';
import { recordStart } from '../supervision/start-record.ts';
import type { StartRecord } from '../supervision/start-record.ts';
import { EXIT_CANNOT_START } from '../supervision/exit-codes.ts';
import { supervise } from '../supervision/supervise.ts';
import { setChromiumSwitches } from './chromium-switches.ts';
import { splitArguments } from './electron-argv.ts';
import { createElectronShell, kioskWindowOptions } from './electron-shell.ts';
import type { FatalErrors } from './fatal-errors.ts';
import { acquireInstanceLock } from './instance-lock.ts';
import { lockDownContents } from './lockdown.ts';
import { runtimeOutput } from './runtime-output.ts';
import { createUtilityRuntime } from './utility-runtime.ts';

/** The player inside Electron: the same supervisor as the Chromium shell, with Electron's window and processes. */

type PreparedPlayer = Extract<StartOptionsResult, { kind: 'run' }> & {
  startRecord: StartRecord;
  log: Logger;
  /** Command-line switches that are left to Chromium. */
  chromiumSwitches: readonly string[];
};

/** Everything that must happen before Electron is ready; returns an exit code when there is nothing to start. */
async function prepare(fatalErrors: FatalErrors): Promise<PreparedPlayer | number> {
  const { player: argv, chromium: chromiumSwitches } = splitArguments(process.argv, app.isPackaged);
  const result = await loadStartOptions(argv, process);
  if (result.kind === 'help') {
    console.log(result.text);
    return 0;
  }
  const { options } = result;
  const log = openShellLog(options.dataDir);
  fatalErrors.logTo(log);
  const { profileDir } = locateBrowserProfile(options.dataDir);
  app.setPath('userData', profileDir);
  await acquireInstanceLock({
    profileDir,
    platform: process.platform,
    env: process.env,
    execPath: process.execPath,
    pid: process.pid,
    requestSingleInstanceLock: () => app.requestSingleInstanceLock(),
  }).catch((error: unknown) => {
    log.error({ why: errorMessage(error) }, 'player.start_failed');
    throw error;
  });

  const startRecord = recordStart(options.dataDir, Date.now());
  if (startRecord.safeMode) {
    app.disableHardwareAcceleration();
  }
  setChromiumSwitches(app.commandLine);
  Menu.setApplicationMenu(null);
  app.on('web-contents-created', (_event, contents) => lockDownContents(contents));
  // Closed windows are reopened; only `supervise` ends the player.
  app.on('window-all-closed', () => {});
  return { ...result, startRecord, log, chromiumSwitches };
}

async function runPlayer(
  { options, summary, provisioning, initialFingerprints, startRecord, log, chromiumSwitches }: PreparedPlayer,
  distDir: string,
): Promise<number> {
  const rendererDir = join(distDir, 'renderer');
  const shutdown = new AbortController();
  app.on('before-quit', (event) => {
    event.preventDefault();
    shutdown.abort();
  });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => shutdown.abort());
  }

  await app.whenReady();
  // In memory, so that the page leaves nothing on the disk.
  const stageSession = session.fromPartition('stage');
  const kiosk = kioskWindowOptions(!app.isPackaged);
  powerSaveBlocker.start('prevent-display-sleep');
  const shell = createElectronShell({
    session: stageSession,
    screen,
    app,
    softwareRendering: startRecord.safeMode,
    // On a Windows desktop other programs open windows. A developer's own desktop is left alone.
    alwaysOnTop: app.isPackaged && process.platform === 'win32',
    makeWindow: (bounds) =>
      new BrowserWindow({
        ...kiosk,
        ...bounds,
        webPreferences: { ...kiosk.webPreferences, session: stageSession },
      }),
  });
  if (options.smokeTest) {
    const report = await smokeTest({ shell, rendererDir });
    console.log(JSON.stringify(report));
    startRecord.finish('normal');
    return report.ok ? 0 : 1;
  }
  if (provisioning !== null) {
    log.info({ note: provisioning.message }, provisioning.event);
  }
  log.info(
    {
      settings: summary,
      shell: 'electron',
      version: process.versions.electron,
      chromium_switches: chromiumSwitches,
    },
    'player.started',
  );
  const output = runtimeOutput(process.platform);
  const exitCode = await supervise({
    shell,
    startRuntime: (listeners) =>
      createUtilityRuntime(
        utilityProcess.fork(join(distDir, 'runtime/main.js'), [], {
          serviceName: 'Placard runtime',
          stdio: output.stdio,
          env: { ...process.env, ...toRuntimeEnv(options), ...output.env },
        }),
        listeners,
      ),
    config: toRuntimeConfig(options, { rendererDir, shell: 'electron' }),
    session: randomBytes(32).toString('base64url'),
    snapshot: options.snapshot,
    waitForNewSettings: watchForNewSettings(options.dataDir, initialFingerprints),
    startRecord,
    log,
    printMessage: (message) => console.error(message),
    signal: shutdown.signal,
  });
  log.info({ exit_code: exitCode }, 'player.ended');
  return exitCode;
}

/**
 * Starts the player. Resolves when everything is done that must happen before Electron is ready; playback is not
 * awaited, because it waits until Electron is ready. `distDir` is the folder of the built programs.
 */
export async function startPlayer(fatalErrors: FatalErrors, distDir: string): Promise<void> {
  const prepared = await prepare(fatalErrors).catch((error: unknown) => {
    if (!(error instanceof StartupError)) {
      throw error;
    }
    console.error(error.message);
    return EXIT_CANNOT_START;
  });
  if (typeof prepared === 'number') {
    app.exit(prepared);
  } else {
    runPlayer(prepared, distDir).then(
      (exitCode) => app.exit(exitCode),
      (error: unknown) => fatalErrors.exitWithError(error),
    );
  }
}
