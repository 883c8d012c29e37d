/** How long samples, plays, commands and the audit log are kept, in days. */
export interface Retention {
  /** Samples aggregated by minute. */
  minuteDays: number;
  /** Samples aggregated by hour. */
  hourDays: number;
  /** Samples aggregated by day. */
  dayDays: number;
  /** Plays, their counts, and the online times of devices. */
  playDays: number;
  /** The audit log, and finished commands. */
  auditDays: number;
}

export const DEFAULT_RETENTION: Retention = {
  minuteDays: 7,
  hourDays: 90,
  dayDays: 731,
  playDays: 731,
  auditDays: 366,
};
