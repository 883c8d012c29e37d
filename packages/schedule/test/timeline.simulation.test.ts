import { expect, test } from 'vitest';
import { compileSchedules, evaluateSchedules, listSegments } from '../src/index.ts';
import type { ScheduleEvaluation, TimelineSegment } from '../src/index.ts';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { randomRule } from './brute-force/random-rule.ts';
import { MANIFEST_DEVICE, makeRule, makeSchedule, makeSet } from './rules.ts';

const DAY_MS = 86_400_000;
const ZONES = ['America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo', 'Asia/Kathmandu', 'UTC'];
/** Near the clock changes of spring 2026. */
const DAY = 20_530;

const shown = ({ source, schedule, rule, playlist_id }: TimelineSegment | ScheduleEvaluation) =>
  JSON.stringify([source, schedule?.id, rule?.id, playlist_id]);

test('any timeline is what an evaluation of each instant says: without gaps, and as few segments as possible', () => {
  for (let seed = 1; seed <= 150; seed++) {
    const random = createSeededRandom(seed);
    const rules = Array.from({ length: random.int(0, 8) }, (_, each) =>
      randomRule(random, `rule_${each}`, DAY),
    );
    const schedules = [makeSchedule(rules.map(({ rule }) => rule))];
    const set = { timezone: random.pick(ZONES), local_timezone: random.pick(ZONES), schedules };
    const compiled = compileSchedules(set);
    const fromMs = DAY * DAY_MS + random.below(40 * DAY_MS);
    const toMs = fromMs + random.int(1, 31 * DAY_MS);
    // Compiled again: nothing is remembered from the timeline.
    const fresh = compileSchedules(set);
    const segments = [...listSegments(compiled, MANIFEST_DEVICE, fromMs, toMs)];

    expect([segments[0]?.fromMs, segments.at(-1)?.untilMs], `seed ${seed}`).toEqual([fromMs, toMs]);
    for (const [index, segment] of segments.entries()) {
      const before = segments[index - 1];
      expect(segment.untilMs, `seed ${seed}`).toBeGreaterThan(segment.fromMs);
      expect(before?.untilMs ?? fromMs, `seed ${seed}`).toBe(segment.fromMs);
      expect(before && shown(before), `seed ${seed}`).not.toBe(shown(segment));
      const within = segment.fromMs + random.below(segment.untilMs - segment.fromMs);
      for (const atMs of [segment.fromMs, within, segment.untilMs - 1]) {
        expect(shown(evaluateSchedules(fresh, MANIFEST_DEVICE, atMs)), `seed ${seed} at ${atMs}`).toBe(
          shown(segment),
        );
      }
    }
  }
}, 60_000);

test('a segment begins and ends at the bounds, and an empty span has none', () => {
  const compiled = compileSchedules(makeSet('Europe/Berlin', makeRule({ id: 'rule_a' })));
  const fromMs = Date.parse('2026-12-24T10:00:00Z');
  const list = (toMs: number) => [...listSegments(compiled, MANIFEST_DEVICE, fromMs, toMs)];
  expect(list(fromMs)).toEqual([]);
  expect(list(Date.parse('2026-12-24T18:00:00Z'))).toMatchObject([
    { fromMs, untilMs: Date.parse('2026-12-24T16:00:00Z'), source: 'schedule', playlist_id: 'pl_1' },
    {
      fromMs: Date.parse('2026-12-24T16:00:00Z'),
      untilMs: Date.parse('2026-12-24T18:00:00Z'),
      source: 'deployment',
      rule: null,
      playlist_id: 'pl_base',
    },
  ]);
});

test('a rule that is active without end is one segment, also across a clock change', () => {
  const compiled = compileSchedules(
    makeSet('Europe/Berlin', makeRule({ start_time: '00:00', end_time: '24:00' })),
  );
  const fromMs = Date.parse('2026-03-20T00:00:00Z');
  const segments = [...listSegments(compiled, MANIFEST_DEVICE, fromMs, fromMs + 31 * DAY_MS)];
  expect(segments).toMatchObject([{ fromMs, untilMs: fromMs + 31 * DAY_MS, source: 'schedule' }]);
});
