import { expect, test } from 'vitest';
import type { Row } from '../database/schema.ts';
import { composeAlertMail } from './alert-mail.ts';
import { MAIL_TEXTS } from './mail-texts.ts';

const ALERT = {
  id: 'alert_1',
  rule_id: 'arule_1',
  rule_name: 'Rule',
  condition: JSON.stringify({ type: 'offline', minutes: 10 }),
  kind: 'device',
  ref: 'dev_1',
  subject_name: 'Window',
  status: 'resolved',
  devices: 1,
  affected: 0,
  created_at: Date.UTC(2026, 10, 27, 8),
  resolved_at: Date.UTC(2026, 10, 27, 9),
  resolved_because: 'over',
};
const MAIL = { step: 'resolved', recipient: 'a@example.com', language: 'en' };

/** The mail for what is stored, whoever has stored it. */
function compose(alert: object, mail: object) {
  const [row, step]: [Row<'alerts'>, Row<'alert_mails'>] = JSON.parse(
    JSON.stringify([
      { ...ALERT, ...alert },
      { ...MAIL, ...mail },
    ]),
  );
  return composeAlertMail(row, step, { timezone: 'UTC', publicUrl: 'https://signage.example.com' });
}

test.each(Object.keys(MAIL_TEXTS))(
  'what a newer version has stored is named by its own word in a mail in %s',
  (language) => {
    const condition = JSON.stringify({ type: 'upside_down', degrees: 180 });
    const opened = compose({ condition }, { step: 'reminded', language });
    expect(opened.subject).toBe('reminded: Window: upside_down');
    const ended = compose({ resolved_because: 'store_closed' }, { language });
    expect(ended.text.split('\n')).toContain('store_closed');
    expect(`${opened.text}${ended.subject}${ended.text}`).not.toMatch(/undefined|NaN/);
  },
);

test('a mail in a language of a newer version is in English', () => {
  const { subject } = compose({}, { language: 'pt' });
  expect(subject).toBe('Resolved: Window: offline for 10 min');
});
