/** How long readings, plays, commands and the audit log are kept, in days. */
export interface Retention {
  /** Readings by the minute. */
  minuteDays: number;
  /** Readings by the hour. */
  hourDays: number;
  /** Readings by the day. */
  dayDays: number;
  /** Plays and what is counted from them, and when devices were online. */
  playDays: number;
  /** The audit log, and commands that have ended. */
  auditDays: number;
}

export const DEFAULT_RETENTION: Retention = {
  minuteDays: 7,
  hourDays: 90,
  dayDays: 731,
  playDays: 731,
  auditDays: 366,
};
