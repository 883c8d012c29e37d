import type { ConsoleRig } from '../../e2e/console-rig.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** A store in which many screens have a fault, and four screens of others. */
const OPEN = 5;
/** The cloud looks at the rules every 15 s, knows faults that were reported after its first look, and waits a minute for more of a store. */
const POLL_MS = 3000;
const ALERTS_MS = 180_000;
const MUTED_MS = 6 * 86_400_000;

/** Rules for alerts, open alerts, and one of a rule that was switched off, and a mute. `report` lets the screens report their faults. */
export async function addAlerts(
  { admin }: ConsoleRig,
  { mutedStoreId, report }: { mutedStoreId: string; report: () => Promise<void> },
) {
  const technicians = 'technik@kaufhaus-sonnenschein.example';
  await admin.alerts.createRule({
    name: 'Bildschirm seit 10 Minuten offline',
    condition: { type: 'offline', minutes: 10 },
    recipients: [technicians],
    language: 'de',
  });
  const fault = await admin.alerts.createRule({
    name: 'Videos laufen nicht',
    condition: { type: 'fault', code: 'playback.decode_failed', minutes: 0 },
    recipients: [technicians, 'filialleitung.hamburg.moenckebergstrasse@kaufhaus-sonnenschein.example'],
    language: 'de',
  });
  const full = await admin.alerts.createRule({
    name: 'Volle Speicher an Kassen und Menütafeln, damit der Winterschlussverkauf überall rechtzeitig ankommt',
    condition: { type: 'fault', code: 'disk.full', minutes: 0 },
    filter: { country: 'JP', city: '東京' },
    opening_hours: [
      { days: ['MON', 'TUE', 'WED', 'THU', 'FRI'], start_time: '00:00', end_time: '24:00' },
      { days: ['SAT', 'SUN'], start_time: '00:00', end_time: '24:00' },
    ],
    escalations: [{ after_minutes: 60, recipients: [technicians] }],
  });
  const connection = await admin.alerts.createRule({
    name: 'Verbindung nicht sicher',
    condition: { type: 'fault', code: 'cloud.tls', minutes: 0 },
  });
  await admin.alerts.createRule({
    name: 'Alte Player',
    condition: { type: 'old_version', version: '0.1.0', minutes: 0 },
    filter: { tag: 'menu' },
    is_active: false,
  });
  const listOpen = (rule: { id: string }) =>
    admin.alerts.list({ rule_id: rule.id, status: 'open' }).toArray();
  const alerts = await waitUntil(
    'alerts',
    async () => {
      await report();
      const open = (await Promise.all([fault, full, connection].map((rule) => listOpen(rule)))).flat();
      return open.length >= OPEN && open;
    },
    ALERTS_MS,
    POLL_MS,
  );
  await admin.alerts.updateRule(connection.id, { is_active: false });
  await admin.alerts.createMute({
    target: { type: 'store', id: mutedStoreId },
    until: new Date(Date.now() + MUTED_MS).toISOString(),
    reason: 'Umbau der Schaufenster, die Bildschirme sind abgebaut und kommen erst danach zurück',
  });
  const ofStore = alerts.find(({ subject }) => subject.type === 'store');
  await waitUntil('mails', async () => {
    const mails = await admin.alerts.listMails(ofStore!.id);
    return mails.length > 0 && mails.every(({ status }) => status === 'sent');
  });
  return { alertId: ofStore!.id, alertRuleId: full.id };
}
