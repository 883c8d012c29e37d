import { describe, expect, test } from 'vitest';
import { evaluateSchedules, compileSchedules } from '../../src/index.ts';
import type {
  ScheduleEvaluation,
  TargetedDevice,
  Rule,
  Schedule,
  ScheduleSet,
  Target,
} from '../../src/index.ts';
import { makeRule, makeSchedule } from '../rules.ts';

const LOBBY: TargetedDevice = {
  id: 'dev_lobby',
  store_id: 'store_1',
  tags: ['lobby', 'window'],
  base_playlist_id: 'pl_base',
};
const FRIDAY_NOON = Date.parse('2026-11-20T12:00+01:00');

/** One schedule for each rule. */
function berlin(...entries: (readonly [targets: readonly Target[], rule: Partial<Rule>])[]): ScheduleSet {
  return {
    timezone: 'Europe/Berlin',
    schedules: entries.map(([targets, rule], index): Schedule =>
      makeSchedule([makeRule({ id: `rule_${index + 1}`, playlist_id: `pl_${index + 1}`, ...rule })], {
        id: `sch_${index + 1}`,
        name: `Schedule ${index + 1}`,
        targets,
      }),
    ),
  };
}

const device: readonly Target[] = [{ type: 'device', id: 'dev_lobby' }];
const tag: readonly Target[] = [{ type: 'tag', value: 'lobby' }];
const store: readonly Target[] = [{ type: 'store', id: 'store_1' }];
const all: readonly Target[] = [{ type: 'all' }];
const elsewhere: readonly Target[] = [{ type: 'store', id: 'store_2' }];

function evaluate(
  set: ScheduleSet,
  membership: TargetedDevice = LOBBY,
  at = FRIDAY_NOON,
): ScheduleEvaluation {
  return evaluateSchedules(compileSchedules(set), membership, at);
}

function at(time: string): number {
  return Date.parse(`2026-11-20T${time}+01:00`);
}

function untilOf(set: ScheduleSet, time: string): number | null {
  return evaluate(set, LOBBY, at(time)).until;
}

function reasons(set: ScheduleSet): string[] {
  return evaluate(set).candidates.map(({ rule_id, reason }) => `${rule_id}: ${reason}`);
}

