import { MINUTES_PER_DAY, MS_PER_DAY, MS_PER_MINUTE, dayFromNumber } from './calendar.ts';
import { listCandidates } from './candidates.ts';
import type { CompiledSchedules } from './compile.ts';
import type { CompiledRule } from './compiled-rule.ts';
import type { ResolvedRules, ActiveInterval } from './resolved-rules.ts';
import type { TargetedDevice } from './targeting.ts';
import type { ScheduleEvaluation, Candidate } from './types.ts';
import type { TimeZone } from './time-zone.ts';

/** How far ahead the next change is searched. */
const HORIZON_MS = 366 * MS_PER_DAY;

/**
 * What a device shows at an instant, why, and until when. Candidates are computed when they are first read.
 *
 * @param atMs ms since 1970
 * @throws RangeError when `atMs` is out of the range of `Date`
 */
export function evaluateSchedules(
  compiled: CompiledSchedules,
  device: TargetedDevice,
  atMs: number,
): ScheduleEvaluation {
  const resolvedRules = compiled.resolveFor(device);
  const { winner, untilMs, isEndKnown } = activeIntervalAt(compiled.zone, resolvedRules, atMs);
  const playlistId = winner ? winner.rule.playlist_id : device.base_playlist_id;
  let candidates: Candidate[] | undefined;
  return {
    source: winner ? 'schedule' : playlistId === null ? 'none' : 'deployment',
    schedule: winner ? { id: winner.schedule.id, name: winner.schedule.name } : null,
    rule: winner ? winner.rule : null,
    playlist_id: playlistId,
    until: isEndKnown && untilMs <= atMs + HORIZON_MS ? untilMs : null,
    get candidates() {
      return (candidates ??= listCandidates(compiled, device, compiled.zone.localTimeAt(atMs)));
    },
  };
}

/**
 * The active interval at an instant, up to its end or beyond the horizon.
 *
 * Whether a rule is active depends on the wall clock alone. While the offset stays the same, wall time and time run in
 * step, so the end is searched in wall time; at each offset change the winner is determined again.
 */
function activeIntervalAt(zone: TimeZone, resolvedRules: ResolvedRules, atMs: number): ActiveInterval {
  const { latestInterval } = resolvedRules;
  let interval =
    latestInterval && atMs >= latestInterval.fromMs && atMs < latestInterval.untilMs
      ? latestInterval
      : activeIntervalWithinOffset(zone, resolvedRules, atMs);
  while (!interval.isEndKnown && interval.untilMs <= atMs + HORIZON_MS) {
    const next = activeIntervalWithinOffset(zone, resolvedRules, interval.untilMs);
    interval =
      next.winner === interval.winner
        ? { ...next, fromMs: interval.fromMs }
        : { ...interval, isEndKnown: true };
  }
  return (resolvedRules.latestInterval = interval);
}

/** The active interval at an instant, up to its end or to the next offset change. */
function activeIntervalWithinOffset(
  zone: TimeZone,
  resolvedRules: ResolvedRules,
  fromMs: number,
): ActiveInterval {
  const { offsetMs, untilMs } = zone.spanAt(fromMs);
  const { winner, changeMinute } = findWinner(
    resolvedRules,
    fromMs + offsetMs,
    (untilMs + offsetMs) / MS_PER_MINUTE,
  );
  const changeMs = changeMinute * MS_PER_MINUTE - offsetMs;
  return { winner, fromMs, untilMs: changeMs, isEndKnown: changeMs < untilMs };
}

/** The winner at a wall time and when it changes, `limitMinute` at the latest; in minutes of wall time since 1970. */
function findWinner({ rules, windowsAt }: ResolvedRules, localMs: number, limitMinute: number) {
  const { day, minute, opensToday, openedOn } = windowsAt(localMs);
  const midnightMinute = day * MINUTES_PER_DAY;
  let winner: CompiledRule | null = null;
  // The winner stays at least until then.
  let changeMinute = limitMinute;
  let higherCount = 0;
  for (; higherCount < rules.length; higherCount++) {
    const rule = rules[higherCount]!;
    const openedOnDay = openedOn(higherCount);
    if (openedOnDay !== null) {
      winner = rule;
      changeMinute = Math.min(changeMinute, windowEnd(rule, openedOnDay, changeMinute));
      break;
    }
    if (rule.start > minute && midnightMinute + rule.start < changeMinute && opensToday(higherCount)) {
      changeMinute = midnightMinute + rule.start;
    }
  }
  // Any rule above the winner takes over when its window opens; today's openings are already included.
  for (let index = 0; index < higherCount; index++) {
    const lastDay = Math.ceil(changeMinute / MINUTES_PER_DAY) - 1;
    if (lastDay <= day) {
      break;
    }
    const { days, start } = rules[index]!;
    const openingDay = days.next(day + 1, lastDay);
    if (openingDay !== null) {
      changeMinute = Math.min(changeMinute, openingDay * MINUTES_PER_DAY + start);
    }
  }
  return { winner, changeMinute };
}

/** When a window that opened on a day closes. 24-hour windows on consecutive days are joined, up to `limitMinute`. */
function windowEnd(rule: CompiledRule, openingDay: number, limitMinute: number): number {
  let day = openingDay;
  if (rule.end - rule.start === MINUTES_PER_DAY) {
    while (day * MINUTES_PER_DAY + rule.end < limitMinute && rule.days.has(dayFromNumber(day + 1))) {
      day++;
    }
  }
  return day * MINUTES_PER_DAY + rule.end;
}
