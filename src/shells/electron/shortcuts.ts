import type { Input } from 'electron';

/** A key event as Electron reports it before it reaches the page. */
export type KeyInput = Pick<Input, 'key' | 'code' | 'control' | 'alt' | 'shift' | 'meta'>;

const FUNCTION_KEY = /^F\d{1,2}$|^(Browser|Launch|Media)[A-Z]/;
const MENU_KEY = { key: 's', code: 'KeyS' };

/**
 * Whether a key must not reach the page: function and media keys, and anything together with Ctrl, Alt or Windows.
 * The technician's Ctrl+Alt+Shift+S passes; so do letters and digits alone. Many layouts have another letter on the
 * key S with AltGr, which is Ctrl+Alt.
 */
export function isShortcut({ key, code, control, alt, shift, meta }: KeyInput): boolean {
  const isMenuKey = code === MENU_KEY.code || key.toLowerCase() === MENU_KEY.key;
  if (control && alt && shift && !meta && isMenuKey) {
    return false;
  }
  return control || alt || meta || FUNCTION_KEY.test(key);
}
