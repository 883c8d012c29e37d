import { compileSchedules, listSegments } from '@placard/schedule';
import type { DraftRule } from './schedule-draft.ts';
import { DAY_MINUTES, sideBySide } from './week-geometry.ts';

const MINUTE_MS = 60_000;
const DAY_MS = DAY_MINUTES * MINUTE_MS;

/** The part of a window that is on one day of the week; minutes of that day. */
export interface WindowPart {
  rule: DraftRule;
  /** Of another schedule. */
  isOther: boolean;
  /** Counts the blocks of its rule in this week. */
  nth: number;
  day: number;
  from: number;
  to: number;
  /** The window opens, or ends, in this part. */
  opens: boolean;
  ends: boolean;
  /** Where this rule wins against the others of the schedule. */
  wins: readonly { from: number; to: number }[];
}

/** A part and where it is drawn in the width of its day. */
export interface Block extends WindowPart {
  column: number;
  columns: number;
}

interface Span {
  key: string;
  from: number;
  to: number;
}

/**
 * When rules are active in a span of days, in minutes from its start; of several rules, the winning one. The grid is a wall
 * clock, which rules are read by whatever their zone, so UTC stands for it: it has no clock changes.
 */
function spansOf(rules: readonly DraftRule[], startMs: number, days: number): Span[] {
  const compiled = compileSchedules({
    timezone: 'UTC',
    schedules: [
      {
        id: 'draft',
        name: '',
        targets: [{ type: 'all' }],
        rules: rules.map(({ key, editedAt, ...rule }) => ({
          ...rule,
          id: key,
          created_at: editedAt,
          updated_at: editedAt,
        })),
      },
    ],
  });
  const device = { matches: 'all', base_playlist_id: null } as const;
  return [...listSegments(compiled, device, startMs, startMs + days * DAY_MS)].flatMap((segment) =>
    segment.rule === null
      ? []
      : [
          {
            key: segment.rule.id,
            from: (segment.fromMs - startMs) / MINUTE_MS,
            to: (segment.untilMs - startMs) / MINUTE_MS,
          },
        ],
  );
}

/** The windows of a week that begins on a day `YYYY-MM-DD`. */
export function weekParts(rules: readonly DraftRule[], weekStart: string, isOther = false): WindowPart[] {
  const startMs = Date.parse(`${weekStart}T00:00:00Z`);
  const winners = spansOf(rules, startMs, 7);
  return rules.flatMap((rule) =>
    spansOf([rule], startMs, 7)
      .flatMap((span) => splitByDay(span))
      .map((part, nth) => ({
        ...part,
        rule,
        isOther,
        nth,
        wins: winners.flatMap((span) => {
          const from = Math.max(span.from - part.day * DAY_MINUTES, part.from);
          const to = Math.min(span.to - part.day * DAY_MINUTES, part.to);
          return span.key === rule.key && from < to ? [{ from, to }] : [];
        }),
      })),
  );
}

/** Places parts that overlap on a day side by side. */
export const placeParts = (parts: readonly WindowPart[]): Block[] =>
  Array.from({ length: 7 }, (_, day) => sideBySide(parts.filter((part) => part.day === day))).flat();

function splitByDay({ from, to }: Span) {
  const parts = [];
  for (let day = Math.floor(from / DAY_MINUTES); day * DAY_MINUTES < to; day += 1) {
    const start = day * DAY_MINUTES;
    parts.push({
      day,
      from: Math.max(from - start, 0),
      to: Math.min(to - start, DAY_MINUTES),
      opens: from >= start,
      ends: to <= start + DAY_MINUTES,
    });
  }
  return parts;
}

/** The next days `YYYY-MM-DD` on which a rule opens, from a day on, within a year. */
export function nextDays(rule: DraftRule, from: string, count: number): string[] {
  const startMs = Date.parse(`${from}T00:00:00Z`);
  const days = new Set(
    spansOf([rule], startMs, 366)
      .filter(({ from: minute }) => minute > 0 || rule.start_time === '00:00')
      .map(({ from: minute }) => new Date(startMs + minute * MINUTE_MS).toISOString().slice(0, 10)),
  );
  return [...days].slice(0, count);
}
