import type { StageContents, StageSession } from './electron-ports.ts';
import { samePlace } from './same-place.ts';
import { isShortcut } from './shortcuts.ts';

/** No page of this app opens windows, holds other pages, shows a menu or hears a shortcut, whichever window it is in. */
export function denyCompany(contents: StageContents): void {
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.on('context-menu', (event) => event.preventDefault());
  contents.on('before-input-event', (event, input) => {
    if (isShortcut(input)) event.preventDefault();
  });
}

/** The page stays where it was led to. */
export function keepToItsPlace(contents: StageContents, home: string): void {
  contents.on('will-navigate', (event) => {
    if (!samePlace(event.url, home)) event.preventDefault();
  });
  contents.on('will-redirect', (event) => {
    if (!samePlace(event.url, home)) event.preventDefault();
  });
  contents.on('will-frame-navigate', (event) => {
    if (!samePlace(event.url, home)) event.preventDefault();
  });
}

/** Asked for or just used: every permission is denied, and nothing is downloaded. */
export function grantNothing(session: StageSession): void {
  session.setPermissionRequestHandler((_contents, _permission, callback) => callback(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.on('will-download', (event) => event.preventDefault());
}
