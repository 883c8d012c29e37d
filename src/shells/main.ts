import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { chooseShell, hasDisplay, type ShellPlan } from './choose-shell.ts';
import {
  carriedCacheDir,
  carriedPackage,
  unpackCarriedBrowser,
  type CarriedBrowser,
} from './chromium/carried-browser.ts';
import { createChromiumShell } from './chromium/chromium-shell.ts';
import { findBrowser } from './chromium/find-browser.ts';
import { hasGraphics } from './chromium/graphics.ts';
import { panelSize } from './chromium/panel-size.ts';
import { sandboxWorks } from './chromium/sandbox.ts';
import { findElectron } from './electron-binary.ts';
import { whyNoElectronSandbox } from './electron-sandbox.ts';
import type { PlayerOptions } from './player-options.ts';
import { runElectron } from './run-electron.ts';
import { startNodeRuntime } from './runtime-process.ts';
import { browserPlace } from './data-folder.ts';
import { watchSettings } from './provisioning/watch-files.ts';
import { runtimeConfigOf, runtimeEnvOf, settleOptions } from './settle-options.ts';
import { openShellLog } from './shell-log.ts';
import type { Shell } from './shell.ts';
import { smokeTest } from './smoke-test.ts';
import { recordStart } from './start-record.ts';
import { EXIT_RESTART, supervise } from './supervise.ts';

/** The `player` command: settles the settings, picks a shell, and supervises until told to end. */

const ROOT = resolve(import.meta.dirname, '../..');
const RENDERER_DIR = join(ROOT, 'dist/renderer');
// The same file, run from its source or from a package.
const RUNTIME_ENTRY = join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? '../runtime/main.ts' : '../runtime/main.js',
);
const ELECTRON_MAIN = join(ROOT, 'dist/shells/electron/main.js');
/** What a screen without a display is taken for. */
const HEADLESS_SIZE = { width: 1920, height: 1080 };
const EXIT_CANNOT_START = 2;

const { env, platform } = process;

/** One start of the player; answers with the exit code. */
async function play(signal: AbortSignal): Promise<number> {
  const argv = process.argv.slice(2);
  const answer = await settleOptions(argv, { env, platform });
  if (answer.kind === 'print') {
    (answer.exitCode === 0 ? console.log : console.error)(answer.text);
    return answer.exitCode;
  }
  const { options } = answer;
  // What a smoke test prints is read by programs.
  const say = options.smokeTest ? console.error : console.log;
  if (answer.note !== null) say(answer.note);
  const problem = missingPage();
  if (problem !== null) return cannotStart(problem);

  const browser = findBrowser({ platform, env, exists: existsSync });
  const electron = existsSync(ELECTRON_MAIN) ? findElectron(env) : null;
  const uid = process.getuid?.();
  const plan = chooseShell(options.shell, {
    display: hasDisplay(platform, env),
    electron,
    electronProblem: electron === null ? null : whyNoElectronSandbox({ platform, uid, binary: electron }),
    browser,
    carried: carriedPackage() !== null,
  });
  if (plan.kind === 'none') return cannotStart(`The player cannot show anything: ${plan.why}.`);
  say(`Settings: ${answer.summary}`);
  say(`Shell: ${plan.kind}, because ${plan.why}.`);

  const carried = plan.kind === 'headless' && plan.executable === null ? await unpack() : null;
  if (typeof carried === 'string') return cannotStart(carried);

  if (options.smokeTest && plan.kind !== 'electron')
    return printSmokeTest(browserShell(plan, options, carried));

  const log = openShellLog(options.dataDir);
  if (answer.note !== null) log.info({ note: answer.note }, 'player.provisioning');
  log.info({ settings: answer.summary, shell: plan.kind, why: plan.why }, 'player.started');
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
          shell: browserShell(plan, options, carried),
          startRuntime: (listeners) => startNodeRuntime(RUNTIME_ENTRY, listeners, runtimeEnvOf(options)),
          config: runtimeConfigOf(options, { rendererDir: RENDERER_DIR, shell: plan.kind }),
          session: randomBytes(32).toString('base64url'),
          snapshot: options.snapshot,
          newSettings: watchSettings(options.dataDir, answer.filesAtStart),
          starts: recordStart(options.dataDir, Date.now()),
          log,
          say: (sentence) => console.error(sentence),
          signal,
        });
  log.info({ exit_code: exitCode }, 'player.ended');
  return exitCode;
}

async function printSmokeTest(shell: Shell): Promise<number> {
  const report = await smokeTest({ shell, rendererDir: RENDERER_DIR });
  console.log(JSON.stringify(report));
  return report.ok ? 0 : 1;
}

function missingPage(): string | null {
  return existsSync(join(RENDERER_DIR, 'index.html'))
    ? null
    : 'The page of the player is not built. Run "npm run build:page" once and start again.';
}

function cannotStart(sentence: string): number {
  console.error(sentence);
  return EXIT_CANNOT_START;
}

/** The browser that came with npm, or the sentence that says why it cannot be had. */
async function unpack(): Promise<CarriedBrowser | string> {
  try {
    return await unpackCarriedBrowser(carriedCacheDir());
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `The browser that came with npm could not be unpacked (${why}). Install Chromium, or run the player as the user who ran npm install.`;
  }
}

function browserShell(
  plan: Extract<ShellPlan, { kind: 'chromium' | 'headless' }>,
  options: PlayerOptions,
  carried: CarriedBrowser | null,
): Shell {
  const headless = plan.kind === 'headless';
  const place = browserPlace(options.dataDir);
  return createChromiumShell({
    executable: plan.executable ?? carried?.executable ?? '',
    headless,
    profileDir: place.profileDir,
    sandbox: sandboxWorks({ platform, uid: process.getuid?.(), carried: carried !== null }),
    env: { ...env, ...place.env, ...carried?.env },
    platform,
    graphics: headless || platform !== 'linux' || hasGraphics(),
    windowSize: headless ? HEADLESS_SIZE : env['WAYLAND_DISPLAY'] ? null : panelSize(),
  });
}

/** Aborts at the first Ctrl-C, termination or hang-up; further ones change nothing, the end is near. */
function endSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => controller.abort());
  return controller.signal;
}

// A terminal that went away must not take the player with it.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

/** Who started the player starts it again when it asks for that: systemd, or `npm start`. */
const isLookedAfter = Boolean(env['NOTIFY_SOCKET'] ?? env['PLACARD_RESTARTS']);

async function main(): Promise<number> {
  const signal = endSignal();
  for (;;) {
    const exitCode = await play(signal);
    if (exitCode !== EXIT_RESTART || isLookedAfter || signal.aborted) return exitCode;
    console.log('The player starts anew.');
  }
}

process.exitCode = await main();
