import type { SeededRandom } from '../../../../../test/support/seeded-random.ts';

export const MINUTE_MS = 60_000;

/** The rules of the trial: one for each condition, one with opening hours and one with a filter. */
export const RULES = {
  fault: { type: 'fault', code: 'trial.now', minutes: 0 },
  lasting: { type: 'fault', code: 'trial.lasting', minutes: 6 },
  hours: { type: 'fault', code: 'trial.hours', minutes: 5 },
  filtered: { type: 'fault', code: 'trial.filtered', minutes: 3 },
  silence: { type: 'offline', minutes: 10 },
  behind: { type: 'behind', minutes: 5 },
  heat: { type: 'hot', celsius: 80, minutes: 5 },
  disk: { type: 'disk_below', free: 500, unit: 'MB', minutes: 0 },
  nothing: { type: 'nothing_playable', minutes: 2 },
  black: { type: 'screen_black', pictures: 2, minutes: 0 },
  frozen: { type: 'screen_frozen', pictures: 3, minutes: 0 },
  outdated: { type: 'old_version', version: '1.0.0', minutes: 0 },
} as const;
export type RuleName = keyof typeof RULES;

/** All incidents of this rule that happen at the same time are one alert. */
export const OF_ALL: RuleName = 'outdated';

/** Alerts of this rule that are open after these minutes are mailed once more. */
export const ESCALATED: RuleName = 'fault';
const ESCALATED_AFTER_MINUTES = 5;

/** The tag that the rule with a filter watches. */
export const WATCHED_TAG = 'watched';

const ALL_DAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];
/** Hours in the first half of which the rule with opening hours is open: as many spans as there may be. */
const OPEN_HOURS = Array.from({ length: 21 }, (_, index) => (index + 17) % 24);
const timeOf = (hour: number, minute: number): string =>
  [hour, minute].map((part) => String(part).padStart(2, '0')).join(':');

/** Whether that rule is open in a store of which the time is so far ahead of UTC. */
export function isOpenAt(ms: number, aheadMinutes: number): boolean {
  const minutes = Math.floor(ms / MINUTE_MS) + aheadMinutes;
  return OPEN_HOURS.includes(Math.floor(minutes / 60) % 24) && minutes % 60 < 30;
}

/** What rules have besides their condition and recipients. */
export const FIELDS: Partial<Record<RuleName, object>> = {
  // Of `ESCALATED`.
  fault: {
    escalations: [{ after_minutes: ESCALATED_AFTER_MINUTES, recipients: ['boss@example.com'] }],
  },
  hours: {
    opening_hours: OPEN_HOURS.map((hour) => ({
      days: ALL_DAYS,
      start_time: timeOf(hour, 0),
      end_time: timeOf(hour, 30),
    })),
  },
  filtered: { filter: { tag: WATCHED_TAG } },
};

/** What a device reports, and what its pictures look like. */
export interface Report {
  version: string;
  faults: readonly string[];
  celsius: number;
  freeBytes: number;
  /** It goes on with a manifest that there is no more. */
  isBehind: boolean;
  /** It shows nothing. */
  isIdle: boolean;
  picture: 'well' | 'black' | 'frozen';
}

export const WELL: Report = {
  version: '1.0.0',
  faults: [],
  celsius: 45,
  freeBytes: 8_000_000_000,
  isBehind: false,
  isIdle: false,
  picture: 'well',
};

/**
 * How long an incident lasts, compared with its rule: `long` and `above` (as little as surely counts, a minute as a rule, or for pictures
 * just so many) are alerts, `below` (a minute, or one picture) and `short` are none.
 */
type Length = 'long' | 'above' | 'below' | 'short';

/** Something that happens to a device, or to all devices of a store. */
export interface Kind {
  rule: RuleName;
  /** What the device reports meanwhile; null: nothing. */
  report: Report | null;
  isWholeStore: boolean;
  length: Length;
}

const kind = (
  rule: RuleName,
  report: Partial<Report> | null,
  length: Length = 'long',
  isWholeStore = false,
): Kind => ({ rule, report: report && { ...WELL, ...report }, length, isWholeStore });

