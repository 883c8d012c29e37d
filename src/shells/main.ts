import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { errorMessage } from '../core/error-details.ts';
import { chooseShell, hasDisplay } from './choose-shell.ts';
import type { ShellPlan } from './choose-shell.ts';
import {
  bundledBrowserCacheDir,
  findBundledPackage,
  unpackBundledBrowser,
} from './chromium/bundled-browser.ts';
import type { BundledBrowser } from './chromium/bundled-browser.ts';
import { createChromiumShell } from './chromium/chromium-shell.ts';
import { findBrowser } from './chromium/find-browser.ts';
import { hasGraphics } from './chromium/graphics.ts';
import { panelSize } from './chromium/panel-size.ts';
import { canUseSandbox } from './chromium/sandbox.ts';
import { findElectronBinary } from './electron/electron-binary.ts';
import { findElectronSandboxProblem } from './electron/electron-sandbox.ts';
import type { PlayerOptions } from './options/player-options.ts';
import { runElectron } from './electron/run-electron.ts';
import { startNodeRuntime } from './supervision/runtime-process.ts';
import { locateBrowserProfile } from './options/data-folder.ts';
import { watchForNewSettings } from './provisioning/watch-provisioning-files.ts';
import { StartupError } from './options/startup-error.ts';
import { toRuntimeConfig, toRuntimeEnv, loadStartOptions } from './options/start-options.ts';
import { openShellLog } from './supervision/shell-log.ts';
import type { Shell } from './supervision/shell.ts';
import { smokeTest } from './smoke-test/smoke-test.ts';
import { recordStart } from './supervision/start-record.ts';
import { EXIT_CANNOT_START, EXIT_RESTART } from './supervision/exit-codes.ts';
import { supervise } from './supervision/supervise.ts';

/** The `player` command: reads the settings, chooses a shell, and supervises until it is asked to end. */

const ROOT = resolve(import.meta.dirname, '../..');
const RENDERER_DIR = join(ROOT, 'dist/renderer');
// The entry file in the source tree or in a package.
const RUNTIME_ENTRY = join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? '../runtime/main.ts' : '../runtime/main.js',
);
const ELECTRON_MAIN = join(ROOT, 'dist/shells/electron/main.js');
/** Size of the screen when there is no display. */
const HEADLESS_SIZE = { width: 1920, height: 1080 };

const { env, platform } = process;

/** One start of the player; returns the exit code, or throws a `StartupError`. */
async function runPlayer(signal: AbortSignal): Promise<number> {
  const argv = process.argv.slice(2);
  const result = await loadStartOptions(argv, { env, platform });
  if (result.kind === 'help') {
    console.log(result.text);
    return 0;
  }
  const { options, provisioning } = result;
  // The standard output of a smoke test is parsed by programs.
  const print = options.smokeTest ? console.error : console.log;
  if (provisioning !== null) {
    print(provisioning.message);
  }
  if (!existsSync(join(RENDERER_DIR, 'index.html'))) {
    throw new StartupError(
      'The page of the player is not built. Run "npm run build:page", then start again.',
    );
  }

  const browser = findBrowser({ platform, env, exists: existsSync });
  const electronBinary = existsSync(ELECTRON_MAIN) ? findElectronBinary(env) : null;
  const uid = process.getuid?.();
  const plan = chooseShell(options.shell, {
    display: hasDisplay(platform, env),
    electronBinary,
    electronProblem:
      electronBinary === null ? null : findElectronSandboxProblem({ platform, uid, binary: electronBinary }),
    browser,
    hasBundledBrowser: findBundledPackage() !== null,
  });
  if (plan.kind === 'none') {
    throw new StartupError(`The player cannot show anything: ${plan.why}.`);
  }
  print(`Settings: ${result.summary}`);
  print(`Shell: ${plan.kind}, because ${plan.why}.`);

  const bundledBrowser = plan.kind === 'headless' && plan.executable === null ? await unpackBrowser() : null;
  if (options.smokeTest && plan.kind !== 'electron') {
    return runSmokeTest(createBrowserShell(plan, options, bundledBrowser));
  }

  const log = openShellLog(options.dataDir);
  if (provisioning !== null) {
    log.info({ note: provisioning.message }, provisioning.event);
  }
  log.info({ settings: result.summary, shell: plan.kind, why: plan.why }, 'player.started');
  const exitCode =
    plan.kind === 'electron'
      ? await runElectron({
          binary: plan.binary,
          // Chromium refuses its sandbox to root.
          args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), ELECTRON_MAIN, ...argv],
          log,
          signal,
        })
      : await supervise({
          shell: createBrowserShell(plan, options, bundledBrowser),
          startRuntime: (listeners) => startNodeRuntime(RUNTIME_ENTRY, listeners, toRuntimeEnv(options)),
          config: toRuntimeConfig(options, { rendererDir: RENDERER_DIR, shell: plan.kind }),
          session: randomBytes(32).toString('base64url'),
          snapshot: options.snapshot,
          waitForNewSettings: watchForNewSettings(options.dataDir, result.initialFingerprints),
          startRecord: recordStart(options.dataDir, Date.now()),
          log,
          printMessage: (message) => console.error(message),
          signal,
        });
  log.info({ exit_code: exitCode }, 'player.ended');
  return exitCode;
}

