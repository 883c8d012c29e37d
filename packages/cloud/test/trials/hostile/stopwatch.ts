import { readFileSync } from 'node:fs';
import type { EventLoopDelay } from './event-loop-delay.ts';

/** A measured duration. */
export interface Timing {
  /** Milliseconds since 1970. */
  fromMs: number;
  toMs: number;
  /** Wall clock duration. */
  wallMs: number;
  /**
   * Without delays outside the cloud: event loop delay of this process, and time in which the cloud waited for a CPU.
   * On an idle machine this equals `wallMs`.
   */
  adjustedMs: number;
}

/** Starts a measurement; the returned function ends it. */
export type Stopwatch = () => () => Timing;

export function createStopwatch(deps: { eventLoopDelay: EventLoopDelay; cloudPid: number }): Stopwatch {
  const { eventLoopDelay, cloudPid } = deps;
  return () => {
    const [fromMs, startMs, waitedMs] = [Date.now(), performance.now(), cpuWaitMs(cloudPid)];
    return () => {
      const wallMs = performance.now() - startMs;
      // Both may be so at the same time: it counts once.
      const lostMs = Math.max(eventLoopDelay.longestSince(startMs), cpuWaitMs(cloudPid) - waitedMs);
      return { fromMs, toMs: Date.now(), wallMs, adjustedMs: Math.max(0, wallMs - lostMs) };
    };
  };
}

/** Milliseconds that the main thread of a process has waited for a CPU; 0 where this is not available (Linux only). */
export function cpuWaitMs(pid: number): number {
  try {
    const [, waitedNs] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waitedNs) / 1e6;
  } catch {
    return 0;
  }
}
