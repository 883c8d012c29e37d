import { examples } from './examples.ts';

examples(
  'weekdays from nine to five',
  'Europe/Berlin',
  { days: ['MON', 'TUE', 'WED', 'THU', 'FRI'], start_time: '09:00', end_time: '17:00' },
  [
    ['One millisecond early', '2026-11-20T08:59:59.999+01:00', 'off', '2026-11-20T09:00+01:00'],
    ['The start belongs to the window', '2026-11-20T09:00+01:00', 'on', '2026-11-20T17:00+01:00'],
    ['The last millisecond', '2026-11-20T16:59:59.999+01:00', 'on', '2026-11-20T17:00+01:00'],
    ['The end does not belong to it', '2026-11-20T17:00+01:00', 'off', '2026-11-23T09:00+01:00'],
    ['The weekend is off', '2026-11-21T12:00+01:00', 'off', '2026-11-23T09:00+01:00'],
  ],
);

examples('Friday night', 'Europe/Berlin', { days: ['FRI'], start_time: '22:00', end_time: '02:00' }, [
  ['Friday before it opens', '2026-11-20T21:59+01:00', 'off', '2026-11-20T22:00+01:00'],
  ['Friday evening', '2026-11-20T22:00+01:00', 'on', '2026-11-21T02:00+01:00'],
  ['Midnight changes nothing', '2026-11-21T00:00+01:00', 'on', '2026-11-21T02:00+01:00'],
  ['Saturday at one belongs to Friday', '2026-11-21T01:00+01:00', 'on', '2026-11-21T02:00+01:00'],
  ['Saturday at two it is over', '2026-11-21T02:00+01:00', 'off', '2026-11-27T22:00+01:00'],
  ['Saturday evening is not Friday evening', '2026-11-21T22:00+01:00', 'off', '2026-11-27T22:00+01:00'],
  ['Friday at one belongs to Thursday', '2026-11-20T01:00+01:00', 'off', '2026-11-20T22:00+01:00'],
]);

examples(
  'Sunday night into Monday',
  'Europe/Berlin',
  { days: ['SUN'], start_time: '23:00', end_time: '06:00' },
  [
    ['Sunday late', '2026-11-22T23:30+01:00', 'on', '2026-11-23T06:00+01:00'],
    ['Monday early', '2026-11-23T05:59+01:00', 'on', '2026-11-23T06:00+01:00'],
    ['Monday late', '2026-11-23T23:30+01:00', 'off', '2026-11-29T23:00+01:00'],
  ],
);

examples('a window to 24:00', 'Europe/Berlin', { days: ['FRI'], start_time: '18:00', end_time: '24:00' }, [
  ['The last minute of the day', '2026-11-20T23:59+01:00', 'on', '2026-11-21T00:00+01:00'],
  ['Midnight', '2026-11-21T00:00+01:00', 'off', '2026-11-27T18:00+01:00'],
]);

examples('a window to 00:00', 'Europe/Berlin', { days: ['FRI'], start_time: '18:00', end_time: '00:00' }, [
  ['It runs to midnight, no further', '2026-11-20T23:59+01:00', 'on', '2026-11-21T00:00+01:00'],
  ['Friday’s first minute is not in it', '2026-11-20T00:00+01:00', 'off', '2026-11-20T18:00+01:00'],
]);

examples(
  'all of Friday, written 00:00 to 24:00',
  'Europe/Berlin',
  { days: ['FRI'], start_time: '00:00', end_time: '24:00' },
  [
    ['The first instant', '2026-11-20T00:00+01:00', 'on', '2026-11-21T00:00+01:00'],
    ['Noon', '2026-11-20T12:00+01:00', 'on', '2026-11-21T00:00+01:00'],
    ['Saturday', '2026-11-21T00:00+01:00', 'off', '2026-11-27T00:00+01:00'],
  ],
);

examples(
  'all of Friday, written 00:00 to 00:00',
  'Europe/Berlin',
  { days: ['FRI'], start_time: '00:00', end_time: '00:00' },
  [
    ['The first instant', '2026-11-20T00:00+01:00', 'on', '2026-11-21T00:00+01:00'],
    ['Saturday', '2026-11-21T00:00+01:00', 'off', '2026-11-27T00:00+01:00'],
  ],
);

examples(
  '24 hours from ten on Friday',
  'Europe/Berlin',
  { days: ['FRI'], start_time: '10:00', end_time: '10:00' },
  [
    ['Friday morning', '2026-11-20T09:59+01:00', 'off', '2026-11-20T10:00+01:00'],
    ['Saturday at nine', '2026-11-21T09:00+01:00', 'on', '2026-11-21T10:00+01:00'],
    ['Saturday at ten', '2026-11-21T10:00+01:00', 'off', '2026-11-27T10:00+01:00'],
  ],
);

