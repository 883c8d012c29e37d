import { readFileSync, rmSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Clock } from '../domain/clock.ts';
import { messageOf } from '../domain/error-facts.ts';
import { createRateLimiter } from '../domain/rate-window.ts';
import type { Counted, RateLimiter } from '../domain/rate-window.ts';

const kept = z.record(z.string(), z.record(z.string().regex(/^\d+ /), z.array(z.number()).max(100_000)));
/** More than this is not kept: counts of a minute are not worth a slow disk. */
const MOST_BYTES = 4_000_000;

/** Rate limiters whose counts outlive a restart, in a small file. */
export interface KeptLimits {
  /** One limiter per name. Callers that `isKept` says no to start anew with the process. */
  limiter(name: string, windowMs: number, isKept?: (caller: string) => boolean): RateLimiter;
  /** Writes what is counted; a disk that does not take it is told, and counting goes on. */
  write: () => Promise<void>;
}

export interface KeptLimitsDeps {
  file: string;
  clock: Pick<Clock, 'nowMs'>;
  log: Logger;
}

export function createKeptLimits({ file, clock, log }: KeptLimitsDeps): KeptLimits {
  const before = readCounts(file);
  const limiters = new Map<string, { limiter: RateLimiter; isKept: (caller: string) => boolean }>();
  let written = '{}';

  const countsNow = (): Record<string, Counted> =>
    Object.fromEntries(
      [...limiters].map(([name, { limiter, isKept }]) => [name, limiter.counted(clock.nowMs(), isKept)]),
    );

  return {
    limiter(name, windowMs, isKept = () => true) {
      const limiter = createRateLimiter(windowMs, undefined, before[name]);
      limiters.set(name, { limiter, isKept });
      return limiter;
    },
    async write() {
      const text = JSON.stringify(countsNow());
      if (text === written || text.length > MOST_BYTES) return;
      try {
        await writeFile(`${file}.new`, text, { mode: 0o600 });
        await rename(`${file}.new`, file);
        written = text;
      } catch (error) {
        log.info({ event: 'limits.not_kept', reason: messageOf(error) });
      }
    },
  };
}

/** Nothing when there is no file, or one that a crash has spoilt. */
function readCounts(file: string): Record<string, Counted> {
  try {
    // Half written when a crash ended the process before.
    rmSync(`${file}.new`, { force: true });
    return kept.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}
