import { operations } from '@placard/protocol/api';
import type { Alert, Operation } from '@placard/protocol/api';
import type { z } from 'zod';
import type { ReceivedMail } from '../../support/smtp-server.ts';
import type { Api } from '../support/api.ts';
import { assert } from '../support/contract-violation.ts';
import { ESCALATED, OF_ALL } from './incidents.ts';
import type { RuleName } from './incidents.ts';
import { compareMails } from './compare-mails.ts';
import type { ComparedMails, KillSpan } from './compare-mails.ts';

/** What must have become of the incidents. */
export interface Ledger {
  /** Incidents that must be alerts, in the order in which they began. Without a subject: in an alert with those at the same time. */
  expected: {
    rule: RuleName;
    subject: string | null;
    /** Before that there must be no alert: it is muted. */
    beganMs: number;
    endedMs: number;
    /** When the cloud has surely heard that it has ended. */
    heardMs: number;
    /** Whether the rule is open then. */
    mayOpenAt: (ms: number) => boolean;
  }[];
  /** The rules by id. */
  rules: ReadonlyMap<string, RuleName>;
}

export interface Compared extends ComparedMails {
  alerts: number;
  /** Of them, those of whole stores. */
  ofStores: number;
}

const keyOf = (rule: RuleName, subject: string | null): string => `${rule} ${subject ?? ''}`;

/** Throws unless alerts, events and mails are those of the ledger; `pending` is how many mails are still missing. */
export async function compareAlerts(
  api: Api,
  { expected, rules }: Ledger,
  received: readonly ReceivedMail[],
  killSpans: readonly KillSpan[],
): Promise<Compared> {
  const alerts = (await listAll(api, operations.listAlerts, { cursor: 'first' })).toReversed();
  const found = Map.groupBy(alerts, ({ rule_id, subject }) =>
    keyOf(rules.get(rule_id) ?? 'fault', subject.id),
  );
  const wanted = Map.groupBy(expected, ({ rule, subject }) => keyOf(rule, subject));
  for (const key of new Set([...found.keys(), ...wanted.keys()])) {
    const [got, want] = [found.get(key) ?? [], wanted.get(key) ?? []];
    if (key === keyOf(OF_ALL, null)) {
      compareShared(key, got, want);
      continue;
    }
    assert(got.length === want.length, `${key}: ${want.length} alerts were expected`, { got, want });
    for (const [index, { beganMs, endedMs, heardMs, mayOpenAt }] of want.entries()) {
      const { opened_at: opened, resolved_at: resolved, resolved_because: because } = got[index]!;
      assert(
        beganMs <= Date.parse(opened) &&
          Date.parse(opened) <= heardMs &&
          endedMs <= Date.parse(resolved ?? ''),
        `${key}: opened while it lasted, and resolved after it`,
        { alert: got[index], began: new Date(beganMs), ended: new Date(endedMs) },
      );
      assert(mayOpenAt(Date.parse(opened)), `${key}: opened in the opening hours`, got[index]);
      assert(because === 'over', `${key}: resolved because it was over`, got[index]);
    }
  }
  await compareEvents(api, alerts);
  const due = alerts.flatMap(({ id, rule_id }) => mailsOf(id, rules.get(rule_id)));
  const mails = compareMails(new Set(due), received, killSpans);
  return {
    alerts: alerts.length,
    ofStores: alerts.filter(({ subject }) => subject.type === 'store').length,
    ...mails,
  };
}

/** Each alert was opened by an incident, and each incident was over while an alert was open. */
function compareShared(key: string, got: readonly Alert[], want: Ledger['expected']): void {
  const spans = got.map((alert) => ({
    alert,
    openedMs: Date.parse(alert.opened_at),
    resolvedMs: Date.parse(alert.resolved_at ?? ''),
  }));
  for (const { alert, openedMs } of spans) {
    const isCaused = want.some(({ beganMs, endedMs }) => beganMs <= openedMs && openedMs <= endedMs);
    assert(isCaused, `${key}: opened while an incident lasted`, { alert, want });
    assert(alert.resolved_because === 'over', `${key}: resolved because all were over`, alert);
  }
  for (const incident of want) {
    const { endedMs } = incident;
    const isTold = spans.some(({ openedMs, resolvedMs }) => openedMs <= endedMs && endedMs <= resolvedMs);
    assert(isTold, `${key}: an alert was open until the incident was over`, { incident, got });
  }
}

/** All of a list that goes on by cursor. */
async function listAll<T>(
  api: Api,
  operation: Operation<z.ZodType, z.ZodType, z.ZodType, z.ZodType<T[]>>,
  query: Readonly<Record<string, string>>,
): Promise<T[]> {
  const all: T[] = [];
  for (let from = query; ;) {
    const { data, meta } = await api.call(operation, { query: { ...from, limit: 100 } });
    assert(data && meta && 'has_more' in meta, `${operation.id} must go on by cursor`, meta);
    all.push(...data);
    if (!meta.has_more || meta.next_cursor === null) {
      return all;
    }
    from = { ...query, cursor: meta.next_cursor };
  }
}

/** Each alert was told once as opened and once as resolved. */
async function compareEvents(api: Api, alerts: readonly Alert[]): Promise<void> {
  const events = await listAll(api, operations.listEvents, { types: 'alert.*' });
  const told = events.map(({ type, resource }) => `${type} ${resource}`);
  const due = alerts.flatMap(({ id }) => [`alert.opened ${id}`, `alert.resolved ${id}`]);
  assert(told.toSorted().join() === due.toSorted().join(), 'one event of each step of an alert', {
    missing: due.filter((each) => !told.includes(each)),
    more: told.filter((each, index) => !due.includes(each) || told.indexOf(each) !== index),
  });
}

/** The mails about an alert: step and address. */
function mailsOf(id: string, rule: RuleName | undefined): string[] {
  const own = [`${id}.opened ${rule}@example.com`, `${id}.resolved ${rule}@example.com`];
  return rule === ESCALATED
    ? [...own, `${id}.escalated boss@example.com`, `${id}.resolved boss@example.com`]
    : own;
}
