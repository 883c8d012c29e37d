import type { IdKind } from '@placard/protocol';
import { recipientsOf } from '../database/alert-rules.ts';
import type { Transaction } from '../database/cloud-database.ts';
import type { Row } from '../database/schema.ts';
import type { AlertPlan } from '../domain/alert-plan.ts';
import { presentAlert } from '../http-server/present-alert.ts';
import { resolveAlerts } from './resolve-alerts.ts';

/** Of one transaction, for which everybody else who writes waits. */
const MAX_DEVICES = 1000;
const MAX_ALERTS = 50;

type Opened = AlertPlan['open'][number];

interface ApplyDeps {
  rule: Row<'alert_rules'>;
  newId: (kind: IdKind) => string;
  nowMs: number;
}

/** Makes a part of the changes of a plan. Returns whether there are more, which a new plan has. */
export async function applyPlan(tx: Transaction, plan: AlertPlan, deps: ApplyDeps): Promise<boolean> {
  let devices = 0;
  let alerts = 0;
  let hasMore = false;
  /** As many of the devices as fit into the transaction. */
  const take = (ids: readonly string[]): readonly string[] => {
    const left = alerts < MAX_ALERTS ? MAX_DEVICES - devices : 0;
    const taken = ids.slice(0, left);
    devices += taken.length;
    alerts += 1;
    hasMore ||= taken.length < ids.length;
    return taken;
  };
  const changed = new Set<string>();
  for (const [changes, make] of [
    [plan.over, tx.alerts.leave],
    [plan.join, tx.alerts.join],
  ] as const) {
    for (const { alertId, deviceIds } of changes) {
      const ids = take(deviceIds);
      if (ids.length > 0) {
        await make(alertId, ids, deps.nowMs);
        changed.add(alertId);
      }
    }
  }
  for (const alertId of changed) {
    await tx.alerts.count(alertId);
  }
  // First, because there is one open alert for each cause.
  for (const { alertId, because } of plan.resolve) {
    const alert = take([alertId]).length > 0 ? await tx.alerts.find(alertId) : undefined;
    await resolveAlerts(tx, alert ? [alert] : [], because, deps.nowMs);
  }
  const names = await namesOf(tx, plan.open);
  for (const opened of plan.open) {
    const deviceIds = take(opened.deviceIds);
    if (deviceIds.length > 0) {
      await open(tx, { ...opened, deviceIds }, names.get(opened.ref) ?? null, deps);
    }
  }
  return hasMore;
}

async function namesOf(tx: Transaction, opened: readonly Opened[]): Promise<Map<string, string>> {
  const refs = (kind: Opened['kind']) => opened.flatMap((each) => (each.kind === kind ? [each.ref] : []));
  return new Map([
    ...(await tx.devices.findNames(refs('device'))),
    ...(await tx.stores.findNames(refs('store'))),
  ]);
}

async function open(
  tx: Transaction,
  { kind, ref, deviceIds }: Opened,
  subjectName: string | null,
  { rule, newId, nowMs }: ApplyDeps,
): Promise<void> {
  const row: Row<'alerts'> = {
    id: newId('alert'),
    rule_id: rule.id,
    rule_name: rule.name,
    condition: rule.condition,
    kind,
    ref,
    subject_name: subjectName,
    status: 'open',
    devices: deviceIds.length,
    affected: deviceIds.length,
    created_at: nowMs,
    resolved_at: null,
    resolved_because: null,
  };
  await tx.alerts.insert(row);
  await tx.alerts.join(row.id, deviceIds, nowMs);
  const mail = { alert_id: row.id, step: 'opened', language: rule.language } as const;
  await tx.alertMails.enqueue(mail, recipientsOf(rule), nowMs);
  tx.recordEvent({ type: 'alert.opened', resource: row.id, data: { alert: presentAlert(row) } });
}
