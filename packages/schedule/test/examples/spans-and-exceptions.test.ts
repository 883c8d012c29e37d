import { describe, expect, test } from 'vitest';
import { compileSchedules, evaluateSchedules, moveExdates } from '../../src/index.ts';
import { MANIFEST_DEVICE, makeRule, makeSet } from '../rules.ts';
import { examples } from './examples.ts';

examples(
  'a weekend in one rule',
  'Europe/Berlin',
  { days: ['FRI'], start_time: '18:00', end_time: '23:00', end_day_offset: 2 },
  [
    ['Friday before it opens', '2026-11-20T17:59+01:00', 'off', '2026-11-20T18:00+01:00'],
    ['Friday evening', '2026-11-20T18:00+01:00', 'on', '2026-11-22T23:00+01:00'],
    ['All of Saturday', '2026-11-21T04:00+01:00', 'on', '2026-11-22T23:00+01:00'],
    ['Sunday after the time at which it opened', '2026-11-22T22:59+01:00', 'on', '2026-11-22T23:00+01:00'],
    ['Sunday night', '2026-11-22T23:00+01:00', 'off', '2026-11-27T18:00+01:00'],
    [
      'Over the end of summer time it is an hour longer',
      '2026-10-24T12:00+02:00',
      'on',
      '2026-10-25T23:00+01:00',
    ],
  ],
);

examples(
  'to the end of the next day',
  'Europe/Berlin',
  { days: ['FRI'], start_time: '23:00', end_time: '24:00', end_day_offset: 1 },
  [['Saturday late', '2026-11-21T23:59+01:00', 'on', '2026-11-22T00:00+01:00']],
);

examples(
  'an offset of one day with the end before the start is the ordinary night',
  'Europe/Berlin',
  { days: ['FRI'], start_time: '22:00', end_time: '02:00', end_day_offset: 1 },
  [
    ['Friday night', '2026-11-20T23:00+01:00', 'on', '2026-11-21T02:00+01:00'],
    ['Saturday', '2026-11-21T02:00+01:00', 'off', '2026-11-27T22:00+01:00'],
  ],
);

examples(
  'windows that overlap are one',
  'Europe/Berlin',
  { days: ['MON', 'WED'], start_time: '12:00', end_time: '18:00', end_day_offset: 2 },
  [['Monday', '2026-11-23T12:00+01:00', 'on', '2026-11-27T18:00+01:00']],
);

examples(
  'seven days from Monday on never end',
  'Europe/Berlin',
  { days: ['MON'], start_time: '00:00', end_time: '24:00', end_day_offset: 6 },
  [['Any time', '2026-11-19T12:00+01:00', 'on', 'never']],
);

examples(
  'not on Christmas',
  'Europe/Berlin',
  {
    days: ['THU', 'FRI'],
    start_time: '22:00',
    end_time: '02:00',
    except_dates: ['2026-12-25', '2026-12-31'],
  },
  [
    ['The night before runs to its end', '2026-12-25T01:00+01:00', 'on', '2026-12-25T02:00+01:00'],
    ['No window opens on the day itself', '2026-12-25T22:30+01:00', 'off', '2027-01-01T22:00+01:00'],
  ],
);

examples(
  'EXDATE leaves a day out and does not count another one instead',
  'America/New_York',
  {
    rrule: 'DTSTART:20261120\nRRULE:FREQ=DAILY;COUNT=4\nEXDATE:20261121\nEXDATE:20261123T023000Z',
    start_time: '09:00',
    end_time: '10:00',
  },
  [
    ['The first', '2026-11-20T09:30-05:00', 'on', '2026-11-20T10:00-05:00'],
    // The instant is 22 November, 21:30, in New York.
    ['Two days are left out', '2026-11-20T12:00-05:00', 'off', '2026-11-23T09:00-05:00'],
    ['The fourth is the last', '2026-11-23T12:00-05:00', 'off', 'never'],
  ],
);

