import { examples } from './examples.ts';

// New York, 8 March 2026: at 02:00 the clock goes forward to 03:00. The hour from two to three is skipped.
examples('a window inside the skipped hour', 'America/New_York', { start_time: '02:15', end_time: '02:45' }, [
  ['The night before it shows as usual', '2026-03-07T02:15-05:00', 'on', '2026-03-07T02:45-05:00'],
  ['On the night itself it never shows', '2026-03-08T01:59:59-05:00', 'off', '2026-03-09T02:15-04:00'],
  ['Nor after the jump', '2026-03-08T03:00-04:00', 'off', '2026-03-09T02:15-04:00'],
]);

examples(
  'a window that starts inside the skipped hour',
  'America/New_York',
  { start_time: '02:30', end_time: '05:00' },
  [
    ['It begins at the jump', '2026-03-08T01:59:59-05:00', 'off', '2026-03-08T03:00-04:00'],
    ['It ends when the clock says so', '2026-03-08T03:00-04:00', 'on', '2026-03-08T05:00-04:00'],
  ],
);

examples(
  'a single start inside the skipped hour of next year',
  'America/New_York',
  { rrule: 'FREQ=DAILY;COUNT=1', starts_on: '2027-03-14', start_time: '02:30', end_time: '05:00' },
  [
    ['A millisecond too early to see it', '2026-03-13T02:59:59.999-04:00', 'off', 'never'],
    ['366 days before, the jump is in sight', '2026-03-13T03:00-04:00', 'off', '2027-03-14T03:00-04:00'],
  ],
);

examples(
  'a window that ends inside the skipped hour',
  'America/New_York',
  { start_time: '00:30', end_time: '02:30' },
  [
    ['It stops at the jump', '2026-03-08T01:59-05:00', 'on', '2026-03-08T03:00-04:00'],
    ['After the jump it is over', '2026-03-08T03:00-04:00', 'off', '2026-03-09T00:30-04:00'],
  ],
);

examples(
  'a window that ends when the skipped hour begins',
  'America/New_York',
  { start_time: '01:00', end_time: '02:00' },
  [['It stops at the jump, which is two o’clock', '2026-03-08T01:59-05:00', 'on', '2026-03-08T03:00-04:00']],
);

examples(
  'a window over the skipped hour',
  'America/New_York',
  { days: ['SUN'], start_time: '01:00', end_time: '04:00' },
  [['Three hours of the clock, two of time', '2026-03-08T01:00-05:00', 'on', '2026-03-08T04:00-04:00']],
);

examples(
  '24 hours over the skipped hour',
  'America/New_York',
  { days: ['SAT'], start_time: '12:00', end_time: '12:00' },
  [['One round of the clock, 23 hours of time', '2026-03-07T12:00-05:00', 'on', '2026-03-08T12:00-04:00']],
);

examples(
  'all of a Sunday with 23 hours',
  'America/New_York',
  { days: ['SUN'], start_time: '00:00', end_time: '24:00' },
  [['From midnight to midnight', '2026-03-08T00:00-05:00', 'on', '2026-03-09T00:00-04:00']],
);

examples(
  'overnight over the skipped hour',
  'America/New_York',
  { days: ['SAT'], start_time: '22:00', end_time: '06:00' },
  [['It ends at six on the clock', '2026-03-07T22:00-05:00', 'on', '2026-03-08T06:00-04:00']],
);

// New York, 1 November 2026: at 02:00 the clock goes back to 01:00. The hour from one to two is repeated.
examples(
  'a window inside the repeated hour',
  'America/New_York',
  { start_time: '01:15', end_time: '01:45' },
  [
    ['It shows in the first pass', '2026-11-01T01:15-04:00', 'on', '2026-11-01T01:45-04:00'],
    ['It pauses between', '2026-11-01T01:45-04:00', 'off', '2026-11-01T01:15-05:00'],
    ['It shows in the second pass', '2026-11-01T01:15-05:00', 'on', '2026-11-01T01:45-05:00'],
    ['Then it is over for the day', '2026-11-01T01:45-05:00', 'off', '2026-11-02T01:15-05:00'],
  ],
);

examples(
  'a window that starts inside the repeated hour',
  'America/New_York',
  { start_time: '01:30', end_time: '03:00' },
  [
    ['It shows from half past one to the change', '2026-11-01T01:30-04:00', 'on', '2026-11-01T01:00-05:00'],
    ['The clock reads one again: not yet', '2026-11-01T01:00-05:00', 'off', '2026-11-01T01:30-05:00'],
    ['The second half past one', '2026-11-01T01:30-05:00', 'on', '2026-11-01T03:00-05:00'],
  ],
);

