import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluateSchedules, checkRule, compileSchedules, createPlaylistOrder } from '../src/index.ts';
import type { ScheduleEvaluation, TargetedDevice, Schedule, Target } from '../src/index.ts';
import { randomRule } from './brute-force/random-rule.ts';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { MANIFEST_DEVICE, makeRule, makeSchedule, makeSet } from './rules.ts';

// Fixed seed, so that a failure can be repeated; fast-check prints it with the smallest counterexample.
const RUNS = { seed: 20261120, numRuns: 150 };

const HORIZON_MS = 366 * 86_400_000;

const ZONES = [
  'America/New_York',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'America/St_Johns',
  'UTC',
];
const STORE_ZONE = 'Europe/Berlin';
const DAY = 20_600;
const DAY_MS = 86_400_000;
const TARGETS: readonly Target[] = [
  { type: 'device', id: 'dev_1' },
  { type: 'store', id: 'store_1' },
  { type: 'tag', value: 'lobby' },
  { type: 'tag', value: 'elsewhere' },
  { type: 'all' },
];
const DEVICE: TargetedDevice = {
  id: 'dev_1',
  store_id: 'store_1',
  tags: ['lobby'],
  base_playlist_id: 'pl_base',
};

/** A few schedules with random rules: drawn from a seed, because shrinking them would not help. */
const schedules = fc.integer({ min: 0, max: 2 ** 31 }).map((seed): Schedule[] => {
  const random = createSeededRandom(seed);
  return Array.from({ length: random.int(1, 4) }, (_, schedule) =>
    makeSchedule(
      Array.from(
        { length: random.int(1, 4) },
        (_each, rule) => randomRule(random, `rule_${schedule}_${rule}`, DAY).rule,
      ),
      { id: `sch_${schedule}`, targets: random.some(TARGETS, 0.4) },
    ),
  );
});
const zones = fc.constantFrom(...ZONES);
const instants = fc.integer({ min: (DAY - 20) * DAY_MS, max: (DAY + 200) * DAY_MS });

