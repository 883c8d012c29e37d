/** A point in time in RFC 5545: a date, a wall-clock time (local time as if UTC) or an instant; in ms. */
export interface Moment {
  readonly kind: 'date' | 'local' | 'instant';
  readonly ms: number;
}

/** The validated parts of an RRULE. Weekdays: 0 is Monday. Empty lists: the part is missing. */
export interface Recurrence {
  readonly freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  readonly interval: number;
  readonly count: number | null;
  readonly until: Moment | null;
  /** `nth` 0: every such weekday; else the nth in the month or year, negative from its end. */
  readonly byDay: readonly { readonly weekday: number; readonly nth: number }[];
  readonly byMonthDay: readonly number[];
  readonly byMonth: readonly number[];
  readonly bySetPos: readonly number[];
  /** First day of the week. */
  readonly weekStart: number;
}
