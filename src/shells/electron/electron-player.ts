import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { app, BrowserWindow, Menu, powerSaveBlocker, screen, session, utilityProcess } from 'electron';
import type { PlayerOptions } from '../player-options.ts';
import { browserPlace } from '../data-folder.ts';
import { watchSettings } from '../provisioning/watch-files.ts';
import { runtimeConfigOf, runtimeEnvOf, settleOptions } from '../settle-options.ts';
import { openShellLog } from '../shell-log.ts';
import { smokeTest } from '../smoke-test.ts';
import { recordStart, type StartRecord } from '../start-record.ts';
import { supervise } from '../supervise.ts';
import { setChromiumSwitches } from './chromium-switches.ts';
import { divideArguments } from './electron-argv.ts';
import { createElectronShell, kioskWindow } from './electron-shell.ts';
import type { FatalErrors } from './fatal-errors.ts';
import { takeInstanceLock } from './instance-lock.ts';
import { denyCompany } from './lockdown.ts';
import { runtimeOutput } from './runtime-output.ts';
import { utilityRuntime } from './utility-runtime.ts';

/** The player inside Electron: the same supervisor as elsewhere, with Electron's window and processes. */

const EXIT_CANNOT_START = 2;

interface Prepared {
  options: PlayerOptions;
  summary: string;
  note: string | null;
  filesAtStart: ReadonlySet<string>;
  starts: StartRecord;
  log: Logger;
  /** Switches of the command line that are left to Chromium. */
  chromium: readonly string[];
}

/** All that has to happen before Electron is ready; answers with an exit code when the player cannot start. */
async function prepare(fatal: FatalErrors): Promise<Prepared | number> {
  const { player: argv, chromium } = divideArguments(process.argv, app.isPackaged);
  const answer = await settleOptions(argv, process);
  if (answer.kind === 'print') {
    (answer.exitCode === 0 ? console.log : console.error)(answer.text);
    return answer.exitCode;
  }
  const { options, summary, note, filesAtStart } = answer;
  const log = openShellLog(options.dataDir);
  fatal.logTo(log);
  const { profileDir } = browserPlace(options.dataDir);
  app.setPath('userData', profileDir);
  const problem = await takeInstanceLock({
    profileDir,
    platform: process.platform,
    env: process.env,
    execPath: process.execPath,
    pid: process.pid,
    request: () => app.requestSingleInstanceLock(),
  });
  if (problem !== null) {
    log.error({ why: problem }, 'player.cannot_start');
    console.error(problem);
    return EXIT_CANNOT_START;
  }

  const starts = recordStart(options.dataDir, Date.now());
  if (starts.safeMode) app.disableHardwareAcceleration();
  setChromiumSwitches(app.commandLine);
  Menu.setApplicationMenu(null);
  app.on('web-contents-created', (_event, contents) => denyCompany(contents));
  // Closed windows come back; only the supervisor ends the player.
  app.on('window-all-closed', () => {});
  return { options, summary, note, filesAtStart, starts, log, chromium };
}

async function play(
  { options, summary, note, filesAtStart, starts, log, chromium }: Prepared,
  dist: string,
): Promise<number> {
  const rendererDir = join(dist, 'renderer');
  const ending = new AbortController();
  app.on('before-quit', (event) => {
    event.preventDefault();
    ending.abort();
  });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => ending.abort());

  await app.whenReady();
  // In memory: nothing of the page is left on the disk.
  const stage = session.fromPartition('stage');
  const kiosk = kioskWindow(!app.isPackaged);
  powerSaveBlocker.start('prevent-display-sleep');
  const shell = createElectronShell({
    session: stage,
    screen,
    app,
    software: starts.safeMode,
    // On a desktop of Windows other programs open windows. A developer's own desktop is left alone.
    onTop: app.isPackaged && process.platform === 'win32',
    makeWindow: (bounds) =>
      new BrowserWindow({ ...kiosk, ...bounds, webPreferences: { ...kiosk.webPreferences, session: stage } }),
  });
  if (options.smokeTest) {
    const report = await smokeTest({ shell, rendererDir });
    console.log(JSON.stringify(report));
    starts.end('normal');
    return report.ok ? 0 : 1;
  }
  if (note !== null) log.info({ note }, 'player.provisioning');
  log.info(
    { settings: summary, shell: 'electron', version: process.versions.electron, chromium_switches: chromium },
    'player.started',
  );
  const output = runtimeOutput(process.platform, options.dataDir);
  const exitCode = await supervise({
    shell,
    startRuntime: (listeners) =>
      utilityRuntime(
        utilityProcess.fork(join(dist, 'runtime/main.js'), [], {
          serviceName: 'Placard runtime',
          stdio: output.stdio,
          env: { ...process.env, ...runtimeEnvOf(options), ...output.env },
        }),
        listeners,
      ),
    config: runtimeConfigOf(options, { rendererDir, shell: 'electron' }),
    session: randomBytes(32).toString('base64url'),
    snapshot: options.snapshot,
    newSettings: watchSettings(options.dataDir, filesAtStart),
    starts,
    log,
    say: (sentence) => console.error(sentence),
    signal: ending.signal,
  });
  log.info({ exit_code: exitCode }, 'player.ended');
  return exitCode;
}

/**
 * Starts the player. Resolves when all is done that has to come before Electron is ready; what plays from then on is
 * not awaited, for it waits until Electron is ready. `dist` is the folder of the built programs.
 */
export async function startPlayer(fatal: FatalErrors, dist: string): Promise<void> {
  const prepared = await prepare(fatal);
  if (typeof prepared === 'number') app.exit(prepared);
  else
    play(prepared, dist).then(
      (exitCode) => app.exit(exitCode),
      (error: unknown) => fatal.die(error),
    );
}
