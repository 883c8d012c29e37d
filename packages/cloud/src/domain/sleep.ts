import type { Clock } from './clock.ts';

/** Resolves after this time, or when the signal is aborted. */
export const sleep = (clock: Pick<Clock, 'setTimer'>, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.setTimer(ms, end);
    signal.addEventListener('abort', end);
    if (signal.aborted) {
      end();
    }
  });
