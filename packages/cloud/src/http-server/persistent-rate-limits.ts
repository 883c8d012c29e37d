import { readFileSync, rmSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Clock } from '../domain/clock.ts';
import { errorMessage } from '../domain/error-details.ts';
import { createRateLimiter } from '../domain/rate-limiter.ts';
import type { MemoryRateLimiter, RateLimitCounts } from '../domain/rate-limiter.ts';

const countsSchema = z.record(
  z.string(),
  z.record(z.string().regex(/^\d+ /), z.array(z.number()).max(100_000)),
);
/** A larger file is not written: short-lived counts are not worth slow disk writes. */
const MAX_FILE_BYTES = 4_000_000;

export interface PersistentRateLimitsDeps {
  file: string;
  clock: Pick<Clock, 'nowMs'>;
  log: Logger;
}

/** Rate limiters whose counts survive a restart, in a small file. */
export function createPersistentRateLimits({ file, clock, log }: PersistentRateLimitsDeps) {
  const savedCounts = readCounts(file);
  const limiters = new Map<string, MemoryRateLimiter>();
  let lastSaved = '{}';

  const countsNow = (): Record<string, RateLimitCounts> =>
    Object.fromEntries([...limiters].map(([name, limiter]) => [name, limiter.exportCounts(clock.nowMs())]));

  return {
    /** One limiter per name. */
    createLimiter(name: string, windowMs: number): MemoryRateLimiter {
      const limiter = createRateLimiter(windowMs, undefined, savedCounts[name]);
      limiters.set(name, limiter);
      return limiter;
    },
    /** Writes the counts. A write error is logged and counting continues. */
    save: async (): Promise<void> => {
      const text = JSON.stringify(countsNow());
      if (text === lastSaved || text.length > MAX_FILE_BYTES) {
        return;
      }
      try {
        await writeFile(`${file}.new`, text, { mode: 0o600 });
        await rename(`${file}.new`, file);
        lastSaved = text;
      } catch (error) {
        log.info({ reason: errorMessage(error) }, 'limits.save_failed');
      }
    },
  };
}

/** Empty when the file is missing or damaged. */
function readCounts(file: string): Record<string, RateLimitCounts> {
  try {
    // Left over when the process crashed while writing.
    rmSync(`${file}.new`, { force: true });
    return countsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}
