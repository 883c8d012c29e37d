import type { ServiceDeps } from '../base/service-deps.ts';
import type { Service } from '../base/supervisor.ts';

const EVERY_MS = 10_000;

/**
 * Saves the time to disk at intervals: a device without a clock battery starts from it, and a play interrupted by a
 * power cut is ended at it.
 */
export function createLastGoodTimeWriter({
  clock,
  database,
  log,
}: Pick<ServiceDeps, 'clock' | 'database' | 'log'>): Service {
  let failing = false;
  return {
    name: 'last-good-time',
    async run(signal) {
      while (!signal.aborted) {
        try {
          database.saveLastGoodTime(clock.wallMs());
          failing = false;
        } catch (error) {
          if (!failing) {
            log.warn({ error: String(error) }, 'clock.save_failed');
          }
          failing = true;
        }
        await clock.sleep(EVERY_MS, signal);
      }
    },
  };
}
