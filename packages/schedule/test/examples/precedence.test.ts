import { describe, expect, test } from 'vitest';
import { activeAt, compileSchedules } from '../../src/index.ts';
import type { ActiveAnswer, DeviceMembership, Rule, Schedule, ScheduleSet, Target } from '../../src/index.ts';
import { makeRule, makeSchedule } from '../rules.ts';

const LOBBY: DeviceMembership = {
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
const elsewhere: readonly Target[] = [{ type: 'store', id: 'store_2' }];

function ask(set: ScheduleSet, asker: DeviceMembership = LOBBY, at = FRIDAY_NOON): ActiveAnswer {
  return activeAt(compileSchedules(set), asker, at);
}

function at(time: string): number {
  return Date.parse(`2026-11-20T${time}+01:00`);
}

function untilOf(set: ScheduleSet, time: string): number | null {
  return ask(set, LOBBY, at(time)).until;
}

function reasons(set: ScheduleSet): string[] {
  return ask(set).candidates.map(({ rule_id, reason }) => `${rule_id}: ${reason}`);
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
    expect(ask(set).rule?.id ?? null).toBe(winner);
  });

  test('of one rule in two schedules, the smaller schedule id, whichever is given first', () => {
    const set = berlin([tag, { id: 'rule_1' }], [tag, { id: 'rule_1' }]);
    const turned = { ...set, schedules: set.schedules.toReversed() };
    expect(ask(set).schedule?.id).toBe('sch_1');
    expect(ask(turned).schedule?.id).toBe('sch_1');
  });

  test('a device without a store is reached by tag and by itself only', () => {
    const roaming = { ...LOBBY, store_id: null };
    expect(ask(berlin([store, {}]), roaming).rule).toBeNull();
    expect(ask(berlin([store, {}], [tag, {}]), roaming).rule?.id).toBe('rule_2');
  });

  test('a manifest asks for all of its targets, by their kinds', () => {
    const compiled = compileSchedules(berlin([store, {}], [tag, {}]));
    const answer = activeAt(compiled, { reaches: 'all', base_playlist_id: null }, FRIDAY_NOON);
    expect(answer.rule?.id).toBe('rule_2');
  });

  test('in a manifest a schedule whose targets are all unknown still reaches, as the widest', () => {
    const manifest = { reaches: 'all', base_playlist_id: null } as const;
    const beside = compileSchedules(berlin([store, {}], [[], {}]));
    expect(activeAt(beside, manifest, FRIDAY_NOON).rule?.id).toBe('rule_1');
    const above = compileSchedules(berlin([store, {}], [[], { priority: 9 }]));
    expect(activeAt(above, manifest, FRIDAY_NOON).rule?.id).toBe('rule_2');
  });

  test('one compiled set answers each device for itself', () => {
    const compiled = compileSchedules(berlin([store, {}], [device, {}]));
    const other = { ...LOBBY, id: 'dev_other' };
    expect(activeAt(compiled, LOBBY, FRIDAY_NOON).rule?.id).toBe('rule_2');
    expect(activeAt(compiled, other, FRIDAY_NOON).rule?.id).toBe('rule_1');
    expect(activeAt(compiled, LOBBY, FRIDAY_NOON).rule?.id).toBe('rule_2');
  });

  test('a device that changes its tags is asked about anew', () => {
    const compiled = compileSchedules(berlin([tag, {}]));
    expect(activeAt(compiled, LOBBY, FRIDAY_NOON).rule?.id).toBe('rule_1');
    expect(activeAt(compiled, { ...LOBBY, tags: [] }, FRIDAY_NOON).rule).toBeNull();
  });

  test('more devices than are kept in mind all get their own answer', () => {
    const compiled = compileSchedules(berlin([device, {}]));
    for (let round = 0; round < 2; round++)
      for (let index = 0; index < 150; index++) {
        const asker = { ...LOBBY, id: index === 77 ? 'dev_lobby' : `dev_${index}` };
        expect(activeAt(compiled, asker, FRIDAY_NOON).rule?.id ?? null).toBe(index === 77 ? 'rule_1' : null);
      }
  });
});

describe('what is shown', () => {
  test('the rule’s playlist, with its schedule', () => {
    const answer = ask(berlin([tag, {}]));
    expect(answer).toMatchObject({
      source: 'schedule',
      playlist_id: 'pl_1',
      schedule: { id: 'sch_1', name: 'Schedule 1' },
    });
  });

  test('without a rule the deployed playlist', () => {
    const answer = ask(berlin([tag, { days: ['SAT'] }]));
    expect(answer).toMatchObject({
      source: 'deployment',
      playlist_id: 'pl_base',
      schedule: null,
      rule: null,
    });
  });

  test('without that nothing', () => {
    const answer = ask(berlin(), { ...LOBBY, base_playlist_id: null });
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

  test('a rule that takes over ends the answer when it starts', () => {
    const set = berlin(
      [tag, { start_time: '09:00', end_time: '17:00' }],
      [tag, { priority: 5, start_time: '12:00', end_time: '13:00' }],
    );
    expect(untilOf(set, '09:30')).toBe(at('12:00'));
    expect(untilOf(set, '12:30')).toBe(at('13:00'));
    expect(untilOf(set, '13:00')).toBe(at('17:00'));
  });

  test('also one with the very same playlist: another rule is another answer', () => {
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

  test('a rule that hands over to a rule with the same times on another day still hands over', () => {
    const set = berlin(
      [tag, { days: ['FRI'], start_time: '00:00', end_time: '24:00' }],
      [tag, { days: ['SAT'], start_time: '00:00', end_time: '24:00' }],
    );
    expect(untilOf(set, '12:00')).toBe(Date.parse('2026-11-21T00:00+01:00'));
  });

  test('a year of a rule that always wins has no change, even with a thousand others below', () => {
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
    expect(ask(set).candidates).toEqual([
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
          'Not active: runs on MON, TUE at 22:00–02:00 of the next day; the clock reads FRI 2026-11-20 12:00.',
      },
      {
        schedule_id: 'sch_4',
        rule_id: 'rule_4',
        priority: 0,
        matches: false,
        wins: false,
        reason:
          'Not active: runs by FREQ=MONTHLY;BYDAY=1MO at 09:00–17:00 from 2026-01-01 to 2026-12-31; the clock reads FRI 2026-11-20 12:00.',
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

  test('a rule alone wins because no other is active', () => {
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

  test('match from the first instant of a window to the last, and no longer', () => {
    const set = berlin([tag, { days: ['THU'], start_time: '22:00', end_time: '02:00' }], [tag, {}]);
    const matching = (instant: string) =>
      ask(set, LOBBY, Date.parse(instant))
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
    const parsed: unknown = JSON.parse(JSON.stringify(ask(berlin([tag, {}]))));
    expect(parsed).toMatchObject({ candidates: [{ rule_id: 'rule_1', wins: true }] });
  });
});
