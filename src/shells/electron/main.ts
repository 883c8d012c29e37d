import { randomBytes } from 'node:crypto';
import { basename, join } from 'node:path';
import { app, BrowserWindow, Menu, powerSaveBlocker, screen, session, utilityProcess } from 'electron';
import { FAULTS } from '@placard/protocol';
import { clearStaleLock } from '../chromium/profile-lock.ts';
import type { PlayerOptions } from '../player-options.ts';
import { browserPlace } from '../data-folder.ts';
import { runtimeConfigOf, runtimeEnvOf, settleOptions } from '../settle-options.ts';
import { openShellLog } from '../shell-log.ts';
import { smokeTest } from '../smoke-test.ts';
import { recordStart, type StartRecord } from '../start-record.ts';
import { supervise } from '../supervise.ts';
import { playerArguments } from './electron-argv.ts';
import { createElectronShell, kioskWindow } from './electron-shell.ts';
import { denyCompany } from './lockdown.ts';
import { utilityRuntime } from './utility-runtime.ts';

/** The player inside Electron: the same supervisor as elsewhere, with Electron's window and processes. */

const EXIT_CANNOT_START = 2;
// Beside this script in `dist`, packaged or not.
const RUNTIME_ENTRY = join(import.meta.dirname, '../../runtime/main.js');
const RENDERER_DIR = join(import.meta.dirname, '../../renderer');

interface Prepared {
  options: PlayerOptions;
  summary: string;
  note: string | null;
  starts: StartRecord;
}

/** All that has to happen before Electron is ready; answers with an exit code when the player cannot start. */
async function prepare(): Promise<Prepared | number> {
  const answer = await settleOptions(playerArguments(process.argv, app.isPackaged), process);
  if (answer.kind === 'print') {
    (answer.exitCode === 0 ? console.log : console.error)(answer.text);
    return answer.exitCode;
  }
  const { options, summary, note } = answer;
  const { profileDir } = browserPlace(options.dataDir);
  app.setPath('userData', profileDir);
  try {
    await clearStaleLock(profileDir, basename(process.execPath));
  } catch {
    return cannotStart(FAULTS['data.locked'].help);
  }
  if (!app.requestSingleInstanceLock()) return cannotStart(FAULTS['data.locked'].help);

  const starts = recordStart(options.dataDir, Date.now());
  if (starts.safeMode) app.disableHardwareAcceleration();
  Menu.setApplicationMenu(null);
  app.on('web-contents-created', (_event, contents) => denyCompany(contents));
  // Closed windows come back; only the supervisor ends the player.
  app.on('window-all-closed', () => {});
  return { options, summary, note, starts };
}

async function play({ options, summary, note, starts }: Prepared): Promise<number> {
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
    makeWindow: () =>
      new BrowserWindow({ ...kiosk, webPreferences: { ...kiosk.webPreferences, session: stage } }),
  });
  if (options.smokeTest) {
    const report = await smokeTest({ shell, rendererDir: RENDERER_DIR });
    console.log(JSON.stringify(report));
    starts.end('normal');
    return report.ok ? 0 : 1;
  }
  const log = openShellLog(options.dataDir);
  if (note !== null) log.info({ note }, 'player.provisioning');
  log.info({ settings: summary, shell: 'electron', version: process.versions.electron }, 'player.started');
  const exitCode = await supervise({
    shell,
    startRuntime: (listeners) =>
      utilityRuntime(
        utilityProcess.fork(RUNTIME_ENTRY, [], {
          serviceName: 'Placard runtime',
          stdio: 'inherit',
          env: { ...process.env, ...runtimeEnvOf(options) },
        }),
        listeners,
      ),
    config: runtimeConfigOf(options, { rendererDir: RENDERER_DIR, shell: 'electron' }),
    session: randomBytes(32).toString('base64url'),
    snapshot: options.snapshot,
    starts,
    log,
    say: (sentence) => console.error(sentence),
    signal: ending.signal,
  });
  log.info({ exit_code: exitCode }, 'player.ended');
  return exitCode;
}

function cannotStart(sentence: string): number {
  console.error(sentence);
  return EXIT_CANNOT_START;
}

// Electron is ready only once this module has been evaluated: what is awaited here comes before that.
const prepared = await prepare();
if (typeof prepared === 'number') app.exit(prepared);
else {
  // Not awaited, for it waits until Electron is ready.
  play(prepared).then(
    (exitCode) => app.exit(exitCode),
    (error: unknown) => {
      console.error(error);
      app.exit(1);
    },
  );
}
