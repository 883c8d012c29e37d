import { EventEmitter } from 'node:events';
import type { Rectangle } from 'electron';
import type { ElectronPicture, ElectronWindow } from '../../src/shells/electron/electron-ports.ts';
import { createElectronShell } from '../../src/shells/electron/electron-shell.ts';

/** The first bytes of a window's screenshot. */
export const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The result of loading a URL; `domReady` must be called when the script of the page has run. */
export type LoadBehaviour = (url: string, domReady: () => void) => Promise<void>;

/** Electron's bounds for a window without a given size. */
const DEFAULT_BOUNDS: Rectangle = { x: 560, y: 240, width: 800, height: 600 };

/** A window that behaves as Electron documents, without a screen. */
export function createFakeWindow(loads: LoadBehaviour, bounds: Rectangle = DEFAULT_BOUNDS) {
  const contents = Object.assign(new EventEmitter(), {
    opener: () => ({ action: 'allow' }),
    setWindowOpenHandler(handler: () => { action: 'deny' }) {
      contents.opener = handler;
    },
    hasScriptRun: true,
    mainFrame: { executeJavaScript: async (_code: string): Promise<unknown> => contents.hasScriptRun },
    capturePage: async () => fakePicture({ width: 1920, height: 1080 }),
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
    setBounds(wanted: Rectangle) {
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
  return window satisfies ElectronWindow;
}

/** Its JPEG image says how large it is. */
const fakePicture = (size: { width: number; height: number }): ElectronPicture => ({
  getSize: () => size,
  resize: ({ width }) => fakePicture({ width, height: Math.round((size.height * width) / size.width) }),
  toPNG: () => PNG,
  toJPEG: (quality) => Buffer.from(`JPEG ${size.width} × ${size.height}, ${quality}`),
});

function createFakeSession() {
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

/** The Electron shell on a fake of the few Electron calls that it makes; Electron is never downloaded. */
export function createFakeElectron(
  loads: LoadBehaviour = async (_url, domReady) => domReady(),
  { alwaysOnTop = false }: { alwaysOnTop?: boolean } = {},
) {
  const windows: ReturnType<typeof createFakeWindow>[] = [];
  const session = createFakeSession();
  const gone: string[] = [];
  const screen = Object.assign(new EventEmitter(), {
    getPrimaryDisplay: () => ({ bounds: { x: 0, y: 0, width: 3840, height: 2160 } }),
  });
  const app = new EventEmitter();
  const shell = createElectronShell({
    session,
    screen,
    app,
    softwareRendering: false,
    alwaysOnTop,
    makeWindow(bounds) {
      const window = createFakeWindow(loads, bounds);
      windows.push(window);
      return window;
    },
  });
  shell.onLost((reason) => gone.push(reason));
  return { shell, windows, session, gone, screen, app };
}
