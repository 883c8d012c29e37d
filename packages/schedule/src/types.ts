/** Types follow the wire (snake_case), so that a manifest or a stored schedule can be passed as it is. */

export type DayCode = 'MON' | 'TUE' | 'WED' | 'THU' | 'FRI' | 'SAT' | 'SUN';

export type Target =
  { type: 'device'; id: string } | { type: 'store'; id: string } | { type: 'tag'; value: string };

export interface Rule {
  id: string;
  playlist_id: string;
  /** `HH:MM`. */
  start_time: string;
  /** `HH:MM` or `24:00`. Before the start: runs past midnight. Equal: 24 hours of wall time. */
  end_time: string;
  /** Exactly one of `days` and `rrule` is not null. */
  days: readonly DayCode[] | null;
  rrule: string | null;
  /** 0–1000, higher wins. */
  priority: number;
  /** `YYYY-MM-DD`, inclusive, in the organization's time zone. */
  starts_on: string | null;
  ends_on: string | null;
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
  /** IANA name; all times are evaluated in it. */
  timezone: string;
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
