/** Requests share a turn until they have used this long. */
const MAX_TURN_MS = 2;

const waiters: (() => void)[] = [];
let turns = 0;
let current: number | null = null;
let endings: (() => void)[] = [];

/**
 * The number of the turn while requests run that have waited for it; null otherwise. What is read of other processes for
 * one of these requests is as good for the others: all had arrived before the turn began.
 */
export const requestTurn = (): number | null => current;

/** Calls `end` after the last request of the current turn. Only during a turn. */
export const atEndOfTurn = (end: () => void): void => {
  endings.push(end);
};

const endTurn = (): void => {
  current = null;
  const ended = endings;
  endings = [];
  ended.forEach((end) => end());
};

const releaseWaiters = (): void => {
  const startMs = performance.now();
  turns += 1;
  current = turns;
  const releaseNext = (): void => {
    if (waiters.length === 0) {
      endTurn();
      return;
    }
    if (performance.now() - startMs > MAX_TURN_MS) {
      setImmediate(releaseWaiters);
      endTurn();
      return;
    }
    waiters.shift()?.();
    // After all promise callbacks, which is all that a request does until it waits for something else.
    queueMicrotask(() => process.nextTick(releaseNext));
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
    if (waiters.length === 1 && current === null) {
      setImmediate(releaseWaiters);
    }
  });