examples(
  'a window that ends inside the repeated hour',
  'America/New_York',
  { start_time: '00:00', end_time: '01:30' },
  [
    ['It ends at the first half past one', '2026-11-01T00:00-04:00', 'on', '2026-11-01T01:30-04:00'],
    [
      'When the clock goes back to one, it shows again',
      '2026-11-01T01:30-04:00',
      'off',
      '2026-11-01T01:00-05:00',
    ],
    ['To the second half past one', '2026-11-01T01:00-05:00', 'on', '2026-11-01T01:30-05:00'],
  ],
);

examples(
  'a window over both passes',
  'America/New_York',
  { days: ['SUN'], start_time: '01:00', end_time: '02:00' },
  [
    [
      'One hour of the clock, two of time, without a break',
      '2026-11-01T01:00-04:00',
      'on',
      '2026-11-01T02:00-05:00',
    ],
  ],
);

examples(
  '24 hours over the repeated hour',
  'America/New_York',
  { days: ['SAT'], start_time: '12:00', end_time: '12:00' },
  [['One round of the clock, 25 hours of time', '2026-10-31T12:00-04:00', 'on', '2026-11-01T12:00-05:00']],
);

examples(
  '24 hours that start inside the repeated hour',
  'America/New_York',
  { days: ['SAT'], start_time: '01:30', end_time: '01:30' },
  [
    [
      'It ends at the first half past one on Sunday',
      '2026-10-31T12:00-04:00',
      'on',
      '2026-11-01T01:30-04:00',
    ],
    [
      'And shows once more when the clock is back at one',
      '2026-11-01T01:00-05:00',
      'on',
      '2026-11-01T01:30-05:00',
    ],
  ],
);

examples(
  'a daily rule over both changes',
  'America/New_York',
  { rrule: 'FREQ=DAILY', starts_on: '2026-01-01', start_time: '08:00', end_time: '09:00' },
  [
    ['Winter', '2026-03-07T08:00-05:00', 'on', '2026-03-07T09:00-05:00'],
    ['Summer: nothing drifts', '2026-03-08T08:00-04:00', 'on', '2026-03-08T09:00-04:00'],
    ['Winter again', '2026-11-01T08:00-05:00', 'on', '2026-11-01T09:00-05:00'],
  ],
);

// Sydney: forward on 4 October 2026 at two, back on 4 April 2027 at three.
examples('night in a Sydney spring', 'Australia/Sydney', { start_time: '01:30', end_time: '02:30' }, [
  ['It stops at the jump', '2026-10-04T01:59+10:00', 'on', '2026-10-04T03:00+11:00'],
]);

examples('night in a Sydney autumn', 'Australia/Sydney', { start_time: '02:30', end_time: '03:30' }, [
  ['The first half past two, to the change', '2027-04-04T02:30+11:00', 'on', '2027-04-04T02:00+10:00'],
  ['The second half past two', '2027-04-04T02:30+10:00', 'on', '2027-04-04T03:30+10:00'],
]);

// Lord Howe moves by half an hour: from 02:00 to 02:30, and back from 02:00 to 01:30.
examples('half an hour is skipped', 'Australia/Lord_Howe', { start_time: '02:15', end_time: '02:45' }, [
  [
    'A quarter past two does not come: it begins at half past',
    '2026-10-04T01:59+10:30',
    'off',
    '2026-10-04T02:30+11:00',
  ],
  ['And lasts a quarter of an hour', '2026-10-04T02:30+11:00', 'on', '2026-10-04T02:45+11:00'],
]);

examples('half an hour comes twice', 'Australia/Lord_Howe', { start_time: '01:45', end_time: '02:15' }, [
  ['The first pass', '2027-04-04T01:45+11:00', 'on', '2027-04-04T01:30+10:30'],
  ['The second pass', '2027-04-04T01:45+10:30', 'on', '2027-04-04T02:15+10:30'],
]);

// St John's used to change its clocks at 00:01.
examples(
  'the clock goes back into yesterday',
  'America/St_Johns',
  { days: ['SUN'], start_time: '00:00', end_time: '24:00' },
  [
    ['Sunday begins', '2010-11-07T00:00-02:30', 'on', '2010-11-06T23:01-03:30'],
    ['It is Saturday again for 59 minutes', '2010-11-06T23:30-03:30', 'off', '2010-11-07T00:00-03:30'],
    ['And Sunday again', '2010-11-07T00:00-03:30', 'on', '2010-11-08T00:00-03:30'],
  ],
);

examples('St John’s today', 'America/St_Johns', { days: ['MON'], start_time: '09:00', end_time: '10:00' }, [
  ['Half hours from UTC', '2026-11-23T12:30Z', 'on', '2026-11-23T13:30Z'],
]);

// Apia crossed the date line: 29 December 2011 was followed by 31 December.
examples('Friday in Apia', 'Pacific/Apia', { days: ['FRI'], start_time: '09:00', end_time: '17:00' }, [
  ['30 December 2011 was a Friday that never was', '2011-12-29T20:00-10:00', 'off', '2012-01-06T09:00+14:00'],
]);

