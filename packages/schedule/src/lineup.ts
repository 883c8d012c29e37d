import { dayOf } from './calendar.ts';
import type { CompiledRule } from './compile.ts';

/** The rules that reach one asker, with what was found out about the last days it asked for. */
export interface Lineup {
  /** The first active one wins. */
  readonly rules: readonly CompiledRule[];
  /** Whether the rule at an index opens a window on a day. */
  readonly opensOn: (day: number) => (index: number) => boolean;
}

/** Today, yesterday, and the day that was yesterday until midnight. */
const KEPT_DAYS = 3;

const YES = 1;
const NO = 2;

export function createLineup(rules: readonly CompiledRule[]): Lineup {
  let kept: { number: number; opens: (index: number) => boolean }[] = [];
  return {
    rules,
    opensOn(number) {
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
    },
  };
}
