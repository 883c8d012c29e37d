import type { Transaction } from '../database/cloud-database.ts';
import type { Row } from '../database/schema.ts';
import { presentAlert } from '../http-server/present-alert.ts';

/** Resolves open alerts, and records it. */
export async function resolveAlerts(
  tx: Transaction,
  alerts: readonly Row<'alerts'>[],
  because: NonNullable<Row<'alerts'>['resolved_because']>,
  nowMs: number,
): Promise<void> {
  for (const alert of alerts) {
    const change = {
      status: 'resolved',
      affected: 0,
      resolved_at: nowMs,
      resolved_because: because,
    } as const;
    await tx.alerts.update(alert.id, change);
    await tx.alertMails.enqueueResolved(alert.id, nowMs);
    tx.recordEvent({
      type: 'alert.resolved',
      resource: alert.id,
      data: { alert: presentAlert({ ...alert, ...change }) },
    });
  }
}
