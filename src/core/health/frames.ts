/** Video frames of the current page. */
export interface FrameCount {
  readonly pageId: string | null;
  /** Since the page was loaded; null until the page has reported them. */
  readonly total: { readonly drawn: number; readonly dropped: number } | null;
  /** The page's last report, for its current videos; they count from 0 again with every file. */
  readonly lastReported: { readonly frames: number; readonly dropped: number };
}

const NO_FRAMES_REPORTED = { frames: 0, dropped: 0 };

export const NO_FRAMES: FrameCount = { pageId: null, total: null, lastReported: NO_FRAMES_REPORTED };

/** A page that reconnects to a new runtime continues its count; a new page starts at zero. */
export const frameCountOfPage = (count: FrameCount, pageId: string): FrameCount =>
  count.pageId === pageId ? count : { ...NO_FRAMES, pageId };

/**
 * Adds the frames since the last beat. `frames` includes dropped ones. Frames of a video before its first beat, at
 * most one second, are not counted.
 */
export function countFrames(count: FrameCount, frames: number, dropped: number): FrameCount {
  const { total, lastReported } = count;
  const newFrames = Math.max(0, frames - lastReported.frames);
  const newDropped = Math.min(newFrames, Math.max(0, dropped - lastReported.dropped));
  return {
    ...count,
    total: {
      drawn: (total?.drawn ?? 0) + newFrames - newDropped,
      dropped: (total?.dropped ?? 0) + newDropped,
    },
    lastReported: { frames, dropped },
  };
}