describe('who wins', () => {
  test.each<readonly [string, ScheduleSet, string | null]>([
    ['the higher priority', berlin([tag, { priority: 1 }], [tag, { priority: 2 }]), 'rule_2'],
    [
      'the higher priority, however wide its target',
      berlin([device, { priority: 1 }], [store, { priority: 2 }]),
      'rule_2',
    ],
    ['of equal priority, device before tag', berlin([tag, {}], [device, {}]), 'rule_2'],
    ['of equal priority, tag before store', berlin([store, {}], [tag, {}]), 'rule_2'],
    ['of equal priority, device before store', berlin([store, {}], [device, {}]), 'rule_2'],
    ['of equal priority, store before all', berlin([all, {}], [store, {}]), 'rule_2'],
    ['all devices, also those without a store', berlin([elsewhere, { priority: 9 }], [all, {}]), 'rule_2'],
    ['the higher priority, even for all devices', berlin([all, { priority: 1 }], [device, {}]), 'rule_1'],
    ['the narrowest of several targets counts', berlin([[...store, ...device], {}], [tag, {}]), 'rule_1'],
    [
      'only a target that reaches this device counts',
      berlin([[{ type: 'device', id: 'dev_other' }, ...store], {}], [tag, {}]),
      'rule_2',
    ],
    [
      'of equal target, the one changed last',
      berlin(
        [tag, { updated_at: '2026-02-01T00:00:00.000Z' }],
        [tag, { updated_at: '2026-01-01T00:00:00.000Z' }],
      ),
      'rule_1',
    ],
    [
      'changed last is a matter of time, not of text',
      berlin(
        [tag, { updated_at: '2026-01-01T00:00:00Z' }],
        [tag, { updated_at: '2026-01-01T00:00:00.001Z' }],
      ),
      'rule_2',
    ],
    [
      'of rules changed at once, the smaller id',
      berlin([tag, { id: 'rule_b' }], [tag, { id: 'rule_a' }]),
      'rule_a',
    ],
    ['an inactive rule never wins', berlin([tag, { priority: 9, days: ['SAT'] }], [tag, {}]), 'rule_2'],
    ['a rule for others never wins', berlin([elsewhere, { priority: 9 }], [tag, {}]), 'rule_2'],
    ['no target reaches nobody', berlin([[], {}]), null],
    ['a store does not reach a device without a store', berlin([store, {}]), 'rule_1'],
  ])('%s', (_sentence, set, winner) => {
    expect(evaluate(set).rule?.id ?? null).toBe(winner);
  });

  test('of one rule in two schedules, the smaller schedule id, whichever is given first', () => {
    const set = berlin([tag, { id: 'rule_1' }], [tag, { id: 'rule_1' }]);
    const turned = { ...set, schedules: set.schedules.toReversed() };
    expect(evaluate(set).schedule?.id).toBe('sch_1');
    expect(evaluate(turned).schedule?.id).toBe('sch_1');
  });

  test('a device without a store is reached by tag and by itself only', () => {
    const roaming = { ...LOBBY, store_id: null };
    expect(evaluate(berlin([store, {}]), roaming).rule).toBeNull();
    expect(evaluate(berlin([store, {}], [tag, {}]), roaming).rule?.id).toBe('rule_2');
  });

  test('for a manifest every target matches, by its type', () => {
    const compiled = compileSchedules(berlin([store, {}], [tag, {}]));
    const answer = evaluateSchedules(compiled, { matches: 'all', base_playlist_id: null }, FRIDAY_NOON);
    expect(answer.rule?.id).toBe('rule_2');
  });

  test('in a manifest a schedule with only unknown targets still matches, as the widest', () => {
    const manifest = { matches: 'all', base_playlist_id: null } as const;
    const beside = compileSchedules(berlin([store, {}], [[], {}]));
    expect(evaluateSchedules(beside, manifest, FRIDAY_NOON).rule?.id).toBe('rule_1');
    const above = compileSchedules(berlin([store, {}], [[], { priority: 9 }]));
    expect(evaluateSchedules(above, manifest, FRIDAY_NOON).rule?.id).toBe('rule_2');
    const besideAll = compileSchedules(berlin([all, {}], [[], {}]));
    expect(evaluateSchedules(besideAll, manifest, FRIDAY_NOON).rule?.id).toBe('rule_1');
  });

  test('one compiled set evaluates each device separately', () => {
    const compiled = compileSchedules(berlin([store, {}], [device, {}]));
    const other = { ...LOBBY, id: 'dev_other' };
    expect(evaluateSchedules(compiled, LOBBY, FRIDAY_NOON).rule?.id).toBe('rule_2');
    expect(evaluateSchedules(compiled, other, FRIDAY_NOON).rule?.id).toBe('rule_1');
    expect(evaluateSchedules(compiled, LOBBY, FRIDAY_NOON).rule?.id).toBe('rule_2');
  });

  test('a device with changed tags is resolved again', () => {
    const compiled = compileSchedules(berlin([tag, {}]));
    expect(evaluateSchedules(compiled, LOBBY, FRIDAY_NOON).rule?.id).toBe('rule_1');
    expect(evaluateSchedules(compiled, { ...LOBBY, tags: [] }, FRIDAY_NOON).rule).toBeNull();
  });

  test('more devices than the cache holds all get their own result', () => {
    const compiled = compileSchedules(berlin([device, {}]));
    for (let round = 0; round < 2; round++) {
      for (let index = 0; index < 150; index++) {
        const membership = { ...LOBBY, id: index === 77 ? 'dev_lobby' : `dev_${index}` };
        expect(evaluateSchedules(compiled, membership, FRIDAY_NOON).rule?.id ?? null).toBe(
          index === 77 ? 'rule_1' : null,
        );
      }
    }
  });
});

describe('what is shown', () => {
  test('the rule’s playlist, with its schedule', () => {
    const answer = evaluate(berlin([tag, {}]));
    expect(answer).toMatchObject({
      source: 'schedule',
      playlist_id: 'pl_1',
      schedule: { id: 'sch_1', name: 'Schedule 1' },
    });
  });

  test('without a rule the deployed playlist', () => {
    const answer = evaluate(berlin([tag, { days: ['SAT'] }]));
    expect(answer).toMatchObject({
      source: 'deployment',
      playlist_id: 'pl_base',
      schedule: null,
      rule: null,
    });
  });

  test('without that nothing', () => {
    const answer = evaluate(berlin(), { ...LOBBY, base_playlist_id: null });
    expect(answer).toMatchObject({
      source: 'none',
      playlist_id: null,
      schedule: null,
      rule: null,
      until: null,
      candidates: [],
    });
  });
});

