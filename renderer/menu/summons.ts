/**
 * Ctrl+Alt+Shift+S, whatever letter the layout has there. On Windows, where a layout makes a letter of it by AltGr,
 * Chromium reports AltGraph in place of Ctrl and Alt.
 */
export function isSummons(
  event: Pick<KeyboardEvent, 'ctrlKey' | 'altKey' | 'shiftKey' | 'code' | 'key' | 'getModifierState'>,
): boolean {
  const letter = event.code === 'KeyS' || event.key.toLowerCase() === 's';
  const held = (event.ctrlKey && event.altKey) || event.getModifierState('AltGraph');
  return letter && held && event.shiftKey;
}

/** A remote control has no other keys to open a menu with. */
const OF_A_REMOTE = new Set(['Enter', 'Select', 'Accept', 'ContextMenu']);

/** Says true at the fifth press of "OK", or of the menu key; another key, or a long pause, starts the count anew. */
export function createPressCounter(): (
  event: Pick<KeyboardEvent, 'key' | 'repeat'>,
  atMs: number,
) => boolean {
  const isFifth = createFiveInARow();
  return ({ key, repeat }, atMs) => !repeat && isFifth(OF_A_REMOTE.has(key) ? key : '', atMs);
}

const IN_A_ROW = 5;
const WITHIN_MS = 4_000;
/** Part of the shorter side of the panel that counts as its corner. */
const CORNER = 0.15;

export interface Tap {
  /** Pixels from the left and from the top of the panel. */
  x: number;
  y: number;
  width: number;
  height: number;
  atMs: number;
}

/** Says true at the fifth tap in one corner; a tap elsewhere, or a long pause, starts the count anew. */
export function createTapCounter(): (tap: Tap) => boolean {
  const isFifth = createFiveInARow();
  return (tap) => isFifth(cornerOf(tap), tap.atMs);
}

/** Counts what is the same as before and not empty, within a few seconds. */
function createFiveInARow(): (what: string, atMs: number) => boolean {
  let last = '';
  let times: number[] = [];
  return (what, atMs) => {
    if (what !== last) times = [];
    last = what;
    if (what === '') return false;
    times = [...times.filter((earlierMs) => atMs - earlierMs < WITHIN_MS), atMs];
    if (times.length < IN_A_ROW) return false;
    times = [];
    return true;
  };
}

/** `top left` …; empty away from all corners. */
function cornerOf({ x, y, width, height }: Tap): string {
  const near = CORNER * Math.min(width, height);
  const row = y < near ? 'top' : y > height - near ? 'bottom' : null;
  const column = x < near ? 'left' : x > width - near ? 'right' : null;
  return row && column ? `${row} ${column}` : '';
}
