import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Shell } from '../shell.ts';
import { browserFlags } from './browser-flags.ts';
import { startBrowser, type BrowserProcess } from './browser-process.ts';
import { fillScreen } from './fill-screen.ts';
import { makeProfile } from './make-profile.ts';
import { createOpeningPatience } from './opening-patience.ts';
import { clearStaleLock } from './profile-lock.ts';

export interface ChromiumShellDeps {
  executable: string;
  headless: boolean;
  /** Profile of the player's own browser; nothing in it matters. */
  profileDir: string;
  /** Whether the browser may use its sandbox; root cannot. */
  sandbox: boolean;
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  /** Whether there is hardware that draws; without it the browser draws in software from the start. */
  graphics: boolean;
  /** Of a headless window, or of the panel behind a display without a window manager. Pixels; null: as the display says. */
  windowSize: { width: number; height: number } | null;
}

const REASON_PATIENCE_MS = 300;
const PAGE_LOOK_MS = 50;
const GPU_LOOK_MS = 500;
/** After so many openings in a row that came to nothing the profile is made anew: a disk may have spoilt it. */
const FAILURES_BEFORE_NEW_PROFILE = 2;
const CLOSED = 'the window was closed before it was there';

/** One browser process per window: what is opened anew starts from nothing. */
export function createChromiumShell(deps: ChromiumShellDeps): Shell {
  let browser: BrowserProcess | null = null;
  let session: string | null = null;
  /** Count openings and closings, so that a slow opening notices that it is no longer wanted. */
  let openings = 0;
  let closings = 0;
  let tellGone: ((reason: string) => void) | null = null;
  let software = false;
  const patience = createOpeningPatience();
  let failures = 0;

  /** Started before anybody knew what to show in it. */
  let warmed: Promise<BrowserProcess | null> | null = null;

  async function launch(): Promise<BrowserProcess> {
    // Nothing in it is worth a wait while the screen is black.
    const turn = [++openings, closings].join();
    await leave('now');
    await clearStaleLock(deps.profileDir);
    if (failures > FAILURES_BEFORE_NEW_PROFILE) await rm(deps.profileDir, { recursive: true, force: true });
    await makeProfile(deps.profileDir, deps.env);
    if (turn !== [openings, closings].join()) throw new Error(CLOSED);
    browser = startBrowser({
      executable: deps.executable,
      args: browserFlags({ ...deps, software: software || !deps.graphics }),
      env: deps.env,
    });
    return browser;
  }

  /** The browser that is there already, when it is still there. */
  async function takeWarmed(): Promise<BrowserProcess | null> {
    const waiting = warmed;
    warmed = null;
    const started = (await waiting) ?? null;
    if (!started || started !== browser) return null;
    const ended = await Promise.race([started.exited, wait(0, null)]);
    return ended === null ? started : null;
  }

  async function open(url: string): Promise<void> {
    failures += 1;
    await openAt(url);
    failures = 0;
  }

  async function openAt(url: string): Promise<void> {
    const before = closings;
    const waiting = await takeWarmed();
    if (closings !== before) throw new Error(CLOSED);
    const started = waiting ?? (await launch());
    let loaded = false;
    const failed = Promise.withResolvers<never>();
    // What dies while it opens is told by the opening alone.
    failed.promise.catch(() => {});
    const gone = (reason: string) => {
      if (!loaded) failed.reject(new Error(reason));
      if (browser !== started || !loaded) return;
      loaded = false;
      tellGone?.(reason);
    };
    void started.exited.then(gone);
    try {
      const size = deps.headless ? deps.windowSize : null;
      const startedAtMs = performance.now();
      const patienceMs = patience.next();
      started.pipe.waitForAnswers(patienceMs);
      const opened = openPage(started, { url, size, patienceMs }, gone);
      session = await Promise.race([opened, failed.promise]);
      patience.opened(performance.now() - startedAtMs);
      if (!deps.headless) await fillScreen(started.pipe, session);
      started.pipe.waitForAnswers();
      loaded = true;
      void watchGpu(started, () => browser === started, gone);
    } catch (error) {
      // The pipe breaks a moment before the reason is known.
      const reason = await Promise.race([started.exited, wait(REASON_PATIENCE_MS, null)]);
      if (browser === started) await close();
      throw reason === null ? error : new Error(reason, { cause: error });
    }
  }

  const close = () => {
    closings += 1;
    return leave('asked');
  };

  async function leave(how: 'asked' | 'now'): Promise<void> {
    const ending = browser;
    browser = null;
    session = null;
    await ending?.end(how);
  }

  return {
    name: deps.headless ? 'headless' : 'chromium',
    warm() {
      // What is wrong with it is told by `open`, which then tries by itself.
      warmed = launch().catch(() => null);
    },
    open,
    async capture() {
      if (!browser || session === null) throw new Error('there is no window');
      const { data } = await browser.pipe.send(
        'Page.captureScreenshot',
        { format: 'png', optimizeForSpeed: true },
        session,
      );
      return Buffer.from(data, 'base64');
    },
    close,
    drawInSoftware(on) {
      software = on;
      return 'next_window';
    },
    onGone(listener) {
      tellGone = listener;
    },
  };
}

