import type { BareServer } from './servers.ts';

/** Of the measurement that finds out how long the server must compute. */
const TRIAL_PART = 0.25;

/**
 * CPU time of a request to a bare server that is as busy as ours, in microseconds: it also computes, for so long that it
 * takes as much for a request as ours, and that time is taken off again.
 *
 * A bare server at full speed keeps its client busy all the time. The client of a server that answers one request after
 * the other, more slowly, sleeps before each answer, and waking it takes the server some 10 µs; that depends on how fast a
 * server is, not on what it does for a request. Not for heartbeats: ours answers many of them at once, so that its client
 * does not sleep either.
 */
export async function measureAsBusy(
  server: BareServer,
  {
    ours,
    bare,
    ms,
    measure,
  }: { ours: number; bare: number; ms: number; measure: (ms: number) => Promise<number> },
): Promise<number> {
  let besides = Math.max(0, ours - bare);
  try {
    server.computeBesides(besides);
    besides = Math.max(0, besides + ours - (await measure(TRIAL_PART * ms)));
    server.computeBesides(besides);
    return (await measure(ms)) - besides;
  } finally {
    server.computeBesides(0);
  }
}
