/** A key as Electron reports it before the page hears of it. */
export interface KeyInput {
  readonly key: string;
  readonly control: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  readonly meta: boolean;
}

const FUNCTION_KEY = /^F\d{1,2}$|^(Browser|Launch|Media)[A-Z]/;
const TECHNICIAN = 's';

/**
 * Whether a key would reach past the page: function and media keys, and whatever is pressed together with Ctrl, Alt
 * or Windows. The technician's Ctrl+Alt+Shift+S goes through; so do letters and digits by themselves.
 */
export function isShortcut({ key, control, alt, shift, meta }: KeyInput): boolean {
  if (control && alt && shift && !meta && key.toLowerCase() === TECHNICIAN) return false;
  return control || alt || meta || FUNCTION_KEY.test(key);
}