const [NOW, LASTING] = [{ faults: ['trial.now'] }, { faults: ['trial.lasting'] }];
const [BLACK, FROZEN] = [{ picture: 'black' }, { picture: 'frozen' }] as const;
const HOT = { celsius: 91 };

const KINDS: readonly Kind[] = [
  kind('fault', NOW),
  kind('fault', NOW, 'long', true),
  kind('lasting', LASTING),
  kind('lasting', LASTING, 'above'),
  kind('lasting', LASTING, 'below'),
  kind('lasting', LASTING, 'above', true),
  kind('hours', { faults: ['trial.hours'] }),
  kind('hours', { faults: ['trial.hours'] }, 'short'),
  kind('filtered', { faults: ['trial.filtered'] }),
  kind('filtered', { faults: ['trial.filtered'] }, 'above'),
  kind('silence', null),
  kind('silence', null, 'above'),
  kind('silence', null, 'below'),
  kind('silence', null, 'long', true),
  kind('behind', { isBehind: true }, 'above'),
  kind('behind', { isBehind: true }, 'below'),
  kind('heat', HOT),
  kind('heat', HOT, 'above'),
  kind('heat', HOT, 'below'),
  kind('disk', { freeBytes: 100_000_000 }),
  kind('nothing', { faults: ['playback.nothing_playable'] }),
  kind('nothing', { isIdle: true }, 'above'),
  kind('nothing', { isIdle: true }, 'below'),
  kind('black', BLACK, 'above'),
  kind('black', BLACK, 'below'),
  kind('black', BLACK, 'above', true),
  kind('frozen', FROZEN, 'above'),
  kind('frozen', FROZEN, 'below'),
  kind('outdated', { version: '0.9.0' }),
];

export const pickKind = (random: SeededRandom, isPossible: (kind: Kind) => boolean): Kind =>
  random.pick(KINDS.filter(isPossible));

export const isLong = ({ length }: Kind): boolean => length === 'long' || length === 'above';

/** Whether it is about pictures of screens. */
export const isOfPictures = ({ rule }: Kind): boolean => 'pictures' in RULES[rule];

/** How many pictures of it the cloud must have before its time counts. */
export function picturesOf({ rule, length }: Kind): number {
  const condition = RULES[rule];
  return 'pictures' in condition ? condition.pictures - (length === 'below' ? 1 : 0) : 0;
}

/** Rules that the cloud looks at once a minute, others four times. */
const SLOW: readonly RuleName[] = ['behind', 'heat', 'nothing'];

/** Of the time in which a cloud without kills has done everything it waits for. */
const MARGIN_MINUTES = 7;
/** The same after the picture with which it is an alert; before the next one comes. */
const PICTURE_MARGIN_MINUTES = 4.5;

/** How long it lasts: for an alert, in minutes that surely count; otherwise in all minutes of a cloud that is up. */
export const lengthMs = (of: Kind): number => minutesOf(of) * MINUTE_MS;

function minutesOf(of: Kind): number {
  const { minutes } = RULES[of.rule];
  if (isOfPictures(of)) {
    return isLong(of) ? PICTURE_MARGIN_MINUTES : 0;
  }
  switch (of.length) {
    case 'above':
      // What is looked at once a minute begins for the cloud up to two minutes late: with a heartbeat and a look.
      return minutes + (SLOW.includes(of.rule) ? 2.5 : 1);
    case 'below':
      // The minute from the last report to the first silence is silent, too.
      return minutes - (of.rule === 'silence' ? 2 : 1);
    case 'short':
      return 2;
    case 'long':
    default:
      return minutes + MARGIN_MINUTES + (of.rule === ESCALATED ? ESCALATED_AFTER_MINUTES : 0);
  }
}

/** Until the screen has surely said that it is well: with its next heartbeat or picture, or a step later if it was lost. */
export const nextReportMs = (of: Kind): number => (isOfPictures(of) ? 5.5 : 1.5) * MINUTE_MS;

/** Until an alert is surely resolved: a report or a picture, the next look, two minutes, and another look. */
export const recoveryMs = (of: Kind): number => (isOfPictures(of) ? 12 : 7) * MINUTE_MS;
