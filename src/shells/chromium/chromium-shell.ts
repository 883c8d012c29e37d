import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { HAS_SCRIPT_RUN, SCRIPT_NOT_LOADED } from '../supervision/shell.ts';
import type { Shell } from '../supervision/shell.ts';
import { buildBrowserFlags } from './browser-flags.ts';
import type { BrowserFlagOptions } from './browser-flags.ts';
import { startBrowser } from './browser-process.ts';
import type { BrowserProcess } from './browser-process.ts';
import { createFrameCapture } from './capture-frame.ts';
import type { FrameCapture } from './capture-frame.ts';
import { fillScreen } from './fill-screen.ts';
import { makeProfile } from './make-profile.ts';
import { createPageLoadTimeout } from './page-load-timeout.ts';
import type { Size } from './panel-size.ts';
import { clearStaleLock } from './profile-lock.ts';

export interface ChromiumShellDeps extends Omit<BrowserFlagOptions, 'softwareRendering'> {
  executable: string;
  /** Whether there is a GPU; without one the browser uses software rendering from the start. */
  hasGraphics: boolean;
}

const EXIT_REASON_TIMEOUT_MS = 300;
const PAGE_POLL_MS = 50;
const GPU_POLL_MS = 500;
/** After this many failed openings in a row the profile is recreated: a disk error may have damaged it. */
const FAILURES_BEFORE_NEW_PROFILE = 2;
const CLOSED_WHILE_OPENING = 'the window was closed while it was opening';

/** One browser process per window, so that every new window starts from a clean state. */
export function createChromiumShell(deps: ChromiumShellDeps): Shell {
  let browser: BrowserProcess | null = null;
  /** Of the browser. */
  let frames: FrameCapture | null = null;
  let pageSessionId: string | null = null;
  /** Counts of openings and closings, by which a slow opening notices that it is obsolete. */
  let openCount = 0;
  let closeCount = 0;
  let lostListener: ((reason: string) => void) | null = null;
  let softwareRendering = false;
  const loadTimeout = createPageLoadTimeout();
  let consecutiveFailures = 0;

  /** The browser started by `warmUp`, before the address of the page is known. */
  let warmingUp: Promise<BrowserProcess | null> | null = null;

  async function launch(): Promise<BrowserProcess> {
    // Killed at once: the screen is black, and the browser has nothing to save.
    const generation = [++openCount, closeCount].join();
    await stopBrowser('force');
    await clearStaleLock(deps.profileDir);
    if (consecutiveFailures > FAILURES_BEFORE_NEW_PROFILE) {
      await rm(deps.profileDir, { recursive: true, force: true });
    }
    await makeProfile(deps.profileDir, deps.env);
    if (generation !== [openCount, closeCount].join()) {
      throw new Error(CLOSED_WHILE_OPENING);
    }
    browser = startBrowser({
      executable: deps.executable,
      args: buildBrowserFlags({ ...deps, softwareRendering: softwareRendering || !deps.hasGraphics }),
      env: deps.env,
    });
    frames = createFrameCapture(browser.pipe);
    return browser;
  }

  /** The warm browser, if it still runs. */
  async function takeWarmBrowser(): Promise<BrowserProcess | null> {
    const waiting = warmingUp;
    warmingUp = null;
    const started = (await waiting) ?? null;
    if (!started || started !== browser) {
      return null;
    }
    const ended = await Promise.race([started.exited, wait(0, null)]);
    return ended === null ? started : null;
  }

  async function open(url: string): Promise<void> {
    consecutiveFailures += 1;
    const before = closeCount;
    const waiting = await takeWarmBrowser();
    if (closeCount !== before) {
      throw new Error(CLOSED_WHILE_OPENING);
    }
    const started = waiting ?? (await launch());
    let loaded = false;
    const failed = Promise.withResolvers<never>();
    // A failure while opening is reported only by the rejected opening.
    failed.promise.catch(() => {});
    const onLost = (reason: string) => {
      if (!loaded) {
        failed.reject(new Error(reason));
      }
      if (browser !== started || !loaded) {
        return;
      }
      loaded = false;
      lostListener?.(reason);
    };
    void started.exited.then(onLost);
    try {
      const size = deps.headless ? deps.windowSize : null;
      const startedAtMs = performance.now();
      const timeoutMs = loadTimeout.nextMs();
      started.pipe.setResponseTimeout(timeoutMs);
      const opened = openPage(started, { url, size, timeoutMs }, onLost);
      pageSessionId = await Promise.race([opened, failed.promise]);
      loadTimeout.recordLoadTime(performance.now() - startedAtMs);
      if (!deps.headless) {
        await fillScreen(started.pipe, pageSessionId);
      }
      started.pipe.setResponseTimeout();
      loaded = true;
      consecutiveFailures = 0;
      void watchGpu(started, () => browser === started, onLost);
    } catch (error) {
      // The pipe breaks a moment before the exit reason is known.
      const reason = await Promise.race([started.exited, wait(EXIT_REASON_TIMEOUT_MS, null)]);
      if (browser === started) {
        await close();
      }
      throw reason === null ? error : new Error(reason, { cause: error });
    }
  }

  const close = () => {
    closeCount += 1;
    return stopBrowser('graceful');
  };

  async function stopBrowser(mode: 'graceful' | 'force'): Promise<void> {
    const ending = browser;
    browser = null;
    pageSessionId = null;
    await ending?.stop(mode);
  }

  function requirePage() {
    if (!browser || !frames || pageSessionId === null) {
      throw new Error('there is no window');
    }
    return { pipe: browser.pipe, frames, sessionId: pageSessionId };
  }

  return {
    name: deps.headless ? 'headless' : 'chromium',
    warmUp() {
      // An error is not reported here: `open` launches the browser again and reports its own.
      warmingUp = launch().catch(() => null);
    },
    open,
    async capture() {
      const { pipe, sessionId } = requirePage();
      const { data } = await pipe.send(
        'Page.captureScreenshot',
        { format: 'png', optimizeForSpeed: true },
        sessionId,
      );
      return Buffer.from(data, 'base64');
    },
    async captureJpeg(maxPixels) {
      const { frames, sessionId } = requirePage();
      return frames.capture(sessionId, maxPixels);
    },
    close,
    setSoftwareRendering(on) {
      softwareRendering = on;
      return 'next_window';
    },
    onLost(listener) {
      lostListener = listener;
    },
  };
}