describe('for any schedules, zone and instant', () => {
  test('the result stays the same until `until`, and changes at `until`', () => {
    expect(
      counterexample(
        fc.property(
          schedules,
          zones,
          instants,
          fc.double({ min: 0, max: 1, noNaN: true }),
          (list, timezone, atMs, part) => {
            const compiled = compileSchedules({ timezone, local_timezone: STORE_ZONE, schedules: list });
            const answer = evaluateSchedules(compiled, DEVICE, atMs);
            const untilMs = answer.until ?? atMs + HORIZON_MS;
            if (untilMs <= atMs || untilMs > atMs + HORIZON_MS) {
              return false;
            }
            const between = [atMs + Math.floor((untilMs - 1 - atMs) * part), untilMs - 1];
            const stays = between.every((laterMs) => {
              const later = evaluateSchedules(compiled, DEVICE, laterMs);
              return (
                shown(later) === shown(answer) && (answer.until === null || later.until === answer.until)
              );
            });
            return (
              stays &&
              (answer.until === null || shown(evaluateSchedules(compiled, DEVICE, untilMs)) !== shown(answer))
            );
          },
        ),
      ),
    ).toBeNull();
  }, 60_000);

  test('an additional rule of lower priority never changes the winner', () => {
    expect(
      counterexample(
        fc.property(schedules, schedules, zones, instants, (list, more, timezone, atMs) => {
          const above = list.map((schedule) => ({
            ...schedule,
            rules: schedule.rules.map((rule) => ({ ...rule, priority: rule.priority + 10 })),
          }));
          const below = more.map((schedule) => ({
            ...schedule,
            rules: schedule.rules.map((rule) => ({ ...rule, id: `low_${rule.id}` })),
          }));
          const before = evaluateSchedules(
            compileSchedules({ timezone, local_timezone: STORE_ZONE, schedules: above }),
            DEVICE,
            atMs,
          );
          const after = evaluateSchedules(
            compileSchedules({ timezone, local_timezone: STORE_ZONE, schedules: [...below, ...above] }),
            DEVICE,
            atMs,
          );
          if (before.rule) {
            return shown(after) === shown(before) && after.until === before.until;
          }
          return after.rule === null || after.rule.id.startsWith('low_');
        }),
      ),
    ).toBeNull();
  }, 60_000);

  test('the order of rules, schedules and targets in the input never matters', () => {
    expect(
      counterexample(
        fc.property(schedules, zones, instants, fc.integer(), (list, timezone, atMs, seed) => {
          const random = createSeededRandom(seed);
          const shuffled = shuffle(list, random).map((schedule) => ({
            ...schedule,
            rules: shuffle(schedule.rules, random),
            targets: shuffle(schedule.targets, random),
          }));
          const answer = evaluateSchedules(
            compileSchedules({ timezone, local_timezone: STORE_ZONE, schedules: list }),
            DEVICE,
            atMs,
          );
          const other = evaluateSchedules(
            compileSchedules({ timezone, local_timezone: STORE_ZONE, schedules: shuffled }),
            DEVICE,
            atMs,
          );
          expect(other).toEqual(answer);
        }),
      ),
    ).toBeNull();
  }, 60_000);

  test('earlier evaluations never matter', () => {
    expect(
      counterexample(
        fc.property(
          schedules,
          zones,
          fc.array(instants, { minLength: 2, maxLength: 6 }),
          (list, timezone, asked) => {
            const compiled = compileSchedules({ timezone, local_timezone: STORE_ZONE, schedules: list });
            for (const atMs of asked) {
              const fresh = evaluateSchedules(
                compileSchedules({ timezone, local_timezone: STORE_ZONE, schedules: list }),
                DEVICE,
                atMs,
              );
              expect(evaluateSchedules(compiled, DEVICE, atMs)).toEqual(fresh);
            }
          },
        ),
      ),
    ).toBeNull();
  }, 60_000);

  test('the candidates agree with the result', () => {
    expect(
      counterexample(
        fc.property(schedules, zones, instants, (list, timezone, atMs) => {
          const { rule, candidates } = evaluateSchedules(
            compileSchedules({ timezone, local_timezone: STORE_ZONE, schedules: list }),
            DEVICE,
            atMs,
          );
          const winners = candidates.filter(({ wins }) => wins).map(({ rule_id }) => rule_id);
          const matching = candidates.filter(({ matches }) => matches);
          return (
            candidates.length === list.flatMap(({ rules }) => rules).length &&
            winners.join() === (rule?.id ?? '') &&
            matching.length > 0 === (rule !== null) &&
            matching.every(({ priority }) => priority <= rule!.priority)
          );
        }),
      ),
    ).toBeNull();
  }, 60_000);
});

