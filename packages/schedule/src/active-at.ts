import { MS_PER_DAY, MS_PER_MINUTE, dayOf } from './calendar.ts';
import type { CompiledRule, CompiledSchedules } from './compile.ts';
import { byPrecedence, reachOf } from './reach.ts';
import type { Asker } from './reach.ts';
import type { ActiveAnswer, Candidate } from './types.ts';

const HORIZON_MS = 366 * MS_PER_DAY;

/**
 * What a screen shows at an instant, why, and until when.
 *
 * @param atMs ms since 1970
 */
export function activeAt(compiled: CompiledSchedules, device: Asker, atMs: number): ActiveAnswer {
  const { zone } = compiled;
  const rules = compiled.rules
    .map((rule) => ({ rule, reach: reachOf(rule.schedule.targets, device) }))
    .filter(({ reach }) => reach < Infinity)
    .toSorted(byPrecedence)
    .map(({ rule }) => rule);

  const winner = winnerAt(rules, zone.wallAt(atMs));
  let until: number | null = null;
  for (let span = zone.spanAt(atMs), fromMs = atMs; ; span = zone.spanAt(fromMs)) {
    const change = nextChange(rules, winner, fromMs + span.offsetMs, span.untilMs + span.offsetMs);
    if (change !== null) until = change - span.offsetMs;
    else if (winnerAt(rules, zone.wallAt(span.untilMs)) !== winner) until = span.untilMs;
    fromMs = span.untilMs;
    if (until !== null || fromMs > atMs + HORIZON_MS) break;
  }
  if (until !== null && until > atMs + HORIZON_MS) until = null;

  const playlistId = winner ? winner.rule.playlist_id : device.base_playlist_id;
  return {
    source: winner ? 'schedule' : playlistId === null ? 'none' : 'deployment',
    schedule: winner ? { id: winner.schedule.id, name: winner.schedule.name } : null,
    rule: winner ? winner.rule : null,
    playlist_id: playlistId,
    until,
    candidates: compiled.rules.map((rule): Candidate => {
      const matches = rules.includes(rule) && isActive(rule, zone.wallAt(atMs));
      const wins = rule === winner;
      return {
        schedule_id: rule.schedule.id,
        rule_id: rule.rule.id,
        priority: rule.rule.priority,
        matches,
        wins,
        reason:
          rule.broken ??
          (wins ? 'Wins.' : matches ? 'Active, but another rule comes first.' : 'Not active now.'),
      };
    }),
  };
}

function winnerAt(rules: readonly CompiledRule[], wallMs: number): CompiledRule | null {
  return rules.find((rule) => isActive(rule, wallMs)) ?? null;
}

function isActive({ days, start, end }: CompiledRule, wallMs: number): boolean {
  const number = Math.floor(wallMs / MS_PER_DAY);
  const minute = (wallMs - number * MS_PER_DAY) / MS_PER_MINUTE;
  if (minute >= start && minute < end && days.matches(dayOf(number))) return true;
  return minute + 1440 < end && days.matches(dayOf(number - 1));
}

/** The first wall time after `wallMs` and before `limitMs` at which another rule wins. */
function nextChange(
  rules: readonly CompiledRule[],
  winner: CompiledRule | null,
  wallMs: number,
  limitMs: number,
): number | null {
  const minutes = new Set(rules.flatMap(({ start, end }) => [start, end % 1440]));
  const sorted = [...minutes].toSorted((a, b) => a - b);
  for (let day = Math.floor(wallMs / MS_PER_DAY); day * MS_PER_DAY < limitMs; day++) {
    for (const minute of sorted) {
      const edge = day * MS_PER_DAY + minute * MS_PER_MINUTE;
      if (edge > wallMs && edge < limitMs && winnerAt(rules, edge) !== winner) return edge;
    }
  }
  return null;
}