examples('every night in Apia', 'Pacific/Apia', { start_time: '22:00', end_time: '02:00' }, [
  [
    'Thursday night’s window goes over into what is left of Friday’s',
    '2011-12-29T23:59-10:00',
    'on',
    '2011-12-31T02:00+14:00',
  ],
  [
    'The clock reads Saturday, half past midnight: Friday night',
    '2011-12-31T00:30+14:00',
    'on',
    '2011-12-31T02:00+14:00',
  ],
]);

examples(
  'Thursday night in Apia',
  'Pacific/Apia',
  { days: ['THU'], start_time: '22:00', end_time: '02:00' },
  [
    [
      'It ends at midnight, where the clock goes on with Saturday',
      '2011-12-29T22:00-10:00',
      'on',
      '2011-12-31T00:00+14:00',
    ],
  ],
);

examples(
  'a daily COUNT in Apia',
  'Pacific/Apia',
  { rrule: 'FREQ=DAILY;COUNT=3', starts_on: '2011-12-29', start_time: '09:00', end_time: '10:00' },
  [
    [
      'The day that was skipped counts, so the third is the last',
      '2011-12-31T09:00+14:00',
      'on',
      '2011-12-31T10:00+14:00',
    ],
    ['There is no fourth', '2011-12-31T10:00+14:00', 'off', 'never'],
  ],
);

examples('Kathmandu', 'Asia/Kathmandu', { days: ['SAT'], start_time: '10:00', end_time: '11:00' }, [
  ['A quarter of an hour off everybody else', '2026-11-21T04:15Z', 'on', '2026-11-21T05:15Z'],
  ['A minute before', '2026-11-21T04:14Z', 'off', '2026-11-21T04:15Z'],
]);

// Casablanca suspends summer time for Ramadan: back on 15 February 2026 at three, forward on 22 March at two.
examples(
  'Casablanca before and after Ramadan',
  'Africa/Casablanca',
  { start_time: '02:30', end_time: '03:30' },
  [
    ['Ramadan comes: the first half past two', '2026-02-15T02:30+01:00', 'on', '2026-02-15T02:00+00:00'],
    ['The second', '2026-02-15T02:30+00:00', 'on', '2026-02-15T03:30+00:00'],
    ['Ramadan is over: it begins at the jump', '2026-03-22T01:59+00:00', 'off', '2026-03-22T03:00+01:00'],
  ],
);

// Cairo, Beirut and, until 2019, São Paulo change at midnight.
examples('midnight is skipped', 'Africa/Cairo', { days: ['FRI'], start_time: '00:00', end_time: '00:30' }, [
  [
    'Friday 24 April 2026 begins at one: half past midnight never comes',
    '2026-04-23T23:59+02:00',
    'off',
    '2026-05-01T00:00+03:00',
  ],
]);

examples(
  'a day without its first hour',
  'Asia/Beirut',
  { days: ['SUN'], start_time: '00:00', end_time: '24:00' },
  [
    ['Sunday 29 March 2026 begins at one', '2026-03-28T23:59:59+02:00', 'off', '2026-03-29T01:00+03:00'],
    ['And has 23 hours', '2026-03-29T01:00+03:00', 'on', '2026-03-30T00:00+03:00'],
  ],
);

examples(
  'the last hour of the day comes twice',
  'Africa/Cairo',
  { days: ['THU'], start_time: '23:00', end_time: '24:00' },
  [['Two hours on Thursday 29 October 2026', '2026-10-29T23:00+03:00', 'on', '2026-10-30T00:00+02:00']],
);

examples(
  'overnight over a skipped midnight',
  'America/Sao_Paulo',
  { days: ['SAT'], start_time: '22:00', end_time: '00:30' },
  [
    [
      'It stops at midnight, where the clock reads one',
      '2018-11-03T23:00-03:00',
      'on',
      '2018-11-04T01:00-02:00',
    ],
  ],
);

examples(
  'the same overnight window over a midnight put back',
  'America/Sao_Paulo',
  { days: ['SAT'], start_time: '22:00', end_time: '00:30' },
  [
    [
      'Saturday’s last hour comes twice; it runs through both',
      '2019-02-16T22:00-02:00',
      'on',
      '2019-02-17T00:30-03:00',
    ],
  ],
);

examples('a far future', 'Europe/Berlin', { days: ['SUN'], start_time: '01:00', end_time: '04:00' }, [
  [
    'The last Sunday of October 2035 has four hours here',
    '2035-10-28T01:00+02:00',
    'on',
    '2035-10-28T04:00+01:00',
  ],
]);

examples('a zone of fixed offset', 'Etc/GMT+12', { days: ['SAT'], start_time: '00:00', end_time: '24:00' }, [
  ['The last place where it is Saturday', '2026-11-21T12:00Z', 'on', '2026-11-22T12:00Z'],
]);
