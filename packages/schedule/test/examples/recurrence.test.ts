import { examples, occurrences } from './examples.ts';

occurrences('special days', 'Europe/Berlin', [
  [
    'The last Friday of the month',
    'FREQ=MONTHLY;BYDAY=-1FR',
    '2026-11-01',
    '2026-11-27 12-25 2027-01-29 02-26 03-26 04-30',
  ],
  [
    'The fifth Monday, in months that have one',
    'FREQ=MONTHLY;BYDAY=5MO',
    '2026-11-01',
    '2026-11-30 2027-03-29 05-31 08-30 11-29',
  ],
  [
    '29 February, in leap years alone',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29',
    '2024-01-01',
    '2024-02-29 2028-02-29 2032-02-29',
  ],
  ['The anniversary of a 29 February', 'FREQ=YEARLY', '2024-02-29', '2024-02-29 2028-02-29'],
  [
    'The last day of February',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1',
    '2026-01-01',
    '2026-02-28 2027-02-28 2028-02-29 2029-02-28',
  ],
  [
    'The 31st, in months that have one',
    'FREQ=MONTHLY',
    '2026-01-31',
    '2026-01-31 03-31 05-31 07-31 08-31 10-31 12-31',
  ],
  [
    'The last working day of the month',
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
    '2026-10-01',
    '2026-10-30 11-30 12-31 2027-01-29 02-26',
  ],
  [
    'The first and last Monday or Friday of the year',
    'FREQ=YEARLY;BYDAY=MO,FR;BYSETPOS=1,-1',
    '2026-01-01',
    '2026-01-02 12-28 2027-01-01 12-31',
  ],
  [
    'The second weekend day of each quarter',
    'FREQ=MONTHLY;INTERVAL=3;BYDAY=SA,SU;BYSETPOS=2',
    '2026-01-01',
    '2026-01-04 04-05 07-05 10-04',
  ],
  [
    'Mondays and also the last Friday: a union',
    'FREQ=MONTHLY;BYDAY=MO,-1FR',
    '2026-11-20',
    '2026-11-23 27 30 12-07 14 21 25 28',
  ],
  [
    'The 13th of every month, as a yearly rule',
    'FREQ=YEARLY;BYMONTHDAY=13',
    '2026-10-01',
    '2026-10-13 11-13 12-13 2027-01-13',
  ],
  [
    'Mother’s day in Germany',
    'FREQ=YEARLY;BYMONTH=5;BYDAY=2SU',
    '2026-01-01',
    '2026-05-10 2027-05-09 2028-05-14',
  ],
  ['Thanksgiving', 'FREQ=YEARLY;BYMONTH=11;BYDAY=4TH', '2025-01-01', '2025-11-27 2026-11-26 2027-11-25'],
  ['The last Monday of the year', 'FREQ=YEARLY;BYDAY=-1MO', '2026-01-01', '2026-12-28 2027-12-27 2028-12-25'],
  [
    'The 53rd Thursday, in years that have one',
    'FREQ=YEARLY;BYDAY=53TH',
    '2025-01-01',
    '2026-12-31 2032-12-30',
  ],
  [
    'Every third month from the end of January',
    'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1',
    '2026-01-15',
    '2026-01-31 04-30 07-31 10-31 2027-01-31',
  ],
  [
    'Weekdays, as a daily rule',
    'FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR',
    '2026-11-19',
    '2026-11-19 20 23 24 25 26 27 30',
  ],
  [
    'Every third day, in December alone',
    'FREQ=DAILY;INTERVAL=3;BYMONTH=12',
    '2026-11-29',
    '2026-12-02 05 08 11 14 17 20 23 26 29 2027-12-03',
  ],
  [
    'The first and the last day of the month, by days',
    'FREQ=DAILY;BYMONTHDAY=1,-1',
    '2026-01-31',
    '2026-01-31 02-01 28 03-01 31',
  ],
  ['Weekly in summer', 'FREQ=WEEKLY;BYDAY=SA;BYMONTH=7,8', '2026-08-20', '2026-08-22 29 2027-07-03'],
  [
    'Small letters, spaces and a prefix',
    ' rrule:freq=weekly; byday=mo , we ',
    '2026-11-20',
    '2026-11-23 25 30',
  ],
  ['A plus sign before a number is allowed', 'FREQ=MONTHLY;BYDAY=+1MO', '2026-11-01', '2026-11-02 12-07'],
]);

