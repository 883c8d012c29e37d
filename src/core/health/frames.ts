/** Video frames of the page that is open. */
export interface FrameCount {
  readonly pageId: string | null;
  /** Since the page was opened; null until it has told. */
  readonly counted: { readonly drawn: number; readonly dropped: number } | null;
  /** What the page said last, of the videos that it had then; they count from 0 again with every file. */
  readonly last: { readonly frames: number; readonly dropped: number };
}

const NONE_YET = { frames: 0, dropped: 0 };

export const NO_FRAMES: FrameCount = { pageId: null, counted: null, last: NONE_YET };

/** A page that comes back to a new runtime goes on; another one counts from the beginning. */
export const pageFrames = (count: FrameCount, pageId: string): FrameCount =>
  count.pageId === pageId ? count : { ...NO_FRAMES, pageId };

/**
 * Adds what came since the last beat. `frames` are all that were due, with those that were dropped. When a video
 * begins, what it drew before its first beat, a second at most, is not counted.
 */
export function countFrames(count: FrameCount, frames: number, dropped: number): FrameCount {
  const { counted, last } = count;
  const due = Math.max(0, frames - last.frames);
  const missed = Math.min(due, Math.max(0, dropped - last.dropped));
  return {
    ...count,
    counted: { drawn: (counted?.drawn ?? 0) + due - missed, dropped: (counted?.dropped ?? 0) + missed },
    last: { frames, dropped },
  };
}
