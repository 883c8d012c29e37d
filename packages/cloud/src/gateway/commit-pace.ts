import { setImmediate, setTimeout } from 'node:timers/promises';

/**
 * Returns a function to await before each batch: it resolves after the other requests of this turn of the event loop, and
 * unless a full batch is waiting, at least `minIntervalMs` after the batch before began. A batch waits for the disk, and
 * takes as much of the processor as ten heartbeats; without a pause, 1,700 heartbeats per second would be nearly as many
 * commits.
 */
export function createCommitPace(minIntervalMs: number): (isFull: boolean) => Promise<void> {
  let beganMs = -Infinity;
  return async (isFull) => {
    const pauseMs = isFull ? 0 : beganMs + minIntervalMs - performance.now();
    await (pauseMs > 0 ? setTimeout(pauseMs) : setImmediate());
    beganMs = performance.now();
  };
}