occurrences('where a recurrence begins and how it is aligned', 'Europe/Berlin', [
  [
    'Biweekly from a Sunday, weeks from Sunday: two days in one week',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU',
    '2026-11-22',
    '2026-11-22 23 12-06 07 20 21',
  ],
  [
    'Biweekly from a Sunday, weeks from Monday: the Monday is in another week',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=MO',
    '2026-11-22',
    '2026-11-22 30 12-06 14 20 28',
  ],
  [
    'An anchor that does not match is no occurrence and is not counted',
    'FREQ=WEEKLY;BYDAY=MO;COUNT=2',
    '2026-11-20',
    '2026-11-23 30 end',
  ],
  [
    'COUNT passes over the days that do not exist',
    'FREQ=MONTHLY;BYMONTHDAY=31;COUNT=3',
    '2026-01-01',
    '2026-01-31 03-31 05-31 end',
  ],
  [
    'BYSETPOS looks at the whole first month, also before the anchor',
    'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1',
    '2026-11-10',
    '2026-12-07 2027-01-04',
  ],
  [
    'BYSETPOS looks at the whole first week too',
    'FREQ=WEEKLY;BYDAY=MO,FR;BYSETPOS=1',
    '2026-11-19',
    '2026-11-23 30',
  ],
  [
    'COUNT of days that all fit ends on the very day',
    'FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR,SA,SU;COUNT=3',
    '2026-11-20',
    '2026-11-20 21 22 end',
  ],
  [
    'COUNT begins after what the anchor cuts off',
    'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1,2;COUNT=3',
    '2026-11-05',
    '2026-11-09 12-07 14 end',
  ],
  [
    'Every other month is counted from the month of the anchor',
    'FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=1',
    '2026-11-20',
    '2027-01-01 03-01 05-01',
  ],
  [
    'Every other year is counted from the year of the anchor',
    'FREQ=YEARLY;INTERVAL=2;BYMONTH=1;BYMONTHDAY=1',
    '2026-11-20',
    '2028-01-01 2030-01-01',
  ],
  [
    'UNTIL as a date still opens on that day',
    'FREQ=DAILY;UNTIL=20261122',
    '2026-11-20',
    '2026-11-20 21 22 end',
  ],
  [
    'UNTIL on the wall clock at the very start still opens',
    'FREQ=DAILY;UNTIL=20261122T090000',
    '2026-11-20',
    '2026-11-20 21 22 end',
  ],
  [
    'UNTIL on the wall clock one second before does not',
    'FREQ=DAILY;UNTIL=20261122T085959',
    '2026-11-20',
    '2026-11-20 21 end',
  ],
  [
    'UNTIL as an instant at the very start still opens: 08:00Z is nine in Berlin',
    'FREQ=DAILY;UNTIL=20261122T080000Z',
    '2026-11-20',
    '2026-11-20 21 22 end',
  ],
  [
    'UNTIL as an instant one second before does not',
    'FREQ=DAILY;UNTIL=20261122T075959Z',
    '2026-11-20',
    '2026-11-20 21 end',
  ],
  ['UNTIL long before the start: never', 'FREQ=DAILY;UNTIL=20200101', '2026-11-20', 'end'],
]);

