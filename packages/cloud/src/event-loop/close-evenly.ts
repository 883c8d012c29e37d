import { setTimeout as sleep } from 'node:timers/promises';

const STEP_MS = 50;

/** Closes what is open now evenly over `ms`, so that not all clients move to other nodes at once. */
export async function closeEvenly<T>(
  open: Iterable<T>,
  close: (each: T) => void,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  const waiting = [...open];
  const total = waiting.length;
  const beganMs = performance.now();
  for (;;) {
    const due = ((performance.now() - beganMs) / ms) * total;
    while (waiting.length > 0 && total - waiting.length < due) {
      close(waiting.pop()!);
    }
    // A load balancer needs the time as well when nothing is open.
    if (signal.aborted || performance.now() - beganMs >= ms) {
      return;
    }
    await sleep(Math.min(STEP_MS, ms), null, { signal }).catch(() => {});
  }
}
