import type { BrowserWindowConstructorOptions } from 'electron';
import type { Shell } from '../shell.ts';
import type { Bounds, StageApp, StageScreen, StageSession, StageWindow } from './electron-ports.ts';
import { grantNothing, keepToItsPlace } from './lockdown.ts';

type WebPreferences = NonNullable<BrowserWindowConstructorOptions['webPreferences']>;

/** Everything that keeps a window a sign; the session is added by whoever makes it. */
export function kioskWindow(devTools: boolean) {
  return {
    kiosk: true,
    fullscreen: true,
    frame: false,
    show: false,
    backgroundColor: '#000000',
    title: 'Placard',
    webPreferences: {
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      devTools,
      backgroundThrottling: false,
      autoplayPolicy: 'no-user-gesture-required',
      spellcheck: false,
    } satisfies WebPreferences,
  } satisfies BrowserWindowConstructorOptions;
}

const UNRESPONSIVE_PATIENCE_MS = 15_000;
/** A cold start of a small box takes this long at the very most. */
const LOAD_PATIENCE_MS = 30_000;
/** Electron takes no picture of a page that draws no frames, and does not say so. */
const CAPTURE_PATIENCE_MS = 5_000;
/** A navigation that was called off: the page is where it was. */
const ERR_ABORTED = -3;

const sameBounds = (a: Bounds, b: Bounds): boolean =>
  a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;

/** One kiosk window of Electron, made anew for every page. */
export function createElectronShell(deps: {
  /** A window on this session with the options of `kioskWindow`, as large as the display. */
  makeWindow(bounds: Bounds): StageWindow;
  session: StageSession;
  screen: StageScreen;
  app: StageApp;
  /** How this start draws; Electron can change that only before it is ready. */
  software: boolean;
  /** Keeps the window above those of other programs. */
  onTop: boolean;
}): Shell {
  let window: StageWindow | null = null;
  let tellGone: ((reason: string) => void) | null = null;
  /** Ends the window that is there with a reason, once. */
  let end: ((reason: string) => void) | null = null;
  grantNothing(deps.session);
  deps.app.on('child-process-gone', (_event, { type, reason }) => {
    // What was drawn with it is black from now on.
    if (type === 'GPU' && reason !== 'clean-exit') end?.('the GPU process ended');
  });
  // A screen that was plugged in, or that came back with another size, is filled.
  deps.screen.on('display-added', fill);
  deps.screen.on('display-removed', fill);
  deps.screen.on('display-metrics-changed', fill);

  function fill(): void {
    if (!window || window.isDestroyed()) return;
    const { bounds } = deps.screen.getPrimaryDisplay();
    window.setBounds(bounds);
    window.setKiosk(true);
    // The level above the task bar.
    if (deps.onTop) window.setAlwaysOnTop(true, 'screen-saver');
    // Without a window manager nobody answers the wish for full screen, and the window may have been made smaller by it.
    if (!sameBounds(window.getBounds(), bounds)) window.setBounds(bounds);
  }

  /** A window, and its page once the script has run: pictures of it may still be on their way. */
  function make(home: string): { made: StageWindow; opened: Promise<void> } {
    const made = deps.makeWindow(deps.screen.getPrimaryDisplay().bounds);
    const { promise: opened, resolve: ready, reject } = Promise.withResolvers<void>();
    let isOpen = false;
    keepToItsPlace(made.webContents, home);
    const gone = (reason: string) => {
      clearTimeout(late);
      reject(new Error(reason));
      if (window !== made) return;
      leave();
      if (isOpen) tellGone?.(reason);
    };
    const late = setTimeout(() => gone('the page did not load within 30 s'), LOAD_PATIENCE_MS);
    end = gone;
    let unresponsive: NodeJS.Timeout | undefined;
    // Alt+F4 and its like; `destroy` does not ask.
    made.on('close', (event) => event.preventDefault());
    made.on('closed', () => gone('the window was closed'));
    made.on('responsive', () => clearTimeout(unresponsive));
    made.on('unresponsive', () => {
      unresponsive = setTimeout(() => gone('the page does not respond'), UNRESPONSIVE_PATIENCE_MS);
    });
    made.webContents.on('render-process-gone', (_event, { reason }) => gone(`the page crashed (${reason})`));
    made.webContents.on('did-fail-load', (_event, code, description, _url, isMainFrame) => {
      if (isMainFrame && code !== ERR_ABORTED) gone(`the page could not be loaded (${description})`);
    });
    made.webContents.on('dom-ready', () => {
      clearTimeout(late);
      isOpen = true;
      ready();
    });
    made.loadURL(home).catch((error: unknown) => {
      if (!isOpen) gone(error instanceof Error ? error.message : String(error));
    });
    return { made, opened };
  }

  function leave(): void {
    const leaving = window;
    window = null;
    if (leaving && !leaving.isDestroyed()) leaving.destroy();
  }

  return {
    name: 'electron',
    async open(url) {
      leave();
      const { made, opened } = make(url);
      window = made;
      await opened;
      if (window !== made) return;
      made.show();
      fill();
    },
    async capture() {
      if (!window) throw new Error('there is no window');
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => late.reject(new Error(`no picture of the page within ${CAPTURE_PATIENCE_MS / 1000} s`)),
        CAPTURE_PATIENCE_MS,
      );
      try {
        return (await Promise.race([window.webContents.capturePage(), late.promise])).toPNG();
      } finally {
        clearTimeout(timer);
      }
    },
    async close() {
      leave();
    },
    drawInSoftware: (on) => (on === deps.software ? 'next_window' : 'restart'),
    onGone(listener) {
      tellGone = listener;
    },
  };
}