examples(
  '24 hours from ten on Friday and on Saturday',
  'Europe/Berlin',
  { days: ['FRI', 'SAT'], start_time: '10:00', end_time: '10:00' },
  [
    [
      'Two rounds of the clock join: no change between them',
      '2026-11-20T12:00+01:00',
      'on',
      '2026-11-22T10:00+01:00',
    ],
  ],
);

examples('always', 'Europe/Berlin', { start_time: '00:00', end_time: '24:00' }, [
  ['It never changes', '2026-11-20T12:00+01:00', 'on', 'never'],
  ['Also not over the changes of the clock', '2026-03-28T12:00+01:00', 'on', 'never'],
]);

examples('every day but one minute', 'Europe/Berlin', { start_time: '00:01', end_time: '00:00' }, [
  ['In the evening', '2026-11-20T23:59+01:00', 'on', '2026-11-21T00:00+01:00'],
  ['In the one minute', '2026-11-21T00:00:30+01:00', 'off', '2026-11-21T00:01+01:00'],
]);

examples('one minute', 'Europe/Berlin', { days: ['WED'], start_time: '23:59', end_time: '24:00' }, [
  ['Just before', '2026-11-25T23:58:59+01:00', 'off', '2026-11-25T23:59+01:00'],
  ['In it', '2026-11-25T23:59:59+01:00', 'on', '2026-11-26T00:00+01:00'],
]);

examples(
  'Thursday over New Year',
  'Europe/Berlin',
  { days: ['THU'], start_time: '20:00', end_time: '04:00' },
  [
    ['New Year’s Eve 2026 is a Thursday', '2026-12-31T23:59:59.999+01:00', 'on', '2027-01-01T04:00+01:00'],
    ['The year changes, the rule does not', '2027-01-01T00:00+01:00', 'on', '2027-01-01T04:00+01:00'],
    ['Over at four', '2027-01-01T04:00+01:00', 'off', '2027-01-07T20:00+01:00'],
  ],
);

examples(
  'leap day 2028 is a Tuesday',
  'Europe/Berlin',
  { days: ['TUE'], start_time: '22:00', end_time: '02:00' },
  [
    ['On 29 February', '2028-02-29T23:00+01:00', 'on', '2028-03-01T02:00+01:00'],
    ['On 1 March, still 29 February’s window', '2028-03-01T01:00+01:00', 'on', '2028-03-01T02:00+01:00'],
  ],
);

examples(
  'from a date to a date',
  'Europe/Berlin',
  { start_time: '09:00', end_time: '17:00', starts_on: '2026-12-01', ends_on: '2026-12-24' },
  [
    ['Weeks before', '2026-11-20T12:00+01:00', 'off', '2026-12-01T09:00+01:00'],
    ['The evening before', '2026-11-30T12:00+01:00', 'off', '2026-12-01T09:00+01:00'],
    ['The first day', '2026-12-01T09:00+01:00', 'on', '2026-12-01T17:00+01:00'],
    ['The last day is included', '2026-12-24T16:59+01:00', 'on', '2026-12-24T17:00+01:00'],
    ['The day after', '2026-12-25T12:00+01:00', 'off', 'never'],
  ],
);

examples(
  'an overnight window on its last day',
  'Europe/Berlin',
  { start_time: '22:00', end_time: '02:00', starts_on: '2026-12-01', ends_on: '2026-12-24' },
  [
    [
      'The first day begins with its own evening, not the night before',
      '2026-12-01T01:00+01:00',
      'off',
      '2026-12-01T22:00+01:00',
    ],
    ['The last evening runs past midnight', '2026-12-25T01:00+01:00', 'on', '2026-12-25T02:00+01:00'],
    ['And that was it', '2026-12-25T22:00+01:00', 'off', 'never'],
  ],
);

examples(
  'one day only',
  'Europe/Berlin',
  { start_time: '00:00', end_time: '24:00', starts_on: '2026-12-24', ends_on: '2026-12-24' },
  [
    ['Before', '2026-12-23T23:59:59+01:00', 'off', '2026-12-24T00:00+01:00'],
    ['On the day', '2026-12-24T18:00+01:00', 'on', '2026-12-25T00:00+01:00'],
  ],
);

examples(
  'a start more than a year away',
  'Europe/Berlin',
  { start_time: '09:00', end_time: '17:00', starts_on: '2028-06-01' },
  [
    ['Nothing within 366 days', '2026-11-20T12:00+01:00', 'off', 'never'],
    ['In sight', '2027-06-02T00:00+02:00', 'off', '2028-06-01T09:00+02:00'],
  ],
);
