import type { Clock } from '../domain/clock.ts';

const EVERY_MS = 5000;

/** Writes a line of progress, at most every five seconds. */
export function createProgress(clock: Pick<Clock, 'nowMs'>, report: (line: string) => void) {
  let nextMs = clock.nowMs() + EVERY_MS;
  return (line: () => string): void => {
    if (clock.nowMs() >= nextMs) {
      report(line());
      nextMs = clock.nowMs() + EVERY_MS;
    }
  };
}

export type Progress = ReturnType<typeof createProgress>;

/** `3 min 5 s`, `45 s`. */
export function describeDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
