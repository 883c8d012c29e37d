import { MINUTES_PER_DAY, MS_PER_DAY, MS_PER_MINUTE, dayFromNumber } from './calendar.ts';
import { listCandidates } from './candidates.ts';
import type { CompiledSchedules } from './compile.ts';
import type { CompiledRule } from './compiled-rule.ts';
import type { ActiveInterval, ResolvedRules, RuleWindows } from './resolved-rules.ts';
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
  const { winner, untilMs, isEndKnown } = activeIntervalAt(compiled.zones, resolvedRules, atMs);
  const playlistId = winner ? winner.rule.playlist_id : device.base_playlist_id;
  let candidates: Candidate[] | undefined;
  return {
    source: winner ? 'schedule' : playlistId === null ? 'none' : 'deployment',
    schedule: winner ? { id: winner.schedule.id, name: winner.schedule.name } : null,
    rule: winner ? winner.rule : null,
    playlist_id: playlistId,
    until: isEndKnown && untilMs <= atMs + HORIZON_MS ? untilMs : null,
    get candidates() {
      return (candidates ??= listCandidates(compiled, device, atMs));
    },
  };
}

/**
 * The active interval at an instant, up to its end or beyond the horizon.
 *
 * Whether a rule is active depends on the wall clock of its zone alone. While no offset changes, wall time and time run in
 * step, so the end is searched in wall time; at each offset change of any zone the winner is determined again.
 */
function activeIntervalAt(
  zones: readonly TimeZone[],
  resolvedRules: ResolvedRules,
  atMs: number,
): ActiveInterval {
  const { latestInterval } = resolvedRules;
  let interval =
    latestInterval && atMs >= latestInterval.fromMs && atMs < latestInterval.untilMs
      ? latestInterval
      : activeIntervalWithinOffsets(zones, resolvedRules, atMs);
  while (!interval.isEndKnown && interval.untilMs <= atMs + HORIZON_MS) {
    const next = activeIntervalWithinOffsets(zones, resolvedRules, interval.untilMs);
    interval =
      next.winner === interval.winner
        ? { ...next, fromMs: interval.fromMs }
        : { ...interval, isEndKnown: true };
  }
  return (resolvedRules.latestInterval = interval);
}

/** The wall clock of a zone at an instant, with the windows of the rules. */
interface WallClock extends RuleWindows {
  /** Wall time minus UTC, ms. */
  readonly offsetMs: number;
}

/** The active interval at an instant, up to its end or to the next offset change of a zone. */
function activeIntervalWithinOffsets(
  zones: readonly TimeZone[],
  { rules, windowsAt }: ResolvedRules,
  fromMs: number,
): ActiveInterval {
  const spans = zones.map((zone) => zone.spanAt(fromMs));
  const clocks = spans.map(({ offsetMs }): WallClock => ({ offsetMs, ...windowsAt(fromMs + offsetMs) }));
  const limitMs = Math.min(...spans.map(({ untilMs }) => untilMs));
  const { winner, changeMs } = findWinner(rules, clocks, limitMs);
  return { winner, fromMs, untilMs: changeMs, isEndKnown: changeMs < limitMs };
}

/** The winner, and until when it stays the winner at least, `limitMs` at the latest. */
function findWinner(rules: readonly CompiledRule[], clocks: readonly WallClock[], limitMs: number) {
  let winner: CompiledRule | null = null;
  let changeMs = limitMs;
  let higherCount = 0;
  for (; higherCount < rules.length; higherCount++) {
    const rule = rules[higherCount]!;
    const { day, minute, offsetMs, opensToday, openedOn } = clocks[rule.zoneIndex]!;
    const openedOnDay = openedOn(higherCount);
    if (openedOnDay !== null) {
      winner = rule;
      changeMs = Math.min(changeMs, windowEndMs(rule, openedOnDay, offsetMs, changeMs));
      break;
    }
    if (rule.start > minute) {
      const startMs = wallMs(day, rule.start) - offsetMs;
      if (startMs < changeMs && opensToday(higherCount)) {
        changeMs = startMs;
      }
    }
  }
  // Any rule above the winner takes over when its window opens; today's openings are already included.
  const midnightMs = Math.min(...clocks.map(({ day, offsetMs }) => wallMs(day + 1, 0) - offsetMs));
  for (let index = 0; index < higherCount && changeMs > midnightMs; index++) {
    const { days, start, zoneIndex } = rules[index]!;
    const { day, offsetMs } = clocks[zoneIndex]!;
    const lastDay = Math.ceil((changeMs + offsetMs) / MS_PER_DAY) - 1;
    const openingDay = lastDay > day ? days.next(day + 1, lastDay) : null;
    if (openingDay !== null) {
      changeMs = Math.min(changeMs, wallMs(openingDay, start) - offsetMs);
    }
  }
  return { winner, changeMs };
}

const wallMs = (day: number, minute: number): number => day * MS_PER_DAY + minute * MS_PER_MINUTE;

/** When a window that opened on a day closes. Windows of the rule that meet or overlap are joined, up to `limitMs`. */
function windowEndMs(rule: CompiledRule, openingDay: number, offsetMs: number, limitMs: number): number {
  const { days, start, end } = rule;
  const daysAhead = Math.floor((end - start) / MINUTES_PER_DAY);
  const endOf = (day: number) => wallMs(day, end) - offsetMs;
  let day = openingDay;
  for (let ahead = daysAhead; ahead > 0 && endOf(day) < limitMs; ahead--) {
    if (days.has(dayFromNumber(day + ahead))) {
      day += ahead;
      ahead = daysAhead + 1;
    }
  }
  return endOf(day);
}
