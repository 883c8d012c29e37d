/** Shapes follow the wire (snake_case), so that a manifest or a stored schedule can be handed over as it is. */

export type DayCode = 'MON' | 'TUE' | 'WED' | 'THU' | 'FRI' | 'SAT' | 'SUN';

export type Target =
  { type: 'device'; id: string } | { type: 'store'; id: string } | { type: 'tag'; value: string };

export interface Rule {
  id: string;
  playlist_id: string;
  /** `HH:MM`. */
  start_time: string;
  /** `HH:MM` or `24:00`. Before the start: runs past midnight. Equal: one round of the wall clock. */
  end_time: string;
  /** Exactly one of `days` and `rrule` is not null. */
  days: readonly DayCode[] | null;
  rrule: string | null;
  /** 0–1000, higher wins. */
  priority: number;
  /** `YYYY-MM-DD`, inclusive, by the organization's calendar. */
  starts_on: string | null;
  ends_on: string | null;
  /** ISO instants. `created_at` is the last resort as anchor of an rrule; `updated_at` breaks ties. */
  created_at: string;
  updated_at: string;
}

export interface Schedule {
  id: string;
  name: string;
  targets: readonly Target[];
  rules: readonly Rule[];
}

/** When the clocks of a zone are changed between two instants. Instants are ISO texts, offsets seconds ahead of UTC. */
export interface ZoneTransitions {
  from: string;
  until: string;
  /** At `from`. */
  offset: number;
  /** In order; each holds to the next one, the last one to `until`. */
  transitions: readonly { readonly at: string; readonly offset: number }[];
}

/** All active schedules of an organization, or those in one device's manifest. */
export interface ScheduleSet {
  /** IANA name; all times are read in it. */
  timezone: string;
  /** By IANA name, clocks that go before what this runtime knows of the zone, for as long as they reach. */
  zones?: Readonly<Record<string, ZoneTransitions>> | undefined;
  schedules: readonly Schedule[];
}

/** What decides which targets reach a device. */
export interface DeviceMembership {
  id: string;
  store_id: string | null;
  tags: readonly string[];
  /** Playlist deployed to it; shown when no rule is active. */
  base_playlist_id: string | null;
}

export interface Candidate {
  schedule_id: string;
  rule_id: string;
  priority: number;
  /** Active at the instant, and reaches the device. */
  matches: boolean;
  wins: boolean;
  /** One plain sentence for the operator, made when it is read. */
  readonly reason: string;
}

export interface ActiveAnswer {
  source: 'schedule' | 'deployment' | 'none';
  schedule: { id: string; name: string } | null;
  rule: Rule | null;
  playlist_id: string | null;
  /** The next instant (ms since 1970) at which this answer changes; null when there is none within 366 days. */
  until: number | null;
  candidates: Candidate[];
}
