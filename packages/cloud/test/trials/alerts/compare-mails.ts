import type { ReceivedMail } from '../../support/smtp-server.ts';
import { assert } from '../support/contract-violation.ts';

/** The mails that came in the step in which a node was killed, or just before it: positions in all that came. */
export interface KillSpan {
  fromMail: number;
  untilMail: number;
}

export interface ComparedMails {
  escalated: number;
  /** Without those that came again. */
  mails: number;
  /** Mails that came while a node was killed, each of which may come again: the cloud cannot know that the server has taken it. */
  mailsDuringKills: number;
  /** Mails that came again, and how many at most did so because of the same kill. */
  repeatedMails: number;
  mostRepeatedByOneKill: number;
  /** Mails that are still missing. */
  pending: number;
}

/**
 * Each recipient got each step, by the ids of the mails. Throws for a mail that should not have come, and for one that came again although
 * no node was killed while it came before.
 */
export function compareMails(
  due: ReadonlySet<string>,
  received: readonly ReceivedMail[],
  killSpans: readonly KillSpan[],
): ComparedMails {
  const came = received.map(({ to, text }, position) => {
    const step = /^message-id:\s*<(alert_\w+\.\w+)\./im.exec(text)?.[1] ?? text;
    return { mail: `${step} ${to}`, position };
  });
  const positions = Map.groupBy(came, ({ mail }) => mail);
  const distinct = [...positions.keys()];
  assert(
    distinct.every((each) => due.has(each)),
    'no mail but those of the alerts',
    distinct.filter((each) => !due.has(each)),
  );
  const repeated = [...positions.values()].flatMap((copies) => copies.slice(0, -1));
  const killOf = ({ position }: { position: number }) =>
    killSpans.findIndex(({ fromMail, untilMail }) => fromMail <= position && position < untilMail);
  const withoutKill = repeated.filter((copy) => killOf(copy) === -1);
  assert(withoutKill.length === 0, 'no mail comes again unless a node was killed meanwhile', withoutKill);
  const byKill = Map.groupBy(repeated, killOf);
  return {
    escalated: distinct.filter((each) => each.includes('.escalated ')).length,
    mails: distinct.length,
    mailsDuringKills: killSpans.reduce((sum, { fromMail, untilMail }) => sum + untilMail - fromMail, 0),
    repeatedMails: repeated.length,
    mostRepeatedByOneKill: Math.max(0, ...[...byKill.values()].map((copies) => copies.length)),
    pending: due.size - distinct.length,
  };
}