describe('for any input as a rule', () => {
  const junk = fc.oneof(fc.jsonValue(), fc.constantFrom('09:00', '24:00', '2026-02-28', 'MON', 'FREQ=DAILY'));
  const value = fc.oneof(
    fc.constantFrom(
      'DAILY',
      'WEEKLY',
      'MONTHLY',
      'YEARLY',
      'MO',
      'TU,-1FR',
      '1MO',
      '0',
      '-1',
      '31',
      '1,15',
      '366',
    ),
    fc.constantFrom('20261231', '20261231T090000', '20261231T090000Z', '', 'X', '99', '053MO'),
  );
  const part = fc.tuple(
    fc.constantFrom(
      'INTERVAL',
      'COUNT',
      'UNTIL',
      'BYDAY',
      'BYMONTHDAY',
      'BYMONTH',
      'BYSETPOS',
      'WKST',
      'BYHOUR',
    ),
    value,
  );
  const text = fc
    .tuple(fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'), fc.array(part, { maxLength: 4 }))
    .map(([freq, parts]) => [`FREQ=${freq}`, ...parts.map((pair) => pair.join('='))].join(';'));

  test('the check returns a result', () => {
    expect(
      counterexample(
        fc.property(
          fc.record({
            start_time: junk,
            end_time: junk,
            days: junk,
            rrule: junk,
            priority: junk,
            starts_on: junk,
          }),
          (rule) => checkRule(rule).errors.every(({ path, message }) => path !== '' && message.endsWith('.')),
        ),
      ),
    ).toBeNull();
  }, 60_000);

  test('the engine accepts what the check accepts, and gives the check’s reason otherwise', () => {
    expect(
      counterexample(
        fc.property(text, (rrule) => {
          const rule = makeRule({ rrule, starts_on: '2026-01-01' });
          const { errors } = checkRule(rule);
          const { candidates } = evaluateSchedules(
            compileSchedules(makeSet('UTC', rule)),
            MANIFEST_DEVICE,
            0,
          );
          const { reason } = candidates[0]!;
          return errors.length === 0
            ? !reason.startsWith('Cannot')
            : reason === `Cannot be used: ${errors[0]!.message}`;
        }),
      ),
    ).toBeNull();
  }, 60_000);
});

describe('for any playlist', () => {
  const items = fc.uniqueArray(
    fc.record({ id: fc.string({ minLength: 1, maxLength: 4 }), weight: fc.integer({ min: 1, max: 9 }) }),
    { minLength: 1, maxLength: 9, selector: ({ id }) => id },
  );
  const modes = fc.constantFrom('sequential' as const, 'shuffle' as const, 'weighted' as const);

  test('every round shows every item once, or by its weight', () => {
    expect(
      counterexample(
        fc.property(items, modes, fc.string(), (list, mode, seed) => {
          const order = createPlaylistOrder({ id: 'pl', mode, items: list }, seed);
          const due = list.flatMap(({ id, weight }) =>
            Array.from({ length: mode === 'weighted' ? weight : 1 }, () => id),
          );
          for (let round = 0; round < 3; round++) {
            const plays = due.map(() => order.next());
            expect(plays.map(String).toSorted(compareText)).toEqual(due.toSorted(compareText));
          }
        }),
      ),
    ).toBeNull();
  }, 60_000);

  test('with unplayable items and restarts it continues, and shuffle does not repeat', () => {
    expect(
      counterexample(
        fc.property(
          items,
          modes,
          fc.array(fc.integer({ min: 0, max: 511 }), { maxLength: 40 }),
          (list, mode, masks) => {
            const playlist = { id: 'pl', mode, items: list };
            let order = createPlaylistOrder(playlist, 'seed');
            let last: string | null = null;
            return masks.every((mask) => {
              const choices = list.filter((_item, index) => ((mask >> index) & 1) === 1).map(({ id }) => id);
              const playable = (id: string) => choices.includes(id);
              const [ahead = null] = order.peek(1, playable);
              const id = order.next(playable);
              const repeats = mode === 'shuffle' && choices.length > 1 && id === last;
              last = id ?? last;
              order = createPlaylistOrder(playlist, 'seed', JSON.parse(JSON.stringify(order.position())));
              return id === ahead && (id === null ? choices.length === 0 : playable(id)) && !repeats;
            });
          },
        ),
      ),
    ).toBeNull();
  }, 60_000);
});

/** The failure of a property, with the seed and the smallest counterexample; null when it holds. */
function counterexample<Args>(property: fc.IPropertyWithHooks<Args>): string | null {
  const details = fc.check(property, RUNS);
  return details.failed ? fc.defaultReportMessage(details)! : null;
}

/** The result without its explanation. */
function shown({ source, schedule, rule, playlist_id }: ScheduleEvaluation): string {
  return JSON.stringify([source, schedule?.id, rule?.id, playlist_id]);
}

function shuffle<T>(list: readonly T[], random: ReturnType<typeof createSeededRandom>): T[] {
  return list
    .map((value) => ({ value, rank: random.int(0, 1_000_000) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
