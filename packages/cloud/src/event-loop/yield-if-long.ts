import { setImmediate } from 'node:timers/promises';

/** Longer work yields to the event loop, unless its turns are to be shorter. */
const MAX_TURN_MS = 5;

/** Returns a function to await often within long work: it yields to the event loop if the turn has been long. */
export function createYieldIfLong(maxTurnMs = MAX_TURN_MS): () => Promise<void> {
  let turnStartMs = performance.now();
  return async () => {
    if (performance.now() - turnStartMs < maxTurnMs) {
      return;
    }
    await setImmediate();
    turnStartMs = performance.now();
  };
}