async function runSmokeTest(shell: Shell): Promise<number> {
  const report = await smokeTest({ shell, rendererDir: RENDERER_DIR });
  console.log(JSON.stringify(report));
  return report.ok ? 0 : 1;
}

async function unpackBrowser(): Promise<BundledBrowser> {
  try {
    return await unpackBundledBrowser(bundledBrowserCacheDir());
  } catch (error) {
    const why = errorMessage(error);
    throw new StartupError(
      `The browser bundled with npm could not be unpacked (${why}). Install Chromium, or run the player as the user who ran npm install.`,
      error,
    );
  }
}

function createBrowserShell(
  plan: Extract<ShellPlan, { kind: 'chromium' | 'headless' }>,
  options: PlayerOptions,
  bundledBrowser: BundledBrowser | null,
): Shell {
  const headless = plan.kind === 'headless';
  const browserProfile = locateBrowserProfile(options.dataDir);
  return createChromiumShell({
    executable: plan.executable ?? bundledBrowser?.executable ?? '',
    headless,
    profileDir: browserProfile.profileDir,
    sandbox: canUseSandbox({ platform, uid: process.getuid?.(), isBundled: bundledBrowser !== null }),
    env: { ...env, ...browserProfile.env, ...bundledBrowser?.env },
    platform,
    hasGraphics: headless || platform !== 'linux' || hasGraphics(),
    windowSize: headless ? HEADLESS_SIZE : env['WAYLAND_DISPLAY'] ? null : panelSize(),
  });
}

/** Aborts at the first Ctrl-C, termination or hang-up; further ones are ignored. */
function createShutdownSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => controller.abort());
  }
  return controller.signal;
}

// A closed terminal must not end the player.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', () => {});
}

function reportStartupError(error: unknown): number {
  if (!(error instanceof StartupError)) {
    throw error;
  }
  console.error(error.message);
  return EXIT_CANNOT_START;
}

/** Whether the parent restarts the player on request: systemd, or `npm start`. */
const isSupervised = Boolean(env['NOTIFY_SOCKET'] ?? env['PLACARD_RESTARTS']);

async function main(): Promise<number> {
  const signal = createShutdownSignal();
  for (;;) {
    const exitCode = await runPlayer(signal).catch(reportStartupError);
    if (exitCode !== EXIT_RESTART || isSupervised || signal.aborted) {
      return exitCode;
    }
    console.log('The player is restarting.');
  }
}

process.exitCode = await main();
