import { openingDays } from '../../src/opening-days.ts';
import { createTimeZone } from '../../src/time-zone.ts';

const utc = createTimeZone('UTC');

/** The days of an rrule in `[anchor, to]` according to the engine, for windows that open at noon UTC. */
export function daysByEngine(rrule: string, anchor: number, to: number): number[] {
  const starts_on = new Date(anchor * 86_400_000).toISOString().slice(0, 10);
  const set = openingDays({ days: null, rrule, starts_on, ends_on: null, created_at: '' }, 720, utc);
  if (typeof set === 'string') {
    throw new Error(`${rrule}: ${set}`);
  }
  const days: number[] = [];
  for (let day = set.next(anchor, to); day !== null; day = set.next(day + 1, to)) {
    days.push(day);
  }
  return days;
}
