/** Keys that a browser acts on without Ctrl, Alt or Meta. With Shift, Escape opens its task manager. */
const OF_THE_BROWSER = /^(F\d+|Browser\w+|Launch\w+|Help|Escape)$/;

/**
 * Whoever stands before the screen gets no menu of the browser, prints, zooms, saves and reloads nothing. Electron
 * could do this by itself; an installed browser asks the page first, for its window is that of an app.
 */
export function lockDown(page: Window): void {
  for (const type of ['contextmenu', 'dragstart', 'dragover', 'drop'])
    page.addEventListener(type, (event) => event.preventDefault());
  page.addEventListener(
    'wheel',
    (event) => {
      if (event.ctrlKey) event.preventDefault();
    },
    { passive: false },
  );
  page.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || OF_THE_BROWSER.test(event.key))
      event.preventDefault();
  });
}