describe('until when', () => {
  test('a rule that would lose changes nothing when it starts or ends', () => {
    const set = berlin(
      [tag, { priority: 5, start_time: '09:00', end_time: '17:00' }],
      [tag, { start_time: '10:00', end_time: '11:00' }],
    );
    expect(untilOf(set, '09:30')).toBe(at('17:00'));
  });

  test('a rule that takes over is the next change', () => {
    const set = berlin(
      [tag, { start_time: '09:00', end_time: '17:00' }],
      [tag, { priority: 5, start_time: '12:00', end_time: '13:00' }],
    );
    expect(untilOf(set, '09:30')).toBe(at('12:00'));
    expect(untilOf(set, '12:30')).toBe(at('13:00'));
    expect(untilOf(set, '13:00')).toBe(at('17:00'));
  });

  test('a rule with the same playlist is a change, too', () => {
    const set = berlin(
      [tag, { playlist_id: 'pl_x', start_time: '09:00', end_time: '17:00' }],
      [tag, { playlist_id: 'pl_x', priority: 5, start_time: '12:00', end_time: '13:00' }],
    );
    expect(untilOf(set, '09:30')).toBe(at('12:00'));
  });

  test('a rule for other devices changes nothing', () => {
    const set = berlin(
      [tag, { start_time: '09:00', end_time: '17:00' }],
      [elsewhere, { priority: 5, start_time: '12:00', end_time: '13:00' }],
    );
    expect(untilOf(set, '09:30')).toBe(at('17:00'));
  });

  test('without a rule, when the first one opens', () => {
    const set = berlin(
      [tag, { start_time: '15:00', end_time: '16:00' }],
      [tag, { start_time: '14:00', end_time: '16:00' }],
    );
    expect(untilOf(set, '12:00')).toBe(at('14:00'));
  });

  test('a change between rules with the same times on consecutive days is a change', () => {
    const set = berlin(
      [tag, { days: ['FRI'], start_time: '00:00', end_time: '24:00' }],
      [tag, { days: ['SAT'], start_time: '00:00', end_time: '24:00' }],
    );
    expect(untilOf(set, '12:00')).toBe(Date.parse('2026-11-21T00:00+01:00'));
  });

  test('a rule that always wins has no change for a year, even with a thousand others below', () => {
    const below = Array.from(
      { length: 1000 },
      (_, index) => [tag, { id: `rule_low_${index}`, start_time: '10:00', end_time: '11:00' }] as const,
    );
    const set = berlin([tag, { priority: 9, start_time: '00:00', end_time: '24:00' }], ...below);
    expect(untilOf(set, '12:00')).toBeNull();
  });
});

