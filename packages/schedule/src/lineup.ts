import { MINUTES_PER_DAY, MS_PER_DAY, MS_PER_MINUTE, dayOf } from './calendar.ts';
import type { CompiledRule } from './compile.ts';

/** The rules that reach one asker, with what was found out about the days and the time it asked for last. */
export interface Lineup {
  /** The first active one wins. */
  readonly rules: readonly CompiledRule[];
  /** What a reading of the wall clock means for the rules. */
  readonly at: (wallMs: number) => Reading;
  /** The reign found last: most questions are about it once more. */
  latest: Reign | null;
}

export interface Reading {
  /** Day number. */
  readonly day: number;
  /** Minutes after midnight, with fractions. */
  readonly minute: number;
  /** Whether the rule at an index opens a window today. */
  readonly opensToday: (index: number) => boolean;
  /** The day on which the rule at an index opened the window that is open now, or null. */
  readonly openSince: (index: number) => number | null;
}

/** A stretch of time, ms since 1970, in which one rule wins, or none. */
export interface Reign {
  readonly winner: CompiledRule | null;
  readonly fromMs: number;
  readonly untilMs: number;
  /** Whether somebody else wins at its end. If not, nobody has looked any further yet. */
  readonly ends: boolean;
}

/** Today, yesterday, and the day that was yesterday until midnight. */
const KEPT_DAYS = 3;

const YES = 1;
const NO = 2;

export function createLineup(rules: readonly CompiledRule[]): Lineup {
  let kept: { number: number; opens: (index: number) => boolean }[] = [];

  function opensOn(number: number): (index: number) => boolean {
    const known = kept.find((each) => each.number === number);
    if (known) return known.opens;
    const day = dayOf(number);
    const answers = new Uint8Array(rules.length);
    const opens = (index: number) => {
      if (answers[index] === 0) answers[index] = rules[index]!.days.has(day) ? YES : NO;
      return answers[index] === YES;
    };
    kept = [{ number, opens }, ...kept.slice(0, KEPT_DAYS - 1)];
    return opens;
  }

  return {
    rules,
    latest: null,
    at(wallMs) {
      const day = Math.floor(wallMs / MS_PER_DAY);
      const minute = wallMs / MS_PER_MINUTE - day * MINUTES_PER_DAY;
      const opensToday = opensOn(day);
      const openedYesterday = opensOn(day - 1);
      return {
        day,
        minute,
        opensToday,
        openSince(index) {
          const { start, end } = rules[index]!;
          if (minute >= start && minute < end && opensToday(index)) return day;
          if (minute + MINUTES_PER_DAY < end && openedYesterday(index)) return day - 1;
          return null;
        },
      };
    },
  };
}
