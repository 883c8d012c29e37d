import type { DisplaySettings } from '@placard/protocol';
import type { Generated } from 'kysely';

/** The tables of alerts; see `schema.ts`. */
export interface AlertTables {
  alert_rules: {
    id: string;
    name: string;
    /** JSON. */
    condition: string;
    /** JSON. */
    filter: string;
    is_active: number;
    /** JSON; null: always. */
    opening_hours: string | null;
    /** Addresses that alerts are mailed to, as JSON, and in which language. */
    recipients: Generated<string>;
    /** JSON, in the order of the minutes. */
    escalations: Generated<string>;
    language: Generated<DisplaySettings['language']>;
    /** Higher each time that it watches something else, or is switched off. */
    generation: Generated<number>;
    created_at: number;
    updated_at: number;
  };
  /** Devices for which no alert is opened until a time. */
  alert_mutes: {
    id: string;
    kind: 'device' | 'store' | 'all';
    /** Id of the device or store; empty for all. */
    ref: string;
    until: number;
    reason: string | null;
    created_at: number;
  };
  /** Since when devices meet the condition of a rule; not of one about silence, which `last_seen` tells. */
  alert_matches: {
    /** The rule in its generation; those of earlier ones are deleted later (`alert-matches.ts`). */
    rule_id: string;
    device_id: string;
    since: number;
    /** The revision that a device shows which is behind: with another one it has made progress. */
    detail: string | null;
  };
  alerts: {
    id: string;
    /** Its rule may have been deleted. */
    rule_id: string;
    /** Of the rule when the alert was opened. */
    rule_name: string;
    condition: string;
    /** What it is about: a device, a store, or all devices; there is one open alert of a rule for each. */
    kind: 'device' | 'store' | 'all';
    /** Id of the device or store; empty for all. */
    ref: string;
    subject_name: string | null;
    status: 'open' | 'resolved';
    /** Devices so far, and those that it is not over for. */
    devices: number;
    affected: number;
    created_at: number;
    resolved_at: number | null;
    resolved_because: 'over' | 'rule_changed' | 'not_watched' | null;
  };
  /** The devices of an alert. */
  alert_devices: {
    alert_id: string;
    device_id: string;
    /** Order in which they joined. */
    position: number;
    joined_at: number;
    /** Since when it is over for the device; stays null for one that is no longer watched before that. */
    over_since: number | null;
  };
  /** Mails about alerts. */
  alert_mails: {
    alert_id: string;
    step: 'opened' | 'escalated' | 'resolved';
    recipient: string;
    language: DisplaySettings['language'];
    status: 'pending' | 'sent' | 'failed';
    attempts: number;
    next_attempt_at: number | null;
    /** Of the last attempt. */
    error: string | null;
    created_at: number;
    finished_at: number | null;
  };
}
