import { pluralsOf } from '../../i18n/plural.ts';

const plural = pluralsOf('en');

const ordinal = (n: number): string => {
  const rule = new Intl.PluralRules('en', { type: 'ordinal' }).select(n);
  return `${n}${{ one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' }[rule]}`;
};
const nth = (n: number): string =>
  ['', 'first', 'second', 'third', 'fourth', 'fifth'][Math.abs(n)] ?? ordinal(Math.abs(n));

export const english = {
  newSchedule: 'New schedule',
  searchSchedules: 'Search by name',
  noSchedules: 'No schedule yet',
  noSchedulesHint:
    'A schedule says which playlist is shown when: its rules are times, its targets are screens. Outside of them the deployed playlist is shown.',
  nothingFound: 'No schedule matches.',
  firstOf: (shown: string, total: string) => `The first ${shown} of ${total}; search for others.`,
  rules: (count: number) => plural(count, { one: '# rule', other: '# rules' }),
  active: 'Active',
  activeOf: (name: string) => `“${name}” is active`,
  back: 'Schedules',
  targets: 'For',
  noTargets: 'no screen yet',
  target: {
    all: 'all screens',
    tag: (tag: string) => `screens with the tag “${tag}”`,
    store: (name: string) => `store “${name}”`,
    device: (name: string) => `screen “${name}”`,
  },
  addTarget: 'Add screens',
  targetKind: { all: 'All screens', tag: 'With a tag', store: 'Of a store', device: 'One screen' },
  findDevice: 'Name of the screen',
  add: 'Add',
  remove: (what: string) => `Remove ${what}`,
  week: 'Week',
  previousWeek: 'Week before',
  nextWeek: 'Week after',
  thisWeek: 'This week',
  zone: (zone: string) => `Times in ${zone}`,
  drawHint:
    'Draw in the week to add a rule. Arrow keys move the chosen one, with Shift its end; Enter opens it.',
  noPlaylists: 'There is no playlist yet. Make one first: a rule shows a playlist.',
  addRule: 'Add a rule',
  rulesTitle: 'Rules',
  noRules: 'No rule yet: this schedule changes nothing.',
  losesPartly: 'another rule wins for a part',
  losesAll: 'another rule wins here',
  priorityOf: (priority: string) => `priority ${priority}`,
  editRule: 'Rule',
  playlist: 'Playlist',
  startTime: 'From',
  endTime: 'Until',
  endsAfter: 'Ends',
  sameDay: 'as the times say',
  afterDays: (days: number) => plural(days, { one: '# day later', other: '# days later' }),
  repeats: 'Repeats',
  onDays: 'On days of the week',
  byRecurrence: 'By a recurrence',
  every: 'Every',
  unit: { DAILY: 'days', WEEKLY: 'weeks', MONTHLY: 'months', YEARLY: 'years' },
  monthDays: 'Days of the month',
  monthDaysHint: 'For example 1, 15 or -1 for the last',
  whichOfMonth: 'Which of the month',
  each: 'each',
  last: 'last',
  rrule: 'Recurrence (RRULE)',
  byHand: 'The fields above do not have all parts of this text.',
  understood: 'That is',
  next: 'Next',
  never: 'It does not occur within a year.',
  startsOn: 'First day',
  endsOn: 'Last day',
  priority: 'Priority',
  priorityHint: '0 to 1000; the highest wins where rules overlap',
  localTime: 'In the local time of each store',
  exceptions: 'Not on',
  addException: 'Day without this rule',
  removeRule: 'Remove the rule',
  done: 'Done',
  checking: 'Comparing what the screens show …',
  switchedOn: (name: string) => `“${name}” is active. Screens change now.`,
  switchedOff: (name: string) => `“${name}” is not active any more.`,
  nextDays: 'in the next 7 days',
  daysFrom: (day: string) => `in the 7 days from ${day} on`,
  noChange: (span: string) => `No screen shows anything else ${span}.`,
  changes: (count: number, span: string) =>
    plural(count, {
      one: `# screen shows something else ${span}`,
      other: `# screens show something else ${span}`,
    }),
  firstChange: (time: string) => `first ${time}`,
  unexamined: (count: number) =>
    plural(count, { one: '# screen was not compared.', other: '# screens were not compared.' }),
  shownInstead: (before: string, after: string) => `${before} → ${after}`,
  nothing: 'idle screen',
  details: 'Which screens, when',
  others: 'Other schedules for the same screens:',
  discard: 'Discard',
  undo: 'Undo',
  deleteSchedule: 'Delete',
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteHint: 'Its rules are gone; the screens show what else is for them.',
  shownAt: 'What shows at …',
  at: 'Day and time',
  allStores: 'All stores',
  words: {
    everyDay: 'every day',
    workdays: 'Monday to Friday',
    weekly: (days: string) => `every ${days}`,
    everyNthDay: (n: number) => (n === 2 ? 'every second day' : `every ${n} days`),
    everyNthWeek: (n: number, days: string, isOne: boolean) => {
      const every = n === 1 ? 'every' : n === 2 ? 'every second' : `every ${ordinal(n)}`;
      return isOne ? `${every} ${days}` : `${every} week${days === '' ? '' : ` on ${days}`}`;
    },
    everyNthMonth: (n: number, on: string) =>
      `${n === 1 ? 'every month' : n === 2 ? 'every second month' : `every ${n} months`}${on === '' ? '' : ` on ${on}`}`,
    everyNthYear: (n: number, on: string) =>
      `${n === 1 ? 'every year' : n === 2 ? 'every second year' : `every ${n} years`}${on === '' ? '' : ` on ${on}`}`,
    monthDay: (day: number) =>
      day > 0 ? `the ${ordinal(day)}` : day === -1 ? 'the last day' : `the ${ordinal(-day)} last day`,
    nthWeekday: (n: number, day: string) =>
      n === 0
        ? day
        : n > 0
          ? `the ${nth(n)} ${day}`
          : n === -1
            ? `the last ${day}`
            : `the ${nth(n)} last ${day}`,
    inMonths: (months: string) => `in ${months}`,
    times: (count: number) => plural(count, { one: 'once', other: '# times' }),
    from: (date: string) => `from ${date}`,
    until: (date: string) => `until ${date}`,
    allDay: 'all day',
    hours: (start: string, end: string) => `${start}–${end}`,
    nextDay: (end: string) => `${end} the day after`,
    daysLater: (end: string, days: number) => `${end} ${days} days later`,
    except: (dates: string) => `not on ${dates}`,
    localTime: 'in the local time of the store',
    custom: (text: string) => `by the recurrence ${text}`,
  },
};
export type ScheduleTexts = typeof english;
