import { EventEmitter } from 'node:events';
import type { Bounds, StageWindow } from '../../src/shells/electron/electron-ports.ts';
import { createElectronShell } from '../../src/shells/electron/electron-shell.ts';

/** What a window shows, to the first bytes. */
export const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** What loading an address comes to; `domReady` is to be called when the script of the page has run. */
export type Loads = (url: string, domReady: () => void) => Promise<void>;

/** What Electron makes when nobody says how large. */
const SMALL: Bounds = { x: 560, y: 240, width: 800, height: 600 };

/** A window that does what Electron documents, without a screen. */
export function electronWindow(loads: Loads, bounds: Bounds = SMALL) {
  const contents = Object.assign(new EventEmitter(), {
    opener: () => ({ action: 'allow' }),
    setWindowOpenHandler(handler: () => { action: 'deny' }) {
      contents.opener = handler;
    },
    capturePage: async () => ({ toPNG: () => PNG }),
  });
  const window = Object.assign(new EventEmitter(), {
    webContents: contents,
    visible: false,
    destroyed: false,
    loaded: [] as string[],
    async loadURL(url: string) {
      window.loaded.push(url);
      await loads(url, () => void contents.emit('dom-ready'));
    },
    show() {
      window.visible = true;
    },
    destroy() {
      window.destroyed = true;
      window.emit('closed');
    },
    isDestroyed: () => window.destroyed,
    bounds,
    getBounds: () => window.bounds,
    setBounds(wanted: Bounds) {
      window.bounds = wanted;
    },
    kiosk: false,
    setKiosk(on: boolean) {
      window.kiosk = on;
    },
    level: null as string | null,
    setAlwaysOnTop(on: boolean, level: string) {
      window.level = on ? level : null;
    },
  });
  return window satisfies StageWindow;
}

function electronSession() {
  const session = Object.assign(new EventEmitter(), {
    asked: null as boolean | null,
    checked: null as boolean | null,
    device: null as boolean | null,
    setPermissionRequestHandler(
      handler: (contents: unknown, permission: unknown, callback: (granted: boolean) => void) => void,
    ) {
      handler(null, 'camera', (granted) => {
        session.asked = granted;
      });
    },
    setPermissionCheckHandler(handler: () => boolean) {
      session.checked = handler();
    },
    setDevicePermissionHandler(handler: () => boolean) {
      session.device = handler();
    },
  });
  return session;
}

/** The Electron shell on a double of the few calls of Electron that it makes; nothing of it is ever downloaded. */
export function electronDouble(
  loads: Loads = async (_url, domReady) => domReady(),
  { onTop = false }: { onTop?: boolean } = {},
) {
  const windows: ReturnType<typeof electronWindow>[] = [];
  const session = electronSession();
  const gone: string[] = [];
  const screen = Object.assign(new EventEmitter(), {
    getPrimaryDisplay: () => ({ bounds: { x: 0, y: 0, width: 3840, height: 2160 } }),
  });
  const app = new EventEmitter();
  const shell = createElectronShell({
    session,
    screen,
    app,
    software: false,
    onTop,
    makeWindow(bounds) {
      const window = electronWindow(loads, bounds);
      windows.push(window);
      return window;
    },
  });
  shell.onGone((reason) => gone.push(reason));
  return { shell, windows, session, gone, screen, app };
}
