import { MINUTES_PER_DAY, MS_PER_DAY, MS_PER_MINUTE, dayOf } from './calendar.ts';
import { candidatesOf } from './candidates.ts';
import type { CompiledRule, CompiledSchedules } from './compile.ts';
import type { Lineup } from './lineup.ts';
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
  const wallMs = compiled.zone.wallAt(atMs);
  const { winner, until } = follow(compiled.zone, lineup, atMs);
  const playlistId = winner ? winner.rule.playlist_id : asker.base_playlist_id;
  let candidates: Candidate[] | undefined;
  return {
    source: winner ? 'schedule' : playlistId === null ? 'none' : 'deployment',
    schedule: winner ? { id: winner.schedule.id, name: winner.schedule.name } : null,
    rule: winner ? winner.rule : null,
    playlist_id: playlistId,
    until,
    get candidates() {
      return (candidates ??= candidatesOf(compiled, asker, wallMs));
    },
  };
}

/**
 * Whether a rule is active depends on the wall clock alone. Between two changes of the clock, wall time and time run
 * alike, so the next change is looked for on the wall; at a change of the clock the winner is simply asked for again.
 */
function follow(zone: Zone, lineup: Lineup, atMs: number) {
  const horizonMs = atMs + HORIZON_MS;
  let span = zone.spanAt(atMs);
  const { winner, changeMs } = look(lineup, atMs + span.offsetMs, span.untilMs + span.offsetMs);
  let until = changeMs === null ? null : changeMs - span.offsetMs;
  while (until === null && span.untilMs <= horizonMs) {
    const fromMs = span.untilMs;
    span = zone.spanAt(fromMs);
    const next = look(lineup, fromMs + span.offsetMs, span.untilMs + span.offsetMs);
    if (next.winner !== winner) until = fromMs;
    else if (next.changeMs !== null) until = next.changeMs - span.offsetMs;
  }
  return { winner, until: until !== null && until <= horizonMs ? until : null };
}

/** Who wins at a wall time, and the first wall time before `boundMs` at which somebody else does, or null. */
function look({ rules, opensOn }: Lineup, wallMs: number, boundMs: number) {
  const number = Math.floor(wallMs / MS_PER_DAY);
  const midnight = number * MINUTES_PER_DAY;
  const minute = wallMs / MS_PER_MINUTE - midnight;
  const opensToday = opensOn(number);
  const openedYesterday = opensOn(number - 1);
  let winner: CompiledRule | null = null;
  // From here on in minutes of wall time since 1970. Until then the winner is known to stay.
  let change = boundMs / MS_PER_MINUTE;
  let above = 0;
  for (; above < rules.length; above++) {
    const rule = rules[above]!;
    if (minute >= rule.start && minute < rule.end && opensToday(above)) {
      winner = rule;
      change = Math.min(change, closing(rule, number, change));
      break;
    }
    if (minute + MINUTES_PER_DAY < rule.end && openedYesterday(above)) {
      winner = rule;
      change = Math.min(change, closing(rule, number - 1, change));
      break;
    }
    if (rule.start > minute && midnight + rule.start < change && opensToday(above))
      change = midnight + rule.start;
  }
  // Whatever opens above the winner takes over; today's openings are known.
  for (let index = 0; index < above; index++) {
    const lastDay = Math.ceil(change / MINUTES_PER_DAY) - 1;
    if (lastDay <= number) break;
    const { days, start } = rules[index]!;
    const opening = days.next(number + 1, lastDay);
    if (opening !== null) change = Math.min(change, opening * MINUTES_PER_DAY + start);
  }
  const changeMs = change * MS_PER_MINUTE;
  return { winner, changeMs: changeMs < boundMs ? changeMs : null };
}

/** When a window that opened on a day closes. Windows of 24 hours on consecutive days are one; `bound` is far enough. */
function closing(rule: CompiledRule, opening: number, bound: number): number {
  let day = opening;
  if (rule.end - rule.start === MINUTES_PER_DAY) {
    while (day * MINUTES_PER_DAY + rule.end < bound && rule.days.has(dayOf(day + 1))) day++;
  }
  return day * MINUTES_PER_DAY + rule.end;
}