describe('why: the candidates', () => {
  test('say for every rule whether it matches, whether it wins, and why', () => {
    const set = berlin(
      [tag, { priority: 5 }],
      [tag, { priority: 10 }],
      [tag, { days: ['MON', 'TUE'], start_time: '22:00', end_time: '02:00' }],
      [tag, { rrule: 'FREQ=MONTHLY;BYDAY=1MO', days: null, starts_on: '2026-01-01', ends_on: '2026-12-31' }],
      [elsewhere, {}],
      [[], {}],
      [tag, { start_time: '9am' }],
    );
    expect(evaluate(set).candidates).toEqual([
      {
        schedule_id: 'sch_2',
        rule_id: 'rule_2',
        priority: 10,
        matches: true,
        wins: true,
        reason: 'Wins: rule_2 has the higher priority, 10 over 5 of rule_1.',
      },
      {
        schedule_id: 'sch_1',
        rule_id: 'rule_1',
        priority: 5,
        matches: true,
        wins: false,
        reason: 'Active, but rule_2 has the higher priority, 10 over 5 of rule_1.',
      },
      {
        schedule_id: 'sch_3',
        rule_id: 'rule_3',
        priority: 0,
        matches: false,
        wins: false,
        reason:
          'Not active: runs on MON, TUE at 22:00–02:00 of the next day; the local time is FRI 2026-11-20 12:00.',
      },
      {
        schedule_id: 'sch_4',
        rule_id: 'rule_4',
        priority: 0,
        matches: false,
        wins: false,
        reason:
          'Not active: runs by FREQ=MONTHLY;BYDAY=1MO at 09:00–17:00 from 2026-01-01 to 2026-12-31; the local time is FRI 2026-11-20 12:00.',
      },
      {
        schedule_id: 'sch_7',
        rule_id: 'rule_7',
        priority: 0,
        matches: false,
        wins: false,
        reason: 'Cannot be used: start_time "9am" is not a time from 00:00 to 23:59.',
      },
      {
        schedule_id: 'sch_5',
        rule_id: 'rule_5',
        priority: 0,
        matches: false,
        wins: false,
        reason: 'Not for this device: the schedule targets store store_2.',
      },
      {
        schedule_id: 'sch_6',
        rule_id: 'rule_6',
        priority: 0,
        matches: false,
        wins: false,
        reason: 'Not for this device: the schedule targets nobody.',
      },
    ]);
  });

  test('describe all that decides: several days, exceptions, the zone of the store, the target all', () => {
    const fields: Partial<Rule> = {
      days: ['FRI'],
      start_time: '18:00',
      end_time: '23:00',
      end_day_offset: 2,
      except_dates: ['2026-12-25', ...Array.from({ length: 7 }, (_, day) => `2027-01-0${day + 1}`)],
      local_time: true,
    };
    const set = berlin([all, fields], [all, {}], [store, {}]);
    const local = { ...set, local_timezone: 'America/New_York' };
    const window =
      'on FRI at 18:00–23:00 2 days later except 2026-12-25, 2027-01-01, 2027-01-02, 2027-01-03, 2027-01-04 and 3 more';
    expect(reasons(local)).toEqual([
      'rule_3: Wins: rule_3 has the narrower target, a store before the target “all” of rule_2.',
      'rule_2: Active, but rule_3 has the narrower target, a store before the target “all” of rule_2.',
      `rule_1: Not active: runs ${window}; the time of the store, in America/New_York, is FRI 2026-11-20 06:00.`,
    ]);
    expect(reasons(set)[2]).toContain(
      'the store has no time zone, and the time in that of the organization, Europe/Berlin, is FRI 2026-11-20 12:00.',
    );
  });

  test('a single active rule wins because no other is active', () => {
    expect(reasons(berlin([tag, {}]))).toEqual(['rule_1: Wins: no other rule is active now.']);
  });

  test('a narrower target is named', () => {
    expect(reasons(berlin([store, {}], [device, {}]))).toEqual([
      'rule_2: Wins: rule_2 has the narrower target, a device before the store of rule_1.',
      'rule_1: Active, but rule_2 has the narrower target, a device before the store of rule_1.',
    ]);
  });

  test('a later change is named', () => {
    const set = berlin([tag, { updated_at: '2026-02-01T00:00:00.000Z' }], [tag, {}]);
    expect(reasons(set)[0]).toBe('rule_1: Wins: rule_1 was changed later than rule_2.');
  });

  test('a tie down to the id is named', () => {
    expect(reasons(berlin([tag, {}], [tag, {}]))[0]).toBe(
      'rule_1: Wins: rule_1 equals rule_2 in priority, target and time of change, and its id comes first.',
    );
  });

  test('match exactly from the first instant of a window to the last', () => {
    const set = berlin([tag, { days: ['THU'], start_time: '22:00', end_time: '02:00' }], [tag, {}]);
    const matching = (instant: string) =>
      evaluate(set, LOBBY, Date.parse(instant))
        .candidates.filter(({ matches }) => matches)
        .map(({ rule_id }) => rule_id);
    expect(matching('2026-11-19T21:59:59.999+01:00')).toEqual([]);
    expect(matching('2026-11-19T22:00+01:00')).toEqual(['rule_1']);
    expect(matching('2026-11-20T01:59:59.999+01:00')).toEqual(['rule_1']);
    expect(matching('2026-11-20T02:00+01:00')).toEqual([]);
    expect(matching('2026-11-20T09:00+01:00')).toEqual(['rule_2']);
    expect(matching('2026-11-20T17:00+01:00')).toEqual([]);
  });

  test('are part of the answer as JSON', () => {
    const parsed: unknown = JSON.parse(JSON.stringify(evaluate(berlin([tag, {}]))));
    expect(parsed).toMatchObject({ candidates: [{ rule_id: 'rule_1', wins: true }] });
  });
});
