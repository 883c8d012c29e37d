import { readFileSync } from 'node:fs';
import type { OwnDelay } from './own-delay.ts';

/** How long something took. */
export interface Took {
  /** Milliseconds since 1970. */
  fromMs: number;
  toMs: number;
  /** By the clock of the wall. */
  wallMs: number;
  /**
   * Without what no cloud can help: when this process was late, or the cloud wanted a processor of this machine and
   * others had them all. On a machine that does nothing else this is the time of the wall.
   */
  ms: number;
}

/** Starts to measure; the answer ends it. */
export type Stopwatch = () => () => Took;

export function createStopwatch(deps: { ownDelay: OwnDelay; cloudPid: number }): Stopwatch {
  const { ownDelay, cloudPid } = deps;
  return () => {
    const [fromMs, startMs, waitedMs] = [Date.now(), performance.now(), waitedSoFar(cloudPid)];
    return () => {
      const wallMs = performance.now() - startMs;
      // Both may be so at the same time: it counts once.
      const lostMs = Math.max(ownDelay.since(startMs), waitedSoFar(cloudPid) - waitedMs);
      return { fromMs, toMs: Date.now(), wallMs, ms: Math.max(0, wallMs - lostMs) };
    };
  };
}

/** How long the main thread of a process has waited for a processor, milliseconds; 0 where no scheduler tells (Linux). */
export function waitedSoFar(pid: number): number {
  try {
    const [, waitedNs] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waitedNs) / 1e6;
  } catch {
    return 0;
  }
}
