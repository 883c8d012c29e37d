import { DAY_MS, HOUR_MS } from './durations.ts';

const twoDigits = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));
const threeDigits = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'));
let lastDay = Number.NaN;
let dateOfLastDay = '';

/**
 * The same as `toISOString`, which takes 0.5 µs: a list of 100 devices has 300 timestamps. Times of one day are 15 times as
 * fast.
 */
export function toIso(ms: number): string {
  const day = Math.floor(Math.trunc(ms) / DAY_MS);
  if (day !== lastDay) {
    dateOfLastDay = new Date(day * DAY_MS).toISOString().slice(0, -13);
    lastDay = day;
  }
  const restMs = Math.trunc(ms) - day * DAY_MS;
  const hours = twoDigits[Math.floor(restMs / HOUR_MS)];
  const minutes = twoDigits[Math.floor(restMs / 60_000) % 60];
  const seconds = twoDigits[Math.floor(restMs / 1000) % 60];
  return `${dateOfLastDay}${hours}:${minutes}:${seconds}.${threeDigits[restMs % 1000]}Z`;
}

export const toIsoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms));
