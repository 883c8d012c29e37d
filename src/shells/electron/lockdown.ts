import { Menu, type App, type Session, type WebContents } from 'electron';
import { samePlace } from './same-place.ts';

/** What every page of this app may not do, whichever window it is in. */
export function lockDown(app: App): void {
  Menu.setApplicationMenu(null);
  app.on('web-contents-created', (_event, contents) => {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.on('context-menu', (event) => event.preventDefault());
  });
}

/** The page stays where it was led to. */
export function keepToItsPlace(contents: WebContents, home: string): void {
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
export function grantNothing(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, callback) => callback(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.on('will-download', (event) => event.preventDefault());
}
