import { escalationsOf, openingHoursOf } from '../database/alert-rules.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';
import type { Row } from '../database/schema.ts';
import type { ChangeUnderRule, Look, LookedAtRule } from './look.ts';
import type { Place } from './mutes.ts';

const MINUTE_MS = 60_000;

/** Mails alerts that are still open to those whom the rule names for then: each address once, also when the rule has changed. */
export async function escalateAlerts(
  { alerts, alertMails, watchedDevices }: Pick<CloudDatabase, 'alerts' | 'alertMails' | 'watchedDevices'>,
  change: ChangeUnderRule,
  rule: LookedAtRule,
  look: Look,
): Promise<void> {
  const { row } = rule;
  const steps = escalationsOf(row);
  if (steps.length === 0) {
    return;
  }
  const open = (await alerts.openOfRule(row.id)).filter(({ affected }) => affected > 0);
  const devices = await watchedDevices.find(
    open.flatMap(({ kind, ref }) => (kind === 'device' ? [ref] : [])),
  );
  const stores = new Map(devices.map(({ id, store_id }) => [id, store_id]));
  const placeOf = ({ kind, ref }: Row<'alerts'>): Place => ({
    deviceId: kind === 'device' ? ref : null,
    storeId: kind === 'store' ? ref : (stores.get(ref) ?? null),
  });
  const time = look.countedTime(openingHoursOf(row));
  /** Whom the steps name that the alert has been open for. */
  const namedFor = (alert: Row<'alerts'>): ReadonlySet<string> => {
    const place = placeOf(alert);
    const reached = look.isMuted(place)
      ? []
      : steps.filter(
          (step) =>
            alert.created_at <= (time.startOf(place.storeId, step.after_minutes * MINUTE_MS) ?? -Infinity),
        );
    return new Set(reached.flatMap(({ recipients }) => recipients));
  };
  const named = new Map(open.map((alert) => [alert.id, namedFor(alert)] as const));
  const ids = [...named].flatMap(([id, recipients]) => (recipients.size > 0 ? [id] : []));
  const mailed = await alertMails.escalatedTo(ids);
  for (const id of ids) {
    const recipients = [...(named.get(id) ?? [])].filter((each) => mailed.get(id)?.has(each) !== true);
    if (recipients.length === 0) {
      continue;
    }
    await change(rule, async (tx) => {
      if ((await tx.alerts.find(id))?.status === 'open') {
        const mail = { alert_id: id, step: 'escalated', language: row.language } as const;
        await tx.alertMails.enqueue(mail, recipients, look.nowMs);
      }
    });
  }
}
