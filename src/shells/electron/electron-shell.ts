import type { BrowserWindowConstructorOptions, Rectangle } from 'electron';
import { errorMessage } from '../../core/error-details.ts';
import { HAS_SCRIPT_RUN, JPEG_QUALITY, SCRIPT_NOT_LOADED } from '../supervision/shell.ts';
import type { Shell } from '../supervision/shell.ts';
import type {
  ElectronApp,
  ElectronPicture,
  ElectronScreen,
  ElectronSession,
  ElectronWindow,
} from './electron-ports.ts';
import { denyPermissions, restrictNavigation } from './lockdown.ts';

type WebPreferences = NonNullable<BrowserWindowConstructorOptions['webPreferences']>;

/** Options of a kiosk window; the caller adds the session. */
export function kioskWindowOptions(devTools: boolean) {
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

const UNRESPONSIVE_TIMEOUT_MS = 15_000;
/** The longest cold start of a slow device. */
const LOAD_TIMEOUT_MS = 30_000;
/** Electron takes no screenshot of a page that draws no frames, and does not report that. */
const CAPTURE_TIMEOUT_MS = 5_000;
/** A navigation was cancelled: the page has not changed. */
const ERR_ABORTED = -3;

const sameBounds = (a: Rectangle, b: Rectangle): boolean =>
  a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;

/** One kiosk window of Electron, recreated for every page. */
export function createElectronShell(deps: {
  /** Creates a window on this session with `kioskWindowOptions`, as large as the display. */
  makeWindow(bounds: Rectangle): ElectronWindow;
  session: ElectronSession;
  screen: ElectronScreen;
  app: ElectronApp;
  /** Rendering mode of this start; Electron can change it only before it is ready. */
  softwareRendering: boolean;
  /** Keeps the window above those of other programs. */
  alwaysOnTop: boolean;
}): Shell {
  let window: ElectronWindow | null = null;
  let lostListener: ((reason: string) => void) | null = null;
  /** Ends the current window with a reason, once. */
  let loseWindow: ((reason: string) => void) | null = null;
  denyPermissions(deps.session);
  deps.app.on('child-process-gone', (_event, { type, reason }) => {
    // The content drawn by it is lost, and the screen is black.
    if (type === 'GPU' && reason !== 'clean-exit') {
      loseWindow?.('the GPU process ended');
    }
  });
  // Fills a screen that was plugged in, or that came back with another size.
  deps.screen.on('display-added', fillDisplay);
  deps.screen.on('display-removed', fillDisplay);
  deps.screen.on('display-metrics-changed', fillDisplay);

  function fillDisplay(): void {
    if (!window || window.isDestroyed()) {
      return;
    }
    const { bounds } = deps.screen.getPrimaryDisplay();
    window.setBounds(bounds);
    window.setKiosk(true);
    // The level above the task bar.
    if (deps.alwaysOnTop) {
      window.setAlwaysOnTop(true, 'screen-saver');
    }
    // Without a window manager full screen is not granted, and the request may have made the window smaller.
    if (!sameBounds(window.getBounds(), bounds)) {
      window.setBounds(bounds);
    }
  }

  /** A window, and its page once the script has run; its images may still be loading. */
  function createWindow(pageUrl: string): { newWindow: ElectronWindow; opened: Promise<void> } {
    const newWindow = deps.makeWindow(deps.screen.getPrimaryDisplay().bounds);
    const { promise: opened, resolve: resolveOpened, reject } = Promise.withResolvers<void>();
    let isOpen = false;
    restrictNavigation(newWindow.webContents, pageUrl);
    const onLost = (reason: string) => {
      clearTimeout(timeout);
      reject(new Error(reason));
      if (window !== newWindow) {
        return;
      }
      destroyWindow();
      if (isOpen) {
        lostListener?.(reason);
      }
    };
    const timeout = setTimeout(() => onLost('the page did not load within 30 s'), LOAD_TIMEOUT_MS);
    loseWindow = onLost;
    let unresponsiveTimer: NodeJS.Timeout | undefined;
    // Prevents Alt+F4 and similar; `destroy` does not emit this event.
    newWindow.on('close', (event) => event.preventDefault());
    newWindow.on('closed', () => onLost('the window was closed'));
    newWindow.on('responsive', () => clearTimeout(unresponsiveTimer));
    newWindow.on('unresponsive', () => {
      unresponsiveTimer = setTimeout(() => onLost('the page does not respond'), UNRESPONSIVE_TIMEOUT_MS);
    });
    newWindow.webContents.on('render-process-gone', (_event, { reason }) =>
      onLost(`the page crashed (${reason})`),
    );
    newWindow.webContents.on('did-fail-load', (_event, code, description, _url, isMainFrame) => {
      if (isMainFrame && code !== ERR_ABORTED) {
        onLost(`the page could not be loaded (${description})`);
      }
    });
    const checkScript = async () => {
      // In the frame: the method of the contents would wait for the pictures of the page.
      if ((await newWindow.webContents.mainFrame.executeJavaScript(HAS_SCRIPT_RUN)) !== true) {
        throw new Error(SCRIPT_NOT_LOADED);
      }
      clearTimeout(timeout);
      isOpen = true;
      resolveOpened();
    };
    newWindow.webContents.on('dom-ready', () => {
      checkScript().catch((error: unknown) => onLost(errorMessage(error)));
    });
    newWindow.loadURL(pageUrl).catch((error: unknown) => {
      if (!isOpen) {
        onLost(errorMessage(error));
      }
    });
    return { newWindow, opened };
  }

  function destroyWindow(): void {
    const closingWindow = window;
    window = null;
    if (closingWindow && !closingWindow.isDestroyed()) {
      closingWindow.destroy();
    }
  }

  async function capturePage(): Promise<ElectronPicture> {
    if (!window) {
      throw new Error('there is no window');
    }
    const timeout = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => timeout.reject(new Error(`no screenshot of the page within ${CAPTURE_TIMEOUT_MS / 1000} s`)),
      CAPTURE_TIMEOUT_MS,
    );
    try {
      return await Promise.race([window.webContents.capturePage(), timeout.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    name: 'electron',
    async open(url) {
      destroyWindow();
      const { newWindow, opened } = createWindow(url);
      window = newWindow;
      await opened;
      if (window !== newWindow) {
        return;
      }
      newWindow.show();
      fillDisplay();
    },
    capture: async () => (await capturePage()).toPNG(),
    async captureJpeg(maxPixels) {
      const picture = await capturePage();
      const { width, height } = picture.getSize();
      const scale = Math.min(1, maxPixels / Math.max(width, height));
      return picture.resize({ width: Math.round(width * scale), quality: 'good' }).toJPEG(JPEG_QUALITY);
    },
    async close() {
      destroyWindow();
    },
    setSoftwareRendering: (on) => (on === deps.softwareRendering ? 'next_window' : 'restart'),
    onLost(listener) {
      lostListener = listener;
    },
  };
}
