import { describe, expect, test } from 'vitest';
import { evaluateSchedules, compileSchedules } from '../../src/index.ts';
import type { Rule } from '../../src/index.ts';
import { MANIFEST_DEVICE, makeRule, makeSet } from '../rules.ts';

/** What a device shows at an instant: the rule (on), or its base playlist (off). */
export type Example = readonly [
  sentence: string,
  at: string,
  shows: 'on' | 'off',
  /** When that changes; `never`: not within 366 days. */
  until: string,
];

/** A table of examples for one rule. Instants have the offset of local time, so they read like the wall clock. */
export function examples(title: string, zone: string, rule: Partial<Rule>, rows: readonly Example[]): void {
  describe(`${title} (${zone})`, () => {
    const compiled = compileSchedules(makeSet(zone, makeRule(rule)));
    test.each(rows)('%s: at %s it is %s until %s', (_sentence, at, shows, until) => {
      const answer = evaluateSchedules(compiled, MANIFEST_DEVICE, Date.parse(at));
      expect({ shows: answer.rule ? 'on' : 'off', until: iso(answer.until) }).toEqual({
        shows,
        until: until === 'never' ? 'never' : iso(Date.parse(until)),
      });
    });
  });
}

export type Occurrences = readonly [sentence: string, rrule: string, from: string, days: string];

/** A table of recurrence rules, each with its first days, found one after another. */
export function occurrences(title: string, zone: string, rows: readonly Occurrences[]): void {
  describe(`${title} (${zone})`, () => {
    test.each(rows)('%s: %s from %s', (_sentence, rrule, from, days) => {
      const expected = days.split(/\s+/).filter((word) => word !== '');
      const ends = expected.at(-1) === 'end';
      const dates = expandDays(ends ? expected.slice(0, -1) : expected);
      const rule = makeRule({ rrule, starts_on: from, start_time: '09:00', end_time: '10:00' });
      const found = firstDays(rule, zone, `${from}T00:00Z`, dates.length + (ends ? 1 : 0));
      expect(found).toEqual(dates);
    });
  });
}

/** `1997-09-02 04 10-06` is three days: a shortened word takes the missing parts from the one before. */
function expandDays(words: readonly string[]): string[] {
  let last = '';
  return words.map((word) => (last = last.slice(0, 10 - word.length) + word));
}

/** The first `count` days of a rule, found through `until`, for at most 30 years. */
function firstDays(rule: Rule, zone: string, from: string, count: number): string[] {
  const compiled = compileSchedules(makeSet(zone, rule));
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
  const days: string[] = [];
  const startMs = Date.parse(from) - 86_400_000;
  const stepMs = 365 * 86_400_000;
  for (let atMs = startMs; days.length < count && atMs < startMs + 30 * stepMs;) {
    const { until, rule: shown } = evaluateSchedules(compiled, MANIFEST_DEVICE, atMs);
    if (shown) {
      days.push(format.format(atMs));
    }
    atMs = until ?? atMs + stepMs;
  }
  return days;
}

function iso(ms: number | null): string {
  return ms === null ? 'never' : new Date(ms).toISOString();
}