describe('a rule with local_time is read in the zone of the store', () => {
  const set = {
    ...makeSet(
      'Europe/Berlin',
      makeRule({ id: 'lunch', start_time: '12:00', end_time: '13:00', local_time: true, priority: 1 }),
      makeRule({ id: 'day', start_time: '08:00', end_time: '20:00' }),
    ),
    local_timezone: 'America/New_York',
  };
  const shown = (local_timezone: string | null, at: string) => {
    const { rule, until } = evaluateSchedules(
      compileSchedules({ ...set, local_timezone }),
      MANIFEST_DEVICE,
      Date.parse(at),
    );
    return [rule?.id ?? null, until === null ? null : new Date(until).toISOString()];
  };

  test('beside rules in the zone of the organization, each by its own clock', () => {
    expect(shown('America/New_York', '2026-11-20T12:30+01:00')).toEqual(['day', '2026-11-20T17:00:00.000Z']);
    expect(shown('America/New_York', '2026-11-20T12:30-05:00')).toEqual([
      'lunch',
      '2026-11-20T18:00:00.000Z',
    ]);
    // In Europe summer time ends a week earlier.
    expect(shown('America/New_York', '2026-10-27T12:30-04:00')).toEqual([
      'lunch',
      '2026-10-27T17:00:00.000Z',
    ]);
  });

  test('without a zone in that of the organization', () => {
    expect(shown(null, '2026-11-20T12:30+01:00')).toEqual(['lunch', '2026-11-20T12:00:00.000Z']);
  });

  test('by the offsets that are supplied for it', () => {
    const { zones } = {
      zones: {
        'Mars/Olympus': {
          from: '2026-01-01T00:00:00.000Z',
          until: '2027-01-01T00:00:00.000Z',
          offset: 7200,
          transitions: [],
        },
      },
    };
    const compiled = compileSchedules({ ...set, zones, local_timezone: 'Mars/Olympus' });
    const at = Date.parse('2026-11-20T12:30+02:00');
    expect(evaluateSchedules(compiled, MANIFEST_DEVICE, at).rule?.id).toBe('lunch');
    expect(() => compileSchedules({ ...set, local_timezone: 'Mars/Olympus' })).toThrow(RangeError);
  });

  test('its exceptions and its anchor are days of the store as well', () => {
    const rule = makeRule({
      rrule: 'FREQ=DAILY;COUNT=2',
      start_time: '20:00',
      end_time: '21:00',
      created_at: '2026-11-20T02:00:00.000Z',
      local_time: true,
    });
    const compiled = compileSchedules({
      ...makeSet('UTC', rule, { ...rule, id: 'skips', except_dates: ['2026-11-21T02:00:00Z'], priority: 1 }),
      local_timezone: 'America/New_York',
    });
    const at = (text: string) => evaluateSchedules(compiled, MANIFEST_DEVICE, Date.parse(text)).rule?.id;
    expect(['19', '20', '21'].map((day) => at(`2026-11-${day}T20:30-05:00`))).toEqual([
      'skips',
      'rule_1',
      undefined,
    ]);
  });
});

describe('EXDATE lines can be moved to except_dates', () => {
  test('with all that they name, so that what remains is the rule without exceptions', () => {
    expect(
      moveExdates(
        'DTSTART:20261120\r\nRRULE:FREQ=DAILY\nexdate;VALUE=DATE:20261225,20261226\nEXDATE:20270101T080000Z',
        ['2026-12-25'],
      ),
    ).toEqual({
      rrule: 'DTSTART:20261120\nRRULE:FREQ=DAILY',
      except_dates: ['2026-12-25', '2026-12-26', '2027-01-01T08:00:00.000Z'],
    });
  });

  test.each(['FREQ=DAILY', 'RRULE:FREQ=NEVER\nEXDATE:20261225', 'EXDATE:tomorrow'])(
    '%j stays as it is',
    (rrule) => {
      expect(moveExdates(rrule, [])).toEqual({ rrule, except_dates: [] });
    },
  );
});
