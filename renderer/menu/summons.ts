/** Ctrl+Alt+Shift+S, whatever letter the layout has there. */
export function isSummons(
  event: Pick<KeyboardEvent, 'ctrlKey' | 'altKey' | 'shiftKey' | 'code' | 'key'>,
): boolean {
  const letter = event.code === 'KeyS' || event.key.toLowerCase() === 's';
  return letter && event.ctrlKey && event.altKey && event.shiftKey;
}

const TAPS = 5;
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
  let corner = '';
  let times: number[] = [];
  return (tap) => {
    const here = cornerOf(tap);
    if (here !== corner) times = [];
    corner = here;
    if (here === '') return false;
    times = [...times.filter((atMs) => tap.atMs - atMs < WITHIN_MS), tap.atMs];
    if (times.length < TAPS) return false;
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
