import type { DisplaySettings } from '@placard/protocol';
import { conditionOf } from '../database/alert-rules.ts';
import type { Row } from '../database/schema.ts';
import { sha256Hex } from '../http-server/secrets.ts';
import type { MailMessage } from '../mail/mailer.ts';
import { MAIL_TEXTS } from './mail-texts.ts';

export interface MailContext {
  /** Of the organization. */
  timezone: string;
  publicUrl: string;
}

/** The mail about a step of an alert, in the language of its recipient. A newer version may have stored words that this one does not know. */
export function composeAlertMail(
  alert: Row<'alerts'>,
  { step, recipient, language }: Pick<Row<'alert_mails'>, 'step' | 'recipient' | 'language'>,
  { timezone, publicUrl }: MailContext,
): MailMessage {
  const texts = MAIL_TEXTS[language] ?? MAIL_TEXTS.en;
  const what = `${alert.subject_name ?? texts.severalScreens}: ${texts.condition(conditionOf(alert))}`;
  const isResolved = step === 'resolved';
  /** Why it has ended if it is not known to be over. */
  const reason = isResolved && alert.resolved_because !== 'over' ? alert.resolved_because : null;
  const time = (ms: number) => formatTime(ms, language, timezone);
  const lines = [
    what,
    '',
    `${texts.screens}: ${alert.devices}`,
    `${texts.since}: ${time(alert.created_at)}`,
    ...(isResolved ? [`${texts.until}: ${time(alert.resolved_at ?? alert.created_at)}`] : []),
    `${texts.rule}: ${alert.rule_name}`,
    ...(reason === null ? [] : ['', textOf(texts.because, reason)]),
    '',
    `${publicUrl}/alerts/${alert.id}`,
    '',
  ];
  return {
    to: recipient,
    subject: `${reason === null ? textOf(texts.step, step) : texts.ended}: ${what}`,
    text: lines.join('\n'),
    messageId: `<${alert.id}.${step}.${sha256Hex(recipient).slice(0, 16)}@${URL.parse(publicUrl)?.hostname ?? 'placard'}>`,
  };
}

/** The text for a word; one that is not known is shown as it is. */
const textOf = (texts: Readonly<Record<string, string>>, word: string): string => texts[word] ?? word;

const formatTime = (ms: number, language: DisplaySettings['language'], timeZone: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'long', timeZone }).format(ms);