/** Navigates the first tab to the address and returns its debugging session. */
async function openPage(
  { pipe, exited }: BrowserProcess,
  { url, size, timeoutMs }: { url: string; size: Size | null; timeoutMs: number },
  onLost: (reason: string) => void,
): Promise<string> {
  const targetId = await findFirstPage(pipe);
  const { sessionId } = await pipe.send('Target.attachToTarget', { targetId, flatten: true });
  const waitForDocument = watchDocuments(pipe, sessionId);
  // Both events are needed: a renderer that is already dead does not report its own crash.
  pipe.on('Inspector.targetCrashed', (_event, from) => {
    if (from === sessionId) {
      onLost('the page crashed');
    }
  });
  pipe.on('Target.targetCrashed', (event) => {
    if (event.targetId === targetId) {
      onLost('the page crashed');
    }
  });
  await pipe.send('Target.setDiscoverTargets', { discover: true });
  pipe.on('Target.detachedFromTarget', (event) => {
    if (event.sessionId === sessionId) {
      onLost('the page was closed');
    }
  });
  pipe.on('Page.frameNavigated', ({ frame }, from) => {
    // The page may contain a newer copy of itself in a frame, and handles that frame's failure to load itself.
    const isMainFrame = frame.parentId === undefined;
    if (from === sessionId && isMainFrame && frame.unreachableUrl) {
      onLost('the page could not be loaded');
    }
  });
  await pipe.send('Inspector.enable', undefined, sessionId);
  await pipe.send('Page.enable', {}, sessionId);
  await pipe.send('Page.setLifecycleEventsEnabled', { enabled: true }, sessionId);
  await pipe.send('Browser.setDownloadBehavior', { behavior: 'deny' });
  if (size) {
    // Without a display a window still reserves space for toolbars.
    const metrics = { ...size, deviceScaleFactor: 1, mobile: false };
    await pipe.send('Emulation.setDeviceMetricsOverride', metrics, sessionId);
  }
  const { errorText, loaderId = '' } = await pipe.send('Page.navigate', { url }, sessionId);
  if (errorText) {
    throw new Error(`the page could not be loaded (${errorText})`);
  }
  // Whether the page draws is checked by the runtime: screenshots would delay it.
  await Promise.race([
    waitForDocument(loaderId),
    exited.then((reason) => Promise.reject(new Error(reason))),
    wait(timeoutMs, null, { ref: false }).then(() =>
      Promise.reject(new Error(`the page did not load within ${Math.round(timeoutMs / 1000)} s`)),
    ),
  ]);
  const { result } = await pipe.send('Runtime.evaluate', { expression: HAS_SCRIPT_RUN }, sessionId);
  if (result.value !== true) {
    throw new Error(SCRIPT_NOT_LOADED);
  }
  return sessionId;
}

/** Returns a function that waits until this document is complete; the browser's first page is another one. */
function watchDocuments(
  pipe: BrowserProcess['pipe'],
  sessionId: string,
): (loaderId: string) => Promise<void> {
  const complete = new Map<string, PromiseWithResolvers<void>>();
  const entryOf = (loaderId: string) => {
    const entry = complete.get(loaderId) ?? Promise.withResolvers<void>();
    complete.set(loaderId, entry);
    return entry;
  };
  pipe.on('Page.lifecycleEvent', ({ name, loaderId }, from) => {
    if (from === sessionId && name === 'DOMContentLoaded') {
      entryOf(loaderId).resolve();
    }
  });
  return (loaderId) => entryOf(loaderId).promise;
}

/**
 * Reports the end of the GPU process. The browser starts another one, but the screen stays black until the next
 * picture. The debugging protocol has no event for it, so the process list is polled.
 */
async function watchGpu(
  { pipe, exited }: BrowserProcess,
  isCurrent: () => boolean,
  onLost: (reason: string) => void,
): Promise<void> {
  let knownGpuPid: number | null = null;
  while (isCurrent()) {
    const { processInfo } = await pipe.send('SystemInfo.getProcessInfo').catch(() => ({ processInfo: null }));
    // The pipe breaks a moment before the exit reason is known.
    if (processInfo === null) {
      return onLost(
        await Promise.race([exited, wait(EXIT_REASON_TIMEOUT_MS, 'the browser does not answer')]),
      );
    }
    const gpu = processInfo.find(({ type }) => type === 'GPU')?.id ?? null;
    if (knownGpuPid !== null && gpu !== knownGpuPid) {
      return onLost('the GPU process ended');
    }
    knownGpuPid = gpu;
    await wait(GPU_POLL_MS, null, { ref: false });
  }
}

/** The browser opens its first tab a moment after it answers. */
async function findFirstPage(pipe: BrowserProcess['pipe']): Promise<string> {
  for (;;) {
    const { targetInfos } = await pipe.send('Target.getTargets');
    const page = targetInfos.find(({ type }) => type === 'page');
    if (page) {
      return page.targetId;
    }
    await wait(PAGE_POLL_MS);
  }
}
