import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadProfile } from './load-profile.ts';
import type { SmallDisk } from './small-disk.ts';

/** A period in which the disk was full, in milliseconds since 1970. */
export interface FullDiskPeriod {
  fromMs: number;
  /** When space was free again. */
  toMs: number;
}

const REFILL_INTERVAL_MS = 200;

/** Fills the disk completely and frees it again, until the signal aborts; it is free at the end. */
export async function fillRepeatedly(
  disk: SmallDisk,
  timing: Pick<LoadProfile, 'diskFirstMs' | 'diskEveryMs' | 'diskFullMs'>,
  periods: FullDiskPeriod[],
  signal: AbortSignal,
): Promise<void> {
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
  for (let waitMs = timing.diskFirstMs; ; waitMs = timing.diskEveryMs - timing.diskFullMs) {
    await pause(waitMs);
    if (signal.aborted) {
      return;
    }
    const period = { fromMs: Date.now(), toMs: Infinity };
    periods.push(period);
    const endMs = performance.now() + timing.diskFullMs;
    try {
      while (performance.now() < endMs && !signal.aborted) {
        await disk.fill();
        await pause(REFILL_INTERVAL_MS);
      }
    } finally {
      await disk.free();
      period.toMs = Date.now();
    }
  }
}