/** Leads the first tab to the address and answers with its debugging session. */
async function openPage(
  { pipe, exited }: BrowserProcess,
  { url, size, patienceMs }: { url: string; size: ChromiumShellDeps['windowSize']; patienceMs: number },
  gone: (reason: string) => void,
): Promise<string> {
  const targetId = await firstPage(pipe);
  const { sessionId } = await pipe.send('Target.attachToTarget', { targetId, flatten: true });
  // Its script has run then. Whether it draws is for the runtime to watch: pictures of the stage would hold back more.
  const loaded = new Promise<void>((resolve) => {
    pipe.on('Page.domContentEventFired', (_event, from) => {
      if (from === sessionId) resolve();
    });
  });
  // Told in two ways: a renderer that is dead already answers no more, not even that it has crashed.
  pipe.on('Inspector.targetCrashed', (_event, from) => {
    if (from === sessionId) gone('the page crashed');
  });
  pipe.on('Target.targetCrashed', (event) => {
    if (event.targetId === targetId) gone('the page crashed');
  });
  await pipe.send('Target.setDiscoverTargets', { discover: true });
  pipe.on('Target.detachedFromTarget', (event) => {
    if (event.sessionId === sessionId) gone('the page was closed');
  });
  pipe.on('Page.frameNavigated', ({ frame }, from) => {
    // The page may hold a newer one of itself; that it does not load is the page's own affair.
    const whole = frame.parentId === undefined;
    if (from === sessionId && whole && frame.unreachableUrl) gone('the page could not be loaded');
  });
  await pipe.send('Inspector.enable', undefined, sessionId);
  await pipe.send('Page.enable', {}, sessionId);
  await pipe.send('Browser.setDownloadBehavior', { behavior: 'deny' });
  if (size) {
    // A window without a display still leaves room for bars that nobody sees.
    const metrics = { ...size, deviceScaleFactor: 1, mobile: false };
    await pipe.send('Emulation.setDeviceMetricsOverride', metrics, sessionId);
  }
  const { errorText } = await pipe.send('Page.navigate', { url }, sessionId);
  if (errorText) throw new Error(`the page could not be loaded (${errorText})`);
  await Promise.race([
    loaded,
    exited.then((reason) => Promise.reject(new Error(reason))),
    wait(patienceMs, null, { ref: false }).then(() =>
      Promise.reject(new Error(`the page did not load within ${Math.round(patienceMs / 1000)} s`)),
    ),
  ]);
  return sessionId;
}

/**
 * A GPU process that dies takes along what was drawn with it: the browser starts another one, and the picture stays
 * black until the next. No event of the debugging protocol tells it, so it is asked for.
 */
async function watchGpu(
  { pipe, exited }: BrowserProcess,
  wanted: () => boolean,
  gone: (reason: string) => void,
): Promise<void> {
  let known: number | null = null;
  while (wanted()) {
    const { processInfo } = await pipe.send('SystemInfo.getProcessInfo').catch(() => ({ processInfo: null }));
    // The pipe breaks a moment before the reason is known.
    if (processInfo === null)
      return gone(await Promise.race([exited, wait(REASON_PATIENCE_MS, 'the browser does not answer')]));
    const gpu = processInfo.find(({ type }) => type === 'GPU')?.id ?? null;
    if (known !== null && gpu !== known) return gone('the GPU process ended');
    known = gpu;
    await wait(GPU_LOOK_MS, null, { ref: false });
  }
}

/** The browser opens its first tab a moment after it answers. */
async function firstPage(pipe: BrowserProcess['pipe']): Promise<string> {
  for (;;) {
    const { targetInfos } = await pipe.send('Target.getTargets');
    const page = targetInfos.find(({ type }) => type === 'page');
    if (page) return page.targetId;
    await wait(PAGE_LOOK_MS);
  }
}
