import { DAY_CODES } from '../i18n/weekdays.ts';
import type { DraftRule } from './schedule-draft.ts';

export const DAY_MINUTES = 1440;
/** What is drawn begins and ends on a multiple of this. */
export const STEP = 15;
const MAX_LENGTH = 6 * DAY_MINUTES;

type Times = Pick<DraftRule, 'start_time' | 'end_time' | 'end_day_offset'>;

/** Minutes since midnight of `HH:MM`. */
export const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** `HH:MM` of 0 to 1440 minutes. */
export const timeOf = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** Minutes from the opening of a window until its end. */
export function lengthOf({ start_time, end_time, end_day_offset }: Times): number {
  const length = minutesOf(end_time) - minutesOf(start_time);
  return end_day_offset > 0 || length > 0 ? length + end_day_offset * DAY_MINUTES : length + DAY_MINUTES;
}

/** The times of a window that opens `start` minutes after midnight and is `length` minutes long. */
export function timesFor(start: number, length: number): Times {
  const end = start + length;
  if (end <= DAY_MINUTES || length <= DAY_MINUTES) {
    return {
      start_time: timeOf(start),
      end_time: timeOf(end <= DAY_MINUTES ? end : end - DAY_MINUTES),
      end_day_offset: 0,
    };
  }
  const days = Math.ceil(end / DAY_MINUTES) - 1;
  return { start_time: timeOf(start), end_time: timeOf(end - days * DAY_MINUTES), end_day_offset: days };
}

const clamp = (value: number, min: number, max: number): number => Math.min(Math.max(value, min), max);

/** The rule some minutes later, and some days later where it has weekdays. Recurrences keep their days. */
export function moveRule<R extends DraftRule>(rule: R, days: number, minutes: number): R {
  const start = clamp(minutesOf(rule.start_time) + minutes, 0, DAY_MINUTES - STEP);
  const moved = rule.days?.map((day) => DAY_CODES[(((DAY_CODES.indexOf(day) + days) % 7) + 7) % 7] ?? day);
  return {
    ...rule,
    ...timesFor(start, lengthOf(rule)),
    days: moved ? DAY_CODES.filter((day) => moved.includes(day)) : null,
  };
}

/** The rule with its beginning or its end moved by some minutes. */
export function resizeRule<R extends DraftRule>(rule: R, edge: 'start' | 'end', minutes: number): R {
  const start = minutesOf(rule.start_time);
  const length = lengthOf(rule);
  if (edge === 'end') {
    return { ...rule, ...timesFor(start, clamp(length + minutes, STEP, MAX_LENGTH)) };
  }
  const moved = clamp(start + minutes, 0, Math.min(DAY_MINUTES - STEP, start + length - STEP));
  return { ...rule, ...timesFor(moved, Math.min(length + start - moved, MAX_LENGTH)) };
}

/** Where a pointer is in the week: a day from 0, and minutes of it. */
export interface GridPoint {
  day: number;
  minute: number;
}

/** The point of the grid below a pointer; `x` and `y` are parts of its width and height from 0 to 1. */
export const pointAt = (x: number, y: number): GridPoint => ({
  day: clamp(Math.floor(x * 7), 0, 6),
  minute: clamp(Math.round((y * DAY_MINUTES) / STEP) * STEP, 0, DAY_MINUTES),
});

/** The rule with the window that is drawn from one point to another, in either direction. */
export function drawRule<R extends DraftRule>(rule: R, from: GridPoint, to: GridPoint): R {
  const a = from.day * DAY_MINUTES + from.minute;
  const b = to.day * DAY_MINUTES + to.minute;
  const first = clamp(Math.min(a, b), 0, 7 * DAY_MINUTES - STEP);
  const length = clamp(Math.abs(b - a), STEP, MAX_LENGTH);
  return {
    ...rule,
    ...timesFor(first % DAY_MINUTES, length),
    days: [DAY_CODES[Math.floor(first / DAY_MINUTES)] ?? 'MON'],
    rrule: null,
  };
}

/** Puts what overlaps side by side: each gets a column from 0, and the number of columns where it is. */
export function sideBySide<T extends { from: number; to: number }>(
  blocks: readonly T[],
): (T & { column: number; columns: number })[] {
  const placed: (T & { column: number; columns: number })[] = [];
  let group: typeof placed = [];
  let groupEnd = -1;
  const close = () => {
    const columns = Math.max(0, ...group.map(({ column }) => column + 1));
    placed.push(...group.map((block) => ({ ...block, columns })));
    group = [];
  };
  for (const block of blocks.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (block.from >= groupEnd) {
      close();
    }
    let column = 0;
    while (group.some((other) => other.column === column && other.to > block.from)) {
      column += 1;
    }
    group.push({ ...block, column, columns: 1 });
    groupEnd = Math.max(groupEnd, block.to);
  }
  close();
  return placed;
}
