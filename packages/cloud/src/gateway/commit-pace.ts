import { setImmediate, setTimeout } from 'node:timers/promises';

/**
 * Batches begin at least this far apart. A commit waits for the disk, and takes as much of the processor as ten heartbeats;
 * without a pause, 1,700 heartbeats per second would be nearly as many commits.
 */
const MIN_INTERVAL_MS = 5;

/**
 * Returns a function to await before each batch: it resolves after the other requests of this turn of the event loop, and
 * unless a full batch is waiting, not too soon after the batch before.
 */
export function createCommitPace(): (isFull: boolean) => Promise<void> {
  let beganMs = -Infinity;
  return async (isFull) => {
    const pauseMs = isFull ? 0 : beganMs + MIN_INTERVAL_MS - performance.now();
    await (pauseMs > 0 ? setTimeout(pauseMs) : setImmediate());
    beganMs = performance.now();
  };
}
