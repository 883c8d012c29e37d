/** Keys that a browser handles without Ctrl, Alt or Meta. With Shift, Escape opens its task manager. */
const BROWSER_KEYS = /^(F\d+|Browser\w+|Launch\w+|Help|Escape)$/;

/**
 * Blocks the browser's context menu and its keys for printing, zooming, saving and reloading. Electron could do
 * this by itself; an installed Chromium passes keys to the page first in app mode.
 */
export function lockDown(page: Window): void {
  for (const type of ['contextmenu', 'dragstart', 'dragover', 'drop']) {
    page.addEventListener(type, (event) => event.preventDefault());
  }
  page.addEventListener(
    'wheel',
    (event) => {
      if (event.ctrlKey) {
        event.preventDefault();
      }
    },
    { passive: false },
  );
  page.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || BROWSER_KEYS.test(event.key)) {
      event.preventDefault();
    }
  });
}
