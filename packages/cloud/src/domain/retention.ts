import { DAY_MS } from './durations.ts';

/** How long samples, plays, commands, the audit log and unfinished uploads are kept. */
export const DEFAULT_RETENTION = {
  /** Samples aggregated by minute. */
  minuteDays: 7,
  /** Samples aggregated by hour. */
  hourDays: 90,
  /** Samples aggregated by day. */
  dayDays: 731,
  /** Plays, their counts, and the online times of devices. */
  playDays: 731,
  /** The audit log, and finished commands. */
  auditDays: 366,
  /** The newest screenshot and the newest logs of each device. */
  screenshotDays: 30,
  /** Uploads that receive nothing more, and what is known of finished ones. */
  uploadHours: 24,
};
export type Retention = typeof DEFAULT_RETENTION;

/** A sample that is sent again within this time is not counted again. */
export const RESENT_MS = 7 * DAY_MS;
