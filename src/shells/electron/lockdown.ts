import type { ElectronContents, ElectronSession, NavigationEvent } from './electron-ports.ts';
import { isSameOrigin } from './same-origin.ts';
import { isShortcut } from './shortcuts.ts';

/** Prevents windows, webviews, menus and shortcuts in every page of this app, whatever its window. */
export function lockDownContents(contents: ElectronContents): void {
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.on('context-menu', (event) => event.preventDefault());
  contents.on('before-input-event', (event, input) => {
    if (isShortcut(input)) {
      event.preventDefault();
    }
  });
}

/** Keeps the page on its own server. */
export function restrictNavigation(contents: ElectronContents, pageUrl: string): void {
  const stayOnServer = (event: NavigationEvent) => {
    if (!isSameOrigin(event.url, pageUrl)) {
      event.preventDefault();
    }
  };
  contents.on('will-navigate', stayOnServer);
  contents.on('will-redirect', stayOnServer);
  contents.on('will-frame-navigate', stayOnServer);
}

/** Denies every permission, requested or checked, and every download. */
export function denyPermissions(session: ElectronSession): void {
  session.setPermissionRequestHandler((_contents, _permission, callback) => callback(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.on('will-download', (event) => event.preventDefault());
}
