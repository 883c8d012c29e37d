/** A key as Electron reports it before the page hears of it. */
export interface KeyInput {
  readonly key: string;
  /** The key's place on the keyboard, whatever letter the layout has there. */
  readonly code: string;
  readonly control: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  readonly meta: boolean;
}

const FUNCTION_KEY = /^F\d{1,2}$|^(Browser|Launch|Media)[A-Z]/;
const TECHNICIAN = { key: 's', code: 'KeyS' };

/**
 * Whether a key would reach past the page: function and media keys, and whatever is pressed together with Ctrl, Alt
 * or Windows. The technician's Ctrl+Alt+Shift+S goes through; so do letters and digits by themselves. Many
 * layouts have another letter on the key S with AltGr, which is Ctrl+Alt.
 */
export function isShortcut({ key, code, control, alt, shift, meta }: KeyInput): boolean {
  const technician = code === TECHNICIAN.code || key.toLowerCase() === TECHNICIAN.key;
  if (control && alt && shift && !meta && technician) return false;
  return control || alt || meta || FUNCTION_KEY.test(key);
}
