/** Types follow the wire (snake_case), so that a manifest or a stored schedule can be passed as it is. */

export type DayCode = 'MON' | 'TUE' | 'WED' | 'THU' | 'FRI' | 'SAT' | 'SUN';

export type Target =
  | { type: 'device'; id: string }
  | { type: 'store'; id: string }
  | { type: 'tag'; value: string }
  /** Every device. */
  | { type: 'all' };

export interface Rule {
  id: string;
  playlist_id: string;
  /** `HH:MM`. */
  start_time: string;
  /** `HH:MM` or `24:00`. Before the start: runs past midnight. Equal: 24 hours of wall time. */
  end_time: string;
  /** 1–6: the window ends at `end_time` that many days after the day on which it opens. 0 or absent: see `end_time`. */
  end_day_offset?: number | undefined;
  /** Exactly one of `days` and `rrule` is not null. */
  days: readonly DayCode[] | null;
  rrule: string | null;
  /** 0–1000, higher wins. */
  priority: number;
  /** `YYYY-MM-DD`, inclusive, in the rule's time zone. */
  starts_on: string | null;
  ends_on: string | null;
  /** Days on which no window opens: `YYYY-MM-DD`, or an instant, which stands for its day in the rule's time zone. */
  except_dates?: readonly string[] | undefined;
  /** True: all times and dates are in `local_timezone` of the set. False or absent: in `timezone`. */
  local_time?: boolean | undefined;
  /** ISO instants. `created_at` is the anchor of an rrule without another one; `updated_at` breaks ties. */
  created_at: string;
  updated_at: string;
}

export interface Schedule {
  id: string;
  name: string;
  targets: readonly Target[];
  rules: readonly Rule[];
}

/** Offset changes of a zone between two instants. Instants are ISO texts, offsets seconds to add to UTC. */
export interface ZoneTransitions {
  from: string;
  until: string;
  /** Offset at `from`. */
  offset: number;
  /** In order; each offset applies until the next transition, the last one until `until`. */
  transitions: readonly { readonly at: string; readonly offset: number }[];
}

/** All active schedules of an organization, or those in one device's manifest. */
export interface ScheduleSet {
  /** IANA name of the organization's time zone. */
  timezone: string;
  /**
   * IANA name of the zone for rules with `local_time`: that of the store in which the devices are that the set is
   * evaluated for. Null or absent: `timezone`.
   */
  local_timezone?: string | null | undefined;
  /** Offsets by IANA name that have precedence over the data of this runtime within their time range. */
  zones?: Readonly<Record<string, ZoneTransitions>> | undefined;
  schedules: readonly Schedule[];
}

/** What targets match of a device. */
export interface DeviceMembership {
  id: string;
  store_id: string | null;
  tags: readonly string[];
}

export interface Candidate {
  schedule_id: string;
  rule_id: string;
  priority: number;
  /** Active at the instant, and matches the device. */
  matches: boolean;
  wins: boolean;
  /** One sentence for the operator, composed when it is read. */
  readonly reason: string;
}

export interface ScheduleEvaluation {
  source: 'schedule' | 'deployment' | 'none';
  schedule: { id: string; name: string } | null;
  rule: Rule | null;
  playlist_id: string | null;
  /** The next instant (ms since 1970) at which this result changes; null when there is none within 366 days. */
  until: number | null;
  candidates: Candidate[];
}
