/** Resolves at the next frame, with its time. */
export function nextFrame(): Promise<number> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}

/** Resolves when what is in the page now has been drawn: one frame to draw it, one to know that it was. */
export async function painted(): Promise<number> {
  await nextFrame();
  return nextFrame();
}

const USUAL_FRAME_MS = 1000 / 60;
/** Timers are late by some milliseconds; from here on frames are counted. */
const COUNT_FRAMES_MS = 60;

/**
 * Calls back within the frame whose picture reaches the screen nearest to `dueAtMs`; what is changed there
 * shows one frame later. Returns a function that calls it off.
 */
export function atFrameNearest(dueAtMs: number, callback: () => void): () => void {
  let frame = 0;
  let lastMs: number | null = null;
  const look = (frameAtMs: number) => {
    const periodMs = lastMs === null ? USUAL_FRAME_MS : Math.min(50, Math.max(4, frameAtMs - lastMs));
    lastMs = frameAtMs;
    if (frameAtMs + 1.5 * periodMs >= dueAtMs) callback();
    else frame = requestAnimationFrame(look);
  };
  const timer = setTimeout(
    () => {
      frame = requestAnimationFrame(look);
    },
    Math.max(0, dueAtMs - performance.now() - COUNT_FRAMES_MS),
  );
  return () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
  };
}

/** Resolves after `ms`, or at once when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
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
