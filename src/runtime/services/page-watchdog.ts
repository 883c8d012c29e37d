import type { ServiceDeps } from '../base/service-deps.ts';

interface PageWatchdogDeps extends Pick<ServiceDeps, 'clock' | 'playerState' | 'log'> {
  onPageLost(): void;
}

const BEAT_TIMEOUT_MS = 15_000;
/** A browser takes long to start on a slow device. */
const OPENING_MS = 60_000;
const CHECK_INTERVAL_MS = 1_000;
/** Beats in time for so long show that the device is fast enough for the shortest timeouts. */
const STABLE_MS = 10 * 60_000;
const MAX_TIMEOUT_FACTOR = 4;

/**
 * The page sends a beat every second while it renders; a page that stops is replaced. Each loss soon after another, or after a
 * late beat, doubles the timeouts: an overloaded device would otherwise replace pages that are only slow, and never show a picture.
 * For the same reason, time in which this process did not run either does not count.
 */
export function createPageWatchdog(deps: PageWatchdogDeps) {
  const { clock, playerState, log } = deps;
  let timeoutFactor = 1;
  /** The last beat, and the last time that one was late or missing. */
  let beatMonoMs = clock.monoMs();
  let lateMonoMs = Number.NEGATIVE_INFINITY;
  let deadlineMonoMs = clock.monoMs() + OPENING_MS;
  const expectBeatWithin = (ms: number) => {
    deadlineMonoMs = clock.monoMs() + ms * timeoutFactor;
  };
  return {
    name: 'page-watchdog',
    onBeat() {
      const nowMonoMs = clock.monoMs();
      if (nowMonoMs - beatMonoMs > BEAT_TIMEOUT_MS) {
        lateMonoMs = nowMonoMs;
      } else if (nowMonoMs - lateMonoMs > STABLE_MS) {
        timeoutFactor = 1;
      }
      beatMonoMs = nowMonoMs;
      expectBeatWithin(BEAT_TIMEOUT_MS);
      playerState.clear('stage.lost');
    },
    /** A page is about to be opened and gets more time for its first beat. */
    onPageOpening: () => expectBeatWithin(OPENING_MS),
    async run(signal: AbortSignal) {
      while (!signal.aborted) {
        const dueMonoMs = clock.monoMs() + CHECK_INTERVAL_MS;
        await clock.sleep(CHECK_INTERVAL_MS, signal);
        deadlineMonoMs += Math.max(0, clock.monoMs() - dueMonoMs);
        if (signal.aborted || clock.monoMs() < deadlineMonoMs) {
          continue;
        }
        log.error({}, 'stage.lost');
        playerState.raise('stage.lost');
        if (clock.monoMs() - lateMonoMs <= STABLE_MS) {
          timeoutFactor = Math.min(timeoutFactor * 2, MAX_TIMEOUT_FACTOR);
        }
        lateMonoMs = clock.monoMs();
        expectBeatWithin(OPENING_MS);
        deps.onPageLost();
      }
    },
  };
}
