import type { CapturedFrame } from './screen-capture.ts';

export type Rgb = readonly [number, number, number];

export interface ExpectedItem {
  /** Colour of this item's frames. */
  colour: Rgb;
  /** E.g. `image`. */
  kind: string;
  /** Milliseconds that it should be visible. */
  expectedMs: number;
}

/** What was visible between one item and the next. */
export interface Transition {
  kind: string;
  /** How long the first of the two was visible, minus how long it should have been. */
  lengthErrorMs: number;
  black: number;
  wrong: number;
  /** Frames with one item above and the next below: the display was captured while it was drawn. */
  torn: number;
}

const BLACK_AT_MOST = 70;
/** Codecs change colours slightly, and noise is averaged away; the colours of the palette differ by more than this. */
const SAME_COLOUR = 60;

export type Cell = 'black' | 'unknown' | number;

/** Index of the matching colour; otherwise `black` or `unknown`. */
export function matchColour(cell: Rgb, colours: readonly Rgb[]): Cell {
  const near = colours.findIndex(
    ([red, green, blue]) => Math.hypot(cell[0] - red, cell[1] - green, cell[2] - blue) < SAME_COLOUR,
  );
  if (near >= 0) {
    return near;
  }
  return cell[0] + cell[1] + cell[2] < BLACK_AT_MOST ? 'black' : 'unknown';
}

export function readCells({ cells }: CapturedFrame): Rgb[] {
  return Array.from({ length: cells.length / 3 }, (_, i) => [
    cells[3 * i] ?? 0,
    cells[3 * i + 1] ?? 0,
    cells[3 * i + 2] ?? 0,
  ]);
}

/** Relation of a cell's colour to the expected order of items. */
function classifyCell(
  cell: Rgb,
  current: ExpectedItem,
  next: ExpectedItem | undefined,
  before: ExpectedItem | undefined,
) {
  const name = matchColour(
    cell,
    [current, ...(next ? [next] : []), ...(before ? [before] : [])].map(colourOf),
  );
  if (typeof name !== 'number') {
    return name;
  }
  if (name === 0) {
    return 'current';
  }
  return name === 1 && next ? 'next' : 'before';
}

const colourOf = ({ colour }: ExpectedItem) => colour;

/** Compares the frames with a known order of items: each must be visible, and nothing else. */
export function createGapAnalyzer(items: readonly ExpectedItem[]) {
  const transitions: Transition[] = [];
  let current = 0;
  let sinceMs: number | null = null;
  let counts = { black: 0, wrong: 0, torn: 0 };
  let frames = 0;
  let lastMs = 0;
  let longestGapMs = 0;
  let firstMs = 0;

  function addFrame(frame: CapturedFrame): void {
    const next = items[current + 1];
    const before = items[current - 1];
    const seen = new Set(readCells(frame).map((cell) => classifyCell(cell, items[current]!, next, before)));
    if (sinceMs === null) {
      // Nothing counts before the first item appears.
      if (seen.size !== 1 || !seen.has('current')) {
        return;
      }
      sinceMs = frame.atMs;
      firstMs = frame.atMs;
      lastMs = frame.atMs;
    }
    frames += 1;
    longestGapMs = Math.max(longestGapMs, frame.atMs - lastMs);
    lastMs = frame.atMs;
    if (seen.has('black')) {
      counts.black += 1;
    } else if (seen.has('unknown') || (seen.has('before') && !seen.has('current'))) {
      counts.wrong += 1;
    } else if (seen.size === 2) {
      counts.torn += 1;
    }
    if (!seen.has('next')) {
      return;
    }
    const { expectedMs, kind } = items[current]!;
    // The first one has been visible for an unknown time.
    const lengthErrorMs = current === 0 ? 0 : frame.atMs - sinceMs - expectedMs;
    transitions.push({ kind: `${kind} to ${next!.kind}`, lengthErrorMs, ...counts });
    counts = { black: 0, wrong: 0, torn: 0 };
    current += 1;
    sinceMs = frame.atMs;
  }

  return {
    addFrame,
    get transitions(): readonly Transition[] {
      return transitions;
    },
    /** Frames after the last transition that showed neither item. */
    get remainingCounts() {
      return counts;
    },
    get captureStats() {
      return { frames, perSecond: (frames / Math.max(1, lastMs - firstMs)) * 1_000, longestGapMs };
    },
  };
}

/** Analyses a page with an unknown order of items: every change from one colour to another is a transition. */
export function createUnscriptedGapAnalyzer(colours: readonly Rgb[]) {
  const blanksMs: number[] = [];
  let frames = 0;
  let last: number | null = null;
  let leftMs = 0;
  let blank = 0;

  return {
    addFrame(frame: CapturedFrame): void {
      const seen = new Set(readCells(frame).map((cell) => matchColour(cell, colours)));
      const named = [...seen].filter((cell) => typeof cell === 'number');
      if (last === null) {
        last = named.length === 1 && seen.size === 1 ? named[0]! : null;
        leftMs = frame.atMs;
        return;
      }
      frames += 1;
      const other = named.find((cell) => cell !== last);
      if (other !== undefined) {
        blanksMs.push(blank > 0 ? frame.atMs - leftMs : 0);
        last = other;
        blank = 0;
      } else if (seen.size > named.length) {
        blank += 1;
      } else {
        blank = 0;
      }
      if (blank === 0) {
        leftMs = frame.atMs;
      }
    },
    /** Milliseconds without either item at each change; 0 where there were none. */
    get blanksMs(): readonly number[] {
      return blanksMs;
    },
    get frames() {
      return frames;
    },
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
