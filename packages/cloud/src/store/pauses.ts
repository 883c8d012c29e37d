import { setImmediate } from 'node:timers/promises';

/** Work that is longer than this lets others have their turn in between. */
const LONGEST_TURN_MS = 15;

/** To be awaited often within long work: it waits for the event loop when the turn has been long. */
export function createPauses(): () => Promise<void> {
  let begunMs = performance.now();
  return async () => {
    if (performance.now() - begunMs < LONGEST_TURN_MS) return;
    await setImmediate();
    begunMs = performance.now();
  };
}
