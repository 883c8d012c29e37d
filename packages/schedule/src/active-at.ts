import { MINUTES_PER_DAY, MS_PER_DAY, MS_PER_MINUTE, dayOf } from './calendar.ts';
import { candidatesOf } from './candidates.ts';
import type { CompiledRule, CompiledSchedules } from './compile.ts';
import type { Lineup, Reign } from './lineup.ts';
import type { Asker } from './reach.ts';
import type { ActiveAnswer, Candidate } from './types.ts';
import type { Zone } from './zone.ts';

/** How far ahead the next change is looked for. */
const HORIZON_MS = 366 * MS_PER_DAY;

/**
 * What a screen shows at an instant, why, and until when. Candidates are worked out when they are first read.
 *
 * @param atMs ms since 1970
 * @throws RangeError when `atMs` is not an instant that the runtime's calendar knows
 */
export function activeAt(compiled: CompiledSchedules, asker: Asker, atMs: number): ActiveAnswer {
  const lineup = compiled.lineupFor(asker);
  const { winner, untilMs, ends } = reignAt(compiled.zone, lineup, atMs);
  const playlistId = winner ? winner.rule.playlist_id : asker.base_playlist_id;
  let candidates: Candidate[] | undefined;
  return {
    source: winner ? 'schedule' : playlistId === null ? 'none' : 'deployment',
    schedule: winner ? { id: winner.schedule.id, name: winner.schedule.name } : null,
    rule: winner ? winner.rule : null,
    playlist_id: playlistId,
    until: ends && untilMs <= atMs + HORIZON_MS ? untilMs : null,
    get candidates() {
      return (candidates ??= candidatesOf(compiled, asker, compiled.zone.wallAt(atMs)));
    },
  };
}

/**
 * The reign at an instant, followed to its end or beyond the horizon.
 *
 * Whether a rule is active depends on the wall clock alone. Between two changes of the clock, wall time and time run
 * alike, so the end is looked for on the wall; at a change of the clock the winner is simply asked for again.
 */
function reignAt(zone: Zone, lineup: Lineup, atMs: number): Reign {
  const { latest } = lineup;
  let reign =
    latest && atMs >= latest.fromMs && atMs < latest.untilMs ? latest : reignOnOneClock(zone, lineup, atMs);
  while (!reign.ends && reign.untilMs <= atMs + HORIZON_MS) {
    const next = reignOnOneClock(zone, lineup, reign.untilMs);
    reign = next.winner === reign.winner ? { ...next, fromMs: reign.fromMs } : { ...reign, ends: true };
  }
  return (lineup.latest = reign);
}

/** The reign at an instant, up to its end or to the next change of the clock. */
function reignOnOneClock(zone: Zone, lineup: Lineup, fromMs: number): Reign {
  const { offsetMs, untilMs } = zone.spanAt(fromMs);
  const { winner, change } = look(lineup, fromMs + offsetMs, (untilMs + offsetMs) / MS_PER_MINUTE);
  const changeMs = change * MS_PER_MINUTE - offsetMs;
  return { winner, fromMs, untilMs: changeMs, ends: changeMs < untilMs };
}

/** Who wins at a wall time, and when somebody else does or `bound` is reached; in minutes of wall time since 1970. */
function look({ rules, at }: Lineup, wallMs: number, bound: number) {
  const { day, minute, opensToday, openSince } = at(wallMs);
  const midnight = day * MINUTES_PER_DAY;
  let winner: CompiledRule | null = null;
  // Until then the winner is known to stay.
  let change = bound;
  let above = 0;
  for (; above < rules.length; above++) {
    const rule = rules[above]!;
    const opened = openSince(above);
    if (opened !== null) {
      winner = rule;
      change = Math.min(change, closing(rule, opened, change));
      break;
    }
    if (rule.start > minute && midnight + rule.start < change && opensToday(above))
      change = midnight + rule.start;
  }
  // Whatever opens above the winner takes over; today's openings are known.
  for (let index = 0; index < above; index++) {
    const lastDay = Math.ceil(change / MINUTES_PER_DAY) - 1;
    if (lastDay <= day) break;
    const { days, start } = rules[index]!;
    const opening = days.next(day + 1, lastDay);
    if (opening !== null) change = Math.min(change, opening * MINUTES_PER_DAY + start);
  }
  return { winner, change };
}

/** When a window that opened on a day closes. Windows of 24 hours on consecutive days are one; `bound` is far enough. */
function closing(rule: CompiledRule, opening: number, bound: number): number {
  let day = opening;
  if (rule.end - rule.start === MINUTES_PER_DAY) {
    while (day * MINUTES_PER_DAY + rule.end < bound && rule.days.has(dayOf(day + 1))) day++;
  }
  return day * MINUTES_PER_DAY + rule.end;
}
