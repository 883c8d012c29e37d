import { setImmediate } from 'node:timers/promises';

/** Longer work yields to the event loop. */
const MAX_TURN_MS = 5;

/** Returns a function to await often within long work: it yields to the event loop if the turn has been long. */
export function createYieldIfLong(): () => Promise<void> {
  let turnStartMs = performance.now();
  return async () => {
    if (performance.now() - turnStartMs < MAX_TURN_MS) {
      return;
    }
    await setImmediate();
    turnStartMs = performance.now();
  };
}
