import { escalationsOf, openingHoursOf } from '../../database/alert-rules.ts';
import type { CloudDatabase } from '../../database/cloud-database.ts';
import type { Row } from '../../database/schema.ts';
import { startOfObserved } from '../../domain/observed-time.ts';
import type { Place } from './counted-since.ts';
import type { ChangeUnderRule, Look, LookedAtRule } from './look.ts';

const MINUTE_MS = 60_000;

/** Mails alerts that are still open to those whom the rule names for then: each step of an alert once. */
export async function escalateAlerts(
  { alerts, watchedDevices }: Pick<CloudDatabase, 'alerts' | 'watchedDevices'>,
  change: ChangeUnderRule,
  rule: LookedAtRule,
  look: Look,
): Promise<void> {
  const { row } = rule;
  const steps = escalationsOf(row);
  if (steps.length === 0) {
    return;
  }
  const open = (await alerts.openOfRule(row.id)).filter(
    ({ escalated, affected }) => escalated < steps.length && affected > 0,
  );
  const devices = await watchedDevices.find(
    open.flatMap(({ kind, ref }) => (kind === 'device' ? [ref] : [])),
  );
  const stores = new Map(devices.map(({ id, store_id }) => [id, store_id]));
  const placeOf = ({ kind, ref }: Row<'alerts'>): Place => ({
    deviceId: kind === 'device' ? ref : null,
    storeId: kind === 'store' ? ref : (stores.get(ref) ?? null),
  });
  const countedSince = look.countedSince(openingHoursOf(row));
  const dueMs = steps.map((step) => startOfObserved(look.spans, step.after_minutes * MINUTE_MS));
  for (const alert of open) {
    const sinceMs = countedSince(placeOf(alert), alert.created_at);
    const reached = dueMs.filter((ms) => ms !== null && sinceMs <= ms).length;
    if (reached <= alert.escalated) {
      continue;
    }
    await change(rule, async (tx) => {
      const current = await tx.alerts.find(alert.id);
      if (current?.status !== 'open' || current.escalated !== alert.escalated) {
        return;
      }
      await tx.alerts.update(alert.id, { escalated: reached });
      const mail = { alert_id: alert.id, step: 'escalated', language: row.language } as const;
      for (const { recipients } of steps.slice(alert.escalated, reached)) {
        await tx.alertMails.enqueue(mail, recipients, look.nowMs);
      }
    });
  }
}
