import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../median.ts';
import { cpuMicros } from './servers.ts';

/** Heartbeats of 100,000 screens, each once a minute. */
export const FLEET_PER_SECOND = 1_667;
/** Short, so that calls do not come in bursts. */
const TURN_MS = 1;

export interface PaceResult {
  calls: number;
  perSecond: number;
  medianMs: number;
  p99Ms: number;
}

/**
 * Makes calls at this rate, however long the answers take, until `maxWaiting` are unanswered: those are never made, and
 * are missing in `perSecond`. Times count from when a call was due.
 */
export function createPace(
  perSecond: number,
  call: () => Promise<void>,
  { maxWaiting }: { maxWaiting: number },
) {
  return {
    /** Resolves when all calls are answered; rejects if one failed. */
    async run(ms: number): Promise<PaceResult> {
      const times: number[] = [];
      const waiting = new Set<Promise<void>>();
      const failures: unknown[] = [];
      const startedMs = performance.now();
      let due = 0;
      const start = (dueMs: number) => {
        const answered = call()
          .then(() => void times.push(performance.now() - dueMs))
          .catch((error: unknown) => void failures.push(error))
          .finally(() => waiting.delete(answered));
        waiting.add(answered);
      };
      for (let nowMs = startedMs; nowMs < startedMs + ms; nowMs = performance.now()) {
        for (; due < ((nowMs - startedMs) / 1000) * perSecond; due++) {
          if (waiting.size < maxWaiting) {
            start(startedMs + (due / perSecond) * 1000);
          }
        }
        if (failures.length > 0) {
          break;
        }
        await sleep(TURN_MS);
      }
      const tookMs = performance.now() - startedMs;
      const answeredInTime = times.length;
      await Promise.all(waiting);
      if (failures.length > 0) {
        throw failures[0];
      }
      return {
        calls: times.length,
        perSecond: (answeredInTime / tookMs) * 1000,
        medianMs: median(times),
        p99Ms: times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN,
      };
    },
  };
}

/** CPU time of a process for each of the calls that are made at this rate for `ms`, in microseconds. */
export async function cpuMicrosAtPace(
  pid: number,
  { perSecond, ms }: { perSecond: number; ms: number },
  call: () => Promise<void>,
): Promise<number> {
  // Those of a second, so that a server that cannot keep up does not fill the memory of this process.
  const pace = createPace(perSecond, call, { maxWaiting: perSecond });
  const beganMicros = cpuMicros(pid);
  const { calls } = await pace.run(ms);
  return (cpuMicros(pid) - beganMicros) / calls;
}
