import { MAX_END_DAY_OFFSET } from './compiled-rule.ts';
import { MINUTES_PER_DAY, MS_PER_DAY, MS_PER_MINUTE, dayFromNumber } from './calendar.ts';
import type { CompiledRule } from './compiled-rule.ts';

/** The rules that target one device, with cached results for the days and the time of the last evaluation. */
export interface ResolvedRules {
  /** In precedence order: the first active one wins. */
  readonly rules: readonly CompiledRule[];
  /** The windows of the rules at a wall time. */
  readonly windowsAt: (localMs: number) => RuleWindows;
  /** The interval found last: most evaluations fall into it again. */
  latestInterval: ActiveInterval | null;
}

export interface RuleWindows {
  /** Day number. */
  readonly day: number;
  /** Minutes after midnight, with fractions. */
  readonly minute: number;
  /** Whether the rule at an index opens a window today. */
  readonly opensToday: (index: number) => boolean;
  /** The last day on which the rule at an index opened a window that is open now, or null. */
  readonly openedOn: (index: number) => number | null;
}

/** A stretch of time, ms since 1970, in which one rule wins, or none. */
export interface ActiveInterval {
  readonly winner: CompiledRule | null;
  readonly fromMs: number;
  readonly untilMs: number;
  /** Whether the winner changes at its end. If not, the search has not gone further yet. */
  readonly isEndKnown: boolean;
}

/** Today and the days on which a window that is still open may have opened, in two zones. */
const MAX_CACHED_DAYS = 16;

const OPENS = 1;
const DOES_NOT_OPEN = 2;

export function resolveRules(rules: readonly CompiledRule[]): ResolvedRules {
  const opensByDay = new Map<number, (index: number) => boolean>();

  function opensOn(number: number): (index: number) => boolean {
    const cached = opensByDay.get(number);
    if (cached) {
      return cached;
    }
    if (opensByDay.size >= MAX_CACHED_DAYS) {
      for (const other of opensByDay.keys()) {
        if (Math.abs(other - number) > MAX_END_DAY_OFFSET) {
          opensByDay.delete(other);
        }
      }
    }
    const day = dayFromNumber(number);
    const opensByRule = new Uint8Array(rules.length);
    const opens = (index: number) => {
      if (opensByRule[index] === 0) {
        opensByRule[index] = rules[index]!.days.has(day) ? OPENS : DOES_NOT_OPEN;
      }
      return opensByRule[index] === OPENS;
    };
    opensByDay.set(number, opens);
    return opens;
  }

  return {
    rules,
    latestInterval: null,
    windowsAt(localMs) {
      const day = Math.floor(localMs / MS_PER_DAY);
      const minute = localMs / MS_PER_MINUTE - day * MINUTES_PER_DAY;
      const opensToday = opensOn(day);
      const openedYesterday = opensOn(day - 1);
      return {
        day,
        minute,
        opensToday,
        openedOn(index) {
          const { start, end } = rules[index]!;
          if (minute >= start && minute < end && opensToday(index)) {
            return day;
          }
          if (minute + MINUTES_PER_DAY < end && openedYesterday(index)) {
            return day - 1;
          }
          for (let before = 2; minute + before * MINUTES_PER_DAY < end; before++) {
            if (opensOn(day - before)(index)) {
              return day - before;
            }
          }
          return null;
        },
      };
    },
  };
}
