import type { ReportedState } from '@placard/protocol';
import { DAY_MS, HOUR_MS } from './durations.ts';

/** What a device has reported, added up from its heartbeats; it only grows, so the difference of two is what was between. */
export interface HealthTotals {
  /** In which heartbeats arrived. */
  minutes: number;
  /** Faults that began. */
  faults: number;
  /** Video frames, dropped ones included. */
  frames: number;
  dropped: number;
  /** Minutes in which the player also counted its starts. */
  countedMinutes: number;
  starts: number;
  /** Starts whose first picture was timed, and the natural logarithms of their milliseconds. */
  pictures: number;
  logMs: number;
}

/** The column `health` of a device: numbers in the order of these fields, totals in that of `totalsInOrder`, then the shell. */
export interface DeviceHealth {
  /** The heartbeat that it was written with. */
  at: number;
  /** Starts that the player had counted, and the one whose picture was timed; `NONE`: none yet. */
  starts: number;
  pictureOf: number;
  drawn: number;
  dropped: number;
  totals: Readonly<HealthTotals>;
  /** The totals as they were, at most `MAX_MARKS`, oldest first; a week apart. */
  marks: { at: number; totals: Readonly<HealthTotals> }[];
  shell: string;
}

type Reported = Pick<ReportedState, 'shell' | 'frames' | 'starts'>;

const MINUTE_MS = 60_000;
const MARK_INTERVAL_MS = 7 * DAY_MS;
const MAX_MARKS = 2;
/** A longer silence is no time in which the device was observed. */
const MAX_GAP_MS = 3 * MINUTE_MS;
/** More between two heartbeats is a counter that went wrong. */
const MAX_STARTS = 100;
export const NONE = -1;
export const NO_TOTALS: Readonly<HealthTotals> = {
  minutes: 0,
  faults: 0,
  frames: 0,
  dropped: 0,
  countedMinutes: 0,
  starts: 0,
  pictures: 0,
  logMs: 0,
};
const FIELDS_BEFORE_TOTALS = 5;
const FIELDS_OF_TOTALS = 8;

/**
 * The column after a heartbeat in which `newFaults` faults have begun; undefined when it stays as it is. That is the usual case, and
 * is decided without reading more than its beginning: it is written once an hour, after a silence, and when something has happened.
 */
export function healthAfter(
  previous: string | null,
  lastHeartbeatMs: number | null,
  state: Reported,
  newFaults: number,
  nowMs: number,
): string | undefined {
  if (previous !== null && newFaults === 0 && lastHeartbeatMs !== null) {
    const [at = 0, starts, pictureOf] = previous.split(',', 3).map(Number);
    const count = state.starts?.count ?? NONE;
    const isTimed =
      state.starts === undefined || state.starts.first_picture_ms === null || count === pictureOf;
    const isRecent = nowMs >= at && nowMs - at < HOUR_MS && nowMs - lastHeartbeatMs <= MAX_GAP_MS;
    if (isRecent && isTimed && count === starts) {
      return undefined;
    }
  }
  const before = previous === null ? null : parseHealth(previous);
  return formatHealth(addHeartbeat(before, lastHeartbeatMs, state, newFaults, nowMs));
}

function addHeartbeat(
  before: DeviceHealth | null,
  lastHeartbeatMs: number | null,
  { shell, frames, starts }: Reported,
  newFaults: number,
  nowMs: number,
): DeviceHealth {
  const drawn = frames?.drawn ?? before?.drawn ?? 0;
  const dropped = frames?.dropped ?? before?.dropped ?? 0;
  const count = starts?.count ?? NONE;
  const pictureMs = starts?.first_picture_ms ?? null;
  const isNewPicture = pictureMs !== null && count !== before?.pictureOf;
  const reported = {
    at: nowMs,
    starts: count,
    pictureOf: pictureMs === null ? (before?.pictureOf ?? NONE) : count,
    drawn,
    dropped,
    shell,
  };
  if (!before) {
    return { ...reported, totals: NO_TOTALS, marks: [{ at: nowMs, totals: NO_TOTALS }] };
  }
  const heardUntilMs = Math.max(lastHeartbeatMs ?? before.at, before.at);
  const gapMs = Math.min(Math.max(nowMs - heardUntilMs, 0), MAX_GAP_MS);
  const minutes = (heardUntilMs - before.at + gapMs) / MINUTE_MS;
  // They are counted from 0 again when the page is loaded.
  const isSamePage = drawn >= before.drawn && dropped >= before.dropped;
  const newDropped = isSamePage ? dropped - before.dropped : dropped;
  const newFrames = newDropped + (isSamePage ? drawn - before.drawn : drawn);
  const isCounted = before.starts !== NONE && count !== NONE;
  const newStarts = isCounted ? Math.min(Math.max(count - before.starts, 0), MAX_STARTS) : 0;
  const added: HealthTotals = {
    minutes,
    faults: newFaults,
    frames: newFrames,
    dropped: newDropped,
    countedMinutes: isCounted ? minutes : 0,
    starts: newStarts,
    pictures: isNewPicture ? 1 : 0,
    logMs: isNewPicture ? Math.log(Math.max(pictureMs, 1)) : 0,
  };
  const totals = combine(before.totals, added, (a, b) => Math.round((a + b) * 1000) / 1000);
  const newest = before.marks.at(-1);
  const marks =
    newest && nowMs - newest.at < MARK_INTERVAL_MS
      ? before.marks
      : [...before.marks, { at: nowMs, totals }].slice(-MAX_MARKS);
  return { ...reported, totals, marks };
}