examples(
  'the second of two Fridays, overnight',
  'Europe/Berlin',
  { rrule: 'FREQ=WEEKLY;BYDAY=FR;COUNT=2', starts_on: '2026-11-13', start_time: '22:00', end_time: '02:00' },
  [
    [
      'The last window goes on past midnight although COUNT is used up',
      '2026-11-21T01:59+01:00',
      'on',
      '2026-11-21T02:00+01:00',
    ],
    ['Then the rule is over', '2026-11-21T02:00+01:00', 'off', 'never'],
    ['It is not over between the two', '2026-11-14T02:00+01:00', 'off', '2026-11-20T22:00+01:00'],
  ],
);

examples(
  'until a date, overnight',
  'Europe/Berlin',
  { rrule: 'FREQ=DAILY;UNTIL=20261120', starts_on: '2026-11-01', start_time: '22:00', end_time: '02:00' },
  [
    ['The last window may open on that date', '2026-11-20T22:00+01:00', 'on', '2026-11-21T02:00+01:00'],
    ['It runs past midnight', '2026-11-21T01:00+01:00', 'on', '2026-11-21T02:00+01:00'],
    ['None opens the day after', '2026-11-21T22:00+01:00', 'off', 'never'],
  ],
);

examples(
  'until an instant that the window’s start passes',
  'America/New_York',
  {
    rrule: 'FREQ=DAILY;UNTIL=20261121T030000Z',
    starts_on: '2026-11-01',
    start_time: '22:00',
    end_time: '23:00',
  },
  [
    [
      '03:00Z on the 21st is 22:00 on the 20th: it still opens',
      '2026-11-20T22:30-05:00',
      'on',
      '2026-11-20T23:00-05:00',
    ],
    ['That was the last one', '2026-11-20T23:00-05:00', 'off', 'never'],
  ],
);

examples(
  'until an instant inside the skipped hour’s jump',
  'America/New_York',
  {
    rrule: 'FREQ=DAILY;UNTIL=20260308T070000Z',
    starts_on: '2026-03-01',
    start_time: '02:30',
    end_time: '04:00',
  },
  [
    [
      'A window that starts in the skipped hour opens at the jump, which is no later',
      '2026-03-08T03:00-04:00',
      'on',
      '2026-03-08T04:00-04:00',
    ],
    ['The next day is too late', '2026-03-08T04:00-04:00', 'off', 'never'],
  ],
);

examples(
  'until an instant between the two half past ones',
  'America/New_York',
  {
    rrule: 'FREQ=DAILY;UNTIL=20261101T054500Z',
    starts_on: '2026-10-30',
    start_time: '01:30',
    end_time: '01:40',
  },
  [
    [
      'The first 01:30 is early enough, so the window is good',
      '2026-11-01T01:30-04:00',
      'on',
      '2026-11-01T01:40-04:00',
    ],
    ['And it is read again in the second pass', '2026-11-01T01:35-05:00', 'on', '2026-11-01T01:40-05:00'],
    ['The next day is too late', '2026-11-01T01:40-05:00', 'off', 'never'],
  ],
);

examples(
  'until an instant after the clock went back into yesterday',
  'America/St_Johns',
  {
    rrule: 'FREQ=DAILY;UNTIL=20101107T030000Z',
    starts_on: '2010-11-01',
    start_time: '00:00',
    end_time: '12:00',
  },
  [
    [
      'Half past eleven on Saturday for the second time: Sunday had begun before, so its window is good',
      '2010-11-06T23:30-03:30',
      'off',
      '2010-11-07T00:00-03:30',
    ],
    ['It is the last', '2010-11-07T12:00-03:30', 'off', 'never'],
  ],
);

examples(
  'anchored by DTSTART',
  'Europe/Berlin',
  { rrule: 'DTSTART:20261121T120000\nRRULE:FREQ=DAILY;INTERVAL=2', start_time: '09:00', end_time: '10:00' },
  [
    ['Not before the anchor', '2026-11-19T09:00+01:00', 'off', '2026-11-21T09:00+01:00'],
    ['Every other day from there', '2026-11-23T09:30+01:00', 'on', '2026-11-23T10:00+01:00'],
  ],
);

