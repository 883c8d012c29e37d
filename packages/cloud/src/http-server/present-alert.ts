import type { Alert, AlertDevice, AlertMail, AlertMute, AlertRule } from '@placard/protocol/api';
import {
  alertFilterOf,
  conditionOf,
  escalationsOf,
  openingHoursOf,
  recipientsOf,
} from '../database/alert-rules.ts';
import type { Row } from '../database/schema.ts';
import { toIso, toIsoOrNull } from '../domain/iso-time.ts';

/** What people set of a rule. */
export const alertRuleSettings = (
  row: Row<'alert_rules'>,
): Omit<AlertRule, 'id' | 'created_at' | 'updated_at'> => ({
  name: row.name,
  condition: conditionOf(row),
  filter: alertFilterOf(row),
  is_active: row.is_active === 1,
  opening_hours: openingHoursOf(row),
  recipients: recipientsOf(row),
  escalations: escalationsOf(row),
  language: row.language,
});

export const presentAlertRule = (row: Row<'alert_rules'>): AlertRule => ({
  id: row.id,
  ...alertRuleSettings(row),
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
});

export const presentAlert = (row: Row<'alerts'>): Alert => ({
  id: row.id,
  status: row.status,
  rule_id: row.rule_id,
  rule_name: row.rule_name,
  condition: conditionOf(row),
  subject: { type: row.kind, id: row.kind === 'all' ? null : row.ref, name: row.subject_name },
  devices: row.devices,
  devices_affected: row.affected,
  opened_at: toIso(row.created_at),
  resolved_at: toIsoOrNull(row.resolved_at),
  resolved_because: row.resolved_because,
});

export const presentAlertDevice = (row: Row<'alert_devices'>, name: string | null): AlertDevice => ({
  device_id: row.device_id,
  device_name: name,
  joined_at: toIso(row.joined_at),
  over_at: toIsoOrNull(row.over_since),
});

export const presentAlertMail = (row: Row<'alert_mails'>): AlertMail => ({
  step: row.step,
  recipient: row.recipient,
  status: row.status,
  attempts: row.attempts,
  next_attempt_at: toIsoOrNull(row.next_attempt_at),
  error: row.error,
  finished_at: toIsoOrNull(row.finished_at),
});

export const presentAlertMute = (row: Row<'alert_mutes'>): AlertMute => ({
  id: row.id,
  target: row.kind === 'all' ? { type: 'all' } : { type: row.kind, id: row.ref },
  until: toIso(row.until),
  reason: row.reason,
  created_at: toIso(row.created_at),
});