export function formatHealth({
  at,
  starts,
  pictureOf,
  drawn,
  dropped,
  totals,
  marks,
  shell,
}: DeviceHealth): string {
  const numbers = [at, starts, pictureOf, drawn, dropped, ...totalsInOrder(totals)];
  return `${[...numbers, ...marks.flatMap((mark) => [mark.at, ...totalsInOrder(mark.totals)])].join(',')};${shell}`;
}

export function parseHealth(text: string): DeviceHealth {
  const end = text.indexOf(';');
  const numbers = text.slice(0, end).split(',').map(Number);
  const [at = 0, starts = NONE, pictureOf = NONE, drawn = 0, dropped = 0] = numbers;
  const marks: DeviceHealth['marks'] = [];
  const size = FIELDS_OF_TOTALS;
  for (let index = FIELDS_BEFORE_TOTALS + size; index + size < numbers.length; index += size + 1) {
    marks.push({ at: numbers[index] ?? 0, totals: readTotals(numbers.slice(index + 1)) });
  }
  return {
    at,
    starts,
    pictureOf,
    drawn,
    dropped,
    totals: readTotals(numbers.slice(FIELDS_BEFORE_TOTALS)),
    marks,
    shell: text.slice(end + 1),
  };
}

const totalsInOrder = (totals: Readonly<HealthTotals>): number[] => [
  totals.minutes,
  totals.faults,
  totals.frames,
  totals.dropped,
  totals.countedMinutes,
  totals.starts,
  totals.pictures,
  totals.logMs,
];

/** As `totalsInOrder` has them; what follows is not read. */
function readTotals(numbers: readonly number[]): HealthTotals {
  const [
    minutes = 0,
    faults = 0,
    frames = 0,
    dropped = 0,
    countedMinutes = 0,
    starts = 0,
    pictures = 0,
    logMs = 0,
  ] = numbers;
  return { minutes, faults, frames, dropped, countedMinutes, starts, pictures, logMs };
}

/** The totals with the minutes since they were written: a silence would have been written down. */
export function totalsUntil({ at, starts, totals }: DeviceHealth, lastHeartbeatMs: number): HealthTotals {
  const minutes = Math.max(lastHeartbeatMs - at, 0) / MINUTE_MS;
  return {
    ...totals,
    minutes: totals.minutes + minutes,
    countedMinutes: totals.countedMinutes + (starts === NONE ? 0 : minutes),
  };
}

/** What was reported in the one or two weeks before. */
export const recentTotals = (health: DeviceHealth, lastHeartbeatMs: number): HealthTotals =>
  subtractTotals(totalsUntil(health, lastHeartbeatMs), health.marks[0]?.totals ?? NO_TOTALS);

/** Never below 0. */
export const subtractTotals = (
  totals: Readonly<HealthTotals>,
  before: Readonly<HealthTotals>,
): HealthTotals => combine(totals, before, (a, b) => Math.max(a - b, 0));

function combine(
  a: Readonly<HealthTotals>,
  b: Readonly<HealthTotals>,
  each: (a: number, b: number) => number,
): HealthTotals {
  return {
    minutes: each(a.minutes, b.minutes),
    faults: each(a.faults, b.faults),
    frames: each(a.frames, b.frames),
    dropped: each(a.dropped, b.dropped),
    countedMinutes: each(a.countedMinutes, b.countedMinutes),
    starts: each(a.starts, b.starts),
    pictures: each(a.pictures, b.pictures),
    logMs: each(a.logMs, b.logMs),
  };
}
