/** Resolves at the next frame, with its time. */
export function nextFrame(): Promise<number> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}

/** Resolves when the current content has been painted: one frame to draw it, one to know that it was drawn. */
export async function waitForPaint(): Promise<number> {
  await nextFrame();
  return nextFrame();
}

const DEFAULT_FRAME_MS = 1000 / 60;
/** Timers are late by some milliseconds, so frames are counted from this long before the due time. */
const COUNT_FRAMES_MS = 60;

/**
 * Calls back in the frame that is displayed nearest to `dueAtMs`; changes made there are visible one frame later.
 * Returns a function that cancels it.
 */
export function scheduleAtNearestFrame(dueAtMs: number, callback: () => void): () => void {
  let frame = 0;
  let lastMs: number | null = null;
  const onFrame = (frameAtMs: number) => {
    const periodMs = lastMs === null ? DEFAULT_FRAME_MS : Math.min(50, Math.max(4, frameAtMs - lastMs));
    lastMs = frameAtMs;
    if (frameAtMs + 1.5 * periodMs >= dueAtMs) {
      callback();
    } else {
      frame = requestAnimationFrame(onFrame);
    }
  };
  const timer = setTimeout(
    () => {
      frame = requestAnimationFrame(onFrame);
    },
    Math.max(0, dueAtMs - performance.now() - COUNT_FRAMES_MS),
  );
  return () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
  };
}

/** Resolves after `ms`, or at once when the signal aborts. */
export function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      return resolve();
    }
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