examples(
  'anchored by a DTSTART in UTC',
  'Pacific/Auckland',
  { rrule: 'RRULE:FREQ=MONTHLY\r\nDTSTART:20261120T120000Z', start_time: '09:00', end_time: '10:00' },
  [
    [
      'Noon UTC on the 20th is the 21st in Auckland',
      '2026-12-21T09:30+13:00',
      'on',
      '2026-12-21T10:00+13:00',
    ],
    ['So the 20th is not a day of the rule', '2026-12-20T09:30+13:00', 'off', '2026-12-21T09:00+13:00'],
  ],
);

examples(
  'anchored by starts_on rather than DTSTART',
  'Europe/Berlin',
  {
    rrule: 'DTSTART;TZID=Europe/Berlin:20261120T090000\nRRULE:FREQ=WEEKLY',
    starts_on: '2026-11-24',
    start_time: '09:00',
    end_time: '10:00',
  },
  [
    [
      'The day of the week is that of starts_on, a Tuesday',
      '2026-11-24T09:00+01:00',
      'on',
      '2026-11-24T10:00+01:00',
    ],
    ['And not that of DTSTART, a Friday', '2026-11-27T09:00+01:00', 'off', '2026-12-01T09:00+01:00'],
  ],
);

examples(
  'anchored by the day of its creation',
  'America/Los_Angeles',
  { rrule: 'FREQ=MONTHLY', created_at: '2026-11-20T05:00:00.000Z', start_time: '09:00', end_time: '10:00' },
  [
    [
      '05:00Z on the 20th is the 19th in Los Angeles',
      '2026-11-19T09:30-08:00',
      'on',
      '2026-11-19T10:00-08:00',
    ],
    ['Month by month from there', '2026-11-20T09:30-08:00', 'off', '2026-12-19T09:00-08:00'],
    ['There is nothing before the rule was made', '2026-10-19T09:30-07:00', 'off', '2026-11-19T09:00-08:00'],
  ],
);

examples(
  'a yearly rule',
  'Europe/Berlin',
  {
    rrule: 'FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=31',
    starts_on: '2020-01-01',
    start_time: '18:00',
    end_time: '06:00',
  },
  [
    ['New Year’s Eve begins', '2026-12-31T18:00+01:00', 'on', '2027-01-01T06:00+01:00'],
    ['It goes on into the new year', '2027-01-01T05:59+01:00', 'on', '2027-01-01T06:00+01:00'],
    ['And comes back in a year', '2027-01-01T06:00+01:00', 'off', '2027-12-31T18:00+01:00'],
  ],
);

examples(
  'a leap day rule',
  'Europe/Berlin',
  {
    rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29',
    starts_on: '2020-01-01',
    start_time: '00:00',
    end_time: '24:00',
  },
  [
    ['The leap day is years away: no change within 366 days', '2025-06-01T00:00+02:00', 'off', 'never'],
    ['366 days before, the change is in sight', '2027-02-28T00:00+01:00', 'off', '2028-02-29T00:00+01:00'],
    ['A millisecond earlier it is not', '2027-02-27T23:59:59.999+01:00', 'off', 'never'],
    ['On the day', '2028-02-29T12:00+01:00', 'on', '2028-03-01T00:00+01:00'],
  ],
);

examples(
  'ends_on cuts a recurrence',
  'Europe/Berlin',
  {
    rrule: 'FREQ=DAILY;COUNT=10',
    starts_on: '2026-11-20',
    ends_on: '2026-11-22',
    start_time: '22:00',
    end_time: '01:00',
  },
  [
    ['The last evening', '2026-11-22T23:59+01:00', 'on', '2026-11-23T01:00+01:00'],
    ['No further evening, although COUNT has some left', '2026-11-23T01:00+01:00', 'off', 'never'],
  ],
);
