import type { Rectangle } from 'electron';
import type { KeyInput } from './shortcuts.ts';

/**
 * The few parts of Electron's API that the shell uses, as interfaces. Electron's objects implement them; tests use
 * fakes, because importing `electron` would download its binary.
 */

/** An event that can be cancelled. */
export interface Preventable {
  preventDefault(): void;
}

export interface NavigationEvent extends Preventable {
  readonly url: string;
}

/** Electron's `NativeImage`. */
export interface ElectronPicture {
  getSize(): { width: number; height: number };
  resize(options: { width: number; quality: 'good' }): ElectronPicture;
  toPNG(): Uint8Array;
  /** `quality`: 0 to 100. */
  toJPEG(quality: number): Uint8Array;
}

export interface ElectronContents {
  on(event: 'before-input-event', listener: (event: Preventable, input: KeyInput) => void): unknown;
  setWindowOpenHandler(handler: () => { action: 'deny' }): void;
  capturePage(): Promise<ElectronPicture>;
  on(event: 'will-navigate', listener: (event: NavigationEvent) => void): unknown;
  on(event: 'will-redirect', listener: (event: NavigationEvent) => void): unknown;
  on(event: 'will-frame-navigate', listener: (event: NavigationEvent) => void): unknown;
  on(event: 'will-attach-webview', listener: (event: Preventable) => void): unknown;
  /** The document is complete; its script has run if it could be loaded. */
  on(event: 'dom-ready', listener: () => void): unknown;
  readonly mainFrame: { executeJavaScript(code: string): Promise<unknown> };
  on(event: 'context-menu', listener: (event: Preventable) => void): unknown;
  on(
    event: 'render-process-gone',
    listener: (event: unknown, details: { readonly reason: string }) => void,
  ): unknown;
  on(
    event: 'did-fail-load',
    listener: (event: unknown, code: number, description: string, url: string, isMainFrame: boolean) => void,
  ): unknown;
}

export interface ElectronSession {
  setPermissionRequestHandler(
    handler: (contents: unknown, permission: unknown, callback: (granted: boolean) => void) => void,
  ): void;
  setPermissionCheckHandler(handler: () => boolean): void;
  setDevicePermissionHandler(handler: () => boolean): void;
  on(event: 'will-download', listener: (event: Preventable) => void): unknown;
}

export interface ElectronWindow {
  readonly webContents: ElectronContents;
  loadURL(url: string): Promise<void>;
  show(): void;
  destroy(): void;
  isDestroyed(): boolean;
  getBounds(): Rectangle;
  setBounds(bounds: Rectangle): void;
  setKiosk(on: boolean): void;
  setAlwaysOnTop(on: boolean, level: 'screen-saver'): void;
  on(event: 'close', listener: (event: Preventable) => void): unknown;
  on(event: 'closed', listener: () => void): unknown;
  on(event: 'responsive', listener: () => void): unknown;
  on(event: 'unresponsive', listener: () => void): unknown;
}

/** The screens of the device, which can be plugged and unplugged at any time. */
export interface ElectronScreen {
  getPrimaryDisplay(): { readonly bounds: Rectangle };
  on(event: 'display-added', listener: () => void): unknown;
  on(event: 'display-removed', listener: () => void): unknown;
  on(event: 'display-metrics-changed', listener: () => void): unknown;
}

export interface ElectronApp {
  on(
    event: 'child-process-gone',
    listener: (event: unknown, details: { readonly type: string; readonly reason: string }) => void,
  ): unknown;
}

/** Electron's `UtilityProcess`. */
export interface UtilityChild {
  readonly pid: number | undefined;
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  once(event: 'exit', listener: (code: number) => void): unknown;
  /** V8 cannot continue, for example without memory; `exit` follows. */
  on(event: 'error', listener: (type: string, location: string) => void): unknown;
  /** Asks it to end; false when it was not started or has ended. */
  kill(): boolean;
}
