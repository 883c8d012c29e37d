import type { ConsoleRig } from '../../e2e/console-rig.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** A store in which many screens have a fault, and four screens of others. */
const OPEN = 5;
/** The cloud looks at the rules every 15 s, and knows faults that were reported after its first look. */
const POLL_MS = 3000;

/** Rules for alerts, open alerts, and one of a rule that was switched off. `report` lets the screens report their faults. */
export async function addAlerts({ admin }: ConsoleRig, report: () => Promise<void>) {
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
    90_000,
    POLL_MS,
  );
  await admin.alerts.updateRule(connection.id, { is_active: false });
  const ofStore = alerts.find(({ subject }) => subject.type === 'store');
  await waitUntil('mails', async () => {
    const mails = await admin.alerts.listMails(ofStore!.id);
    return mails.length > 0 && mails.every(({ status }) => status === 'sent');
  });
  return { alertId: ofStore!.id, alertRuleId: full.id };
}
