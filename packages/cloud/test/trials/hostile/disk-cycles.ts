import { setTimeout as sleep } from 'node:timers/promises';
import type { Pressure } from './pressure.ts';
import type { SmallDisk } from './small-disk.ts';

/** A time in which the disk was full, milliseconds since 1970. */
export interface FullTime {
  fromMs: number;
  /** When there was room again. */
  toMs: number;
}

const TOP_UP_MS = 200;

/** Fills the disk to its last block and frees it again, until the signal; it is free at the end. */
export async function fillAgainAndAgain(
  disk: SmallDisk,
  pace: Pick<Pressure, 'diskFirstMs' | 'diskEveryMs' | 'diskFullMs'>,
  times: FullTime[],
  signal: AbortSignal,
): Promise<void> {
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
  for (let waitMs = pace.diskFirstMs; ; waitMs = pace.diskEveryMs - pace.diskFullMs) {
    await pause(waitMs);
    if (signal.aborted) return;
    const time = { fromMs: Date.now(), toMs: Infinity };
    times.push(time);
    const endMs = performance.now() + pace.diskFullMs;
    try {
      while (performance.now() < endMs && !signal.aborted) {
        await disk.fill();
        await pause(TOP_UP_MS);
      }
    } finally {
      await disk.free();
      time.toMs = Date.now();
    }
  }
}
