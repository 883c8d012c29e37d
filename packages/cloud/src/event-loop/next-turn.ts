const waiters: (() => void)[] = [];
const releaseNext = (): void => {
  waiters.shift()?.();
  if (waiters.length > 0) {
    setImmediate(releaseNext);
  }
};

/**
 * Waits for a turn of the event loop. Only one waiter is released per turn, so that concurrent long work (batches of
 * rows, large requests) never shares a turn.
 */
export const nextEventLoopTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiters.push(resolve);
    if (waiters.length === 1) {
      setImmediate(releaseNext);
    }
  });
