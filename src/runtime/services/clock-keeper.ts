import type { Clock, Log, Store } from '../../core/ports.ts';
import type { Service } from '../supervisor.ts';

const EVERY_MS = 10_000;

/**
 * Keeps the last good time on disk: a box without a clock battery starts from it, and a play that a power cut
 * ended is closed at it.
 */
export function createClockKeeper(deps: { clock: Clock; store: Store; log: Log }): Service {
  const { clock, store, log } = deps;
  let failing = false;
  return {
    name: 'clock-keeper',
    async run(signal) {
      while (!signal.aborted) {
        try {
          store.saveLastGoodTime(clock.wall());
          failing = false;
        } catch (error) {
          if (!failing) log.warn({ error: String(error) }, 'clock.not_kept');
          failing = true;
        }
        await clock.sleep(EVERY_MS, signal);
      }
    },
  };
}
