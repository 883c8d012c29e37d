/** Requests share a turn until they have used this long. */
const MAX_TURN_MS = 2;

const waiters: (() => void)[] = [];

const releaseWaiters = (): void => {
  const startMs = performance.now();
  const releaseNext = (): void => {
    if (performance.now() - startMs > MAX_TURN_MS) {
      setImmediate(releaseWaiters);
      return;
    }
    waiters.shift()?.();
    if (waiters.length > 0) {
      // After all promise callbacks, which is all that a request does until it waits for something else.
      queueMicrotask(() => process.nextTick(releaseNext));
    }
  };
  releaseNext();
};

/**
 * Waits for a turn of the event loop in which requests have not yet used 2 ms: everything else comes in between the
 * requests of a burst. One request a turn would cost a third more, because turns cost time as well.
 */
export const nextRequestTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiters.push(resolve);
    if (waiters.length === 1) {
      setImmediate(releaseWaiters);
    }
  });
