/**
 * Ctrl+Alt+Shift+S, by physical key in every layout. On Windows, in layouts where AltGr gives this key a character,
 * Chromium reports AltGraph instead of Ctrl and Alt.
 */
export function isMenuShortcut(
  event: Pick<KeyboardEvent, 'ctrlKey' | 'altKey' | 'shiftKey' | 'code' | 'key' | 'getModifierState'>,
): boolean {
  const isMenuLetter = event.code === 'KeyS' || event.key.toLowerCase() === 's';
  const areModifiersHeld = (event.ctrlKey && event.altKey) || event.getModifierState('AltGraph');
  return isMenuLetter && areModifiersHeld && event.shiftKey;
}

/** Keys of a remote control that can open the menu. */
const REMOTE_CONTROL_KEYS = new Set(['Enter', 'Select', 'Accept', 'ContextMenu']);

/** Returns true at the fifth press of "OK" or of the menu key; another key or a long pause resets the count. */
export function createPressCounter(): (
  event: Pick<KeyboardEvent, 'key' | 'repeat'>,
  atMs: number,
) => boolean {
  const isFifth = createRepeatCounter();
  return ({ key, repeat }, atMs) => !repeat && isFifth(REMOTE_CONTROL_KEYS.has(key) ? key : '', atMs);
}

const REQUIRED_REPEATS = 5;
const REPEAT_WINDOW_MS = 4_000;
/** Size of a corner as a fraction of the panel's shorter side. */
const CORNER_SIZE = 0.15;

export interface Tap {
  /** Pixels from the panel's top left. */
  x: number;
  y: number;
  width: number;
  height: number;
  atMs: number;
}

/** Returns true at the fifth tap in one corner; a tap elsewhere or a long pause resets the count. */
export function createTapCounter(): (tap: Tap) => boolean {
  const isFifth = createRepeatCounter();
  return (tap) => isFifth(cornerOf(tap), tap.atMs);
}

/** Counts repetitions of the same non-empty input within a few seconds. */
function createRepeatCounter(): (input: string, atMs: number) => boolean {
  let lastInput = '';
  let times: number[] = [];
  return (what, atMs) => {
    if (what !== lastInput) {
      times = [];
    }
    lastInput = what;
    if (what === '') {
      return false;
    }
    times = [...times.filter((earlierMs) => atMs - earlierMs < REPEAT_WINDOW_MS), atMs];
    if (times.length < REQUIRED_REPEATS) {
      return false;
    }
    times = [];
    return true;
  };
}

/** For example `top left`; empty outside the corners. */
function cornerOf({ x, y, width, height }: Tap): string {
  const cornerPx = CORNER_SIZE * Math.min(width, height);
  const row = y < cornerPx ? 'top' : y > height - cornerPx ? 'bottom' : null;
  const column = x < cornerPx ? 'left' : x > width - cornerPx ? 'right' : null;
  return row && column ? `${row} ${column}` : '';
}
