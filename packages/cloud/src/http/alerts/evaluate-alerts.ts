import type { IdKind } from '@placard/protocol';
import { MAX_OPEN_ALERTS } from '@placard/protocol/api';
import type { AlertCondition, AlertFilter } from '@placard/protocol/api';
import type { Logger } from 'pino';
import { alertFilterOf, conditionOf } from '../../database/alert-rules.ts';
import type { AlertMatch } from '../../database/alert-rules.ts';
import type { CloudDatabase, Transaction } from '../../database/cloud-database.ts';
import { slicesOf } from '../../database/paging.ts';
import type { Row } from '../../database/schema.ts';
import type { WatchedDevice } from '../../database/watched-devices.ts';
import { isEmptyPlan, planAlerts } from '../../domain/alert-plan.ts';
import type { AlertInput, AlertPolicy, MatchingDevice, OpenAlert } from '../../domain/alert-plan.ts';
import type { Clock } from '../../domain/clock.ts';
import { startOfObserved } from '../../domain/observed-time.ts';
import type { ObservedSpan } from '../../domain/observed-time.ts';
import { OFFLINE_AFTER_MS } from '../../domain/presence.ts';
import { storageFailureOf } from '../../domain/storage-failure.ts';
import { createYieldIfLong } from '../../event-loop/yield-if-long.ts';
import { applyPlan } from './apply-plan.ts';
import { findMatching } from './find-matching.ts';
import type { FoundDevice } from './find-matching.ts';

const MINUTE_MS = 60_000;
/** Conditions that all online devices are compared for, or that change seldom, are looked at once a minute. */
const SLOW_INTERVAL_MS = MINUTE_MS;
const SLOW: ReadonlySet<AlertCondition['type']> = new Set(['behind', 'old_version']);
/** A device sends something every minute: one that was silent for this long may be gone. */
const SILENT_MS = 90_000;
/** How long a device waits at most to see whether its whole store is gone. */
const STORE_WAIT_MS = OFFLINE_AFTER_MS;
/** The newest of the times in which the cloud was running. */
const MAX_SPANS = 1000;
const MATCHES_AT_ONCE = 500;
/** Whose turns with the database these are. */
const OWNER = 'alerts';

export interface AlertEvaluatorDeps {
  database: CloudDatabase;
  clock: Clock;
  log: Logger;
  newId: (kind: IdKind) => string;
  /** Since when this node has received, as the leader, what devices send, and could store it; null: it does not. */
  observingSinceMs: () => number | null;
}

/** What one look at all rules has in common. */
interface Look {
  nowMs: number;
  /** What was stored before is not known to be so still. */
  observingSinceMs: number;
  spans: readonly ObservedSpan[];
}

interface Rule {
  row: Row<'alert_rules'>;
  condition: AlertCondition;
  filter: AlertFilter;
}

/**
 * Compares the devices with all rules, and opens and resolves alerts; called at intervals, on the leader. It looks at what is
 * stored, not at what has changed, so that nothing is lost when it was not called for a while; and an alert and the event
 * about it are one transaction, so that nothing is told twice.
 */
export function createAlertEvaluator({ database, clock, log, newId, observingSinceMs }: AlertEvaluatorDeps) {
  let slowMs = -Infinity;

  /** Runs the change unless the rule is another one meanwhile, or the work of another node. */
  const change = <T>({ row }: Rule, run: (tx: Transaction) => Promise<T>): Promise<T | null> =>
    database.transaction(
      async (tx) => {
        const current = await tx.alertRules.find(row.id);
        const isSame = current?.updated_at === row.updated_at && current.is_active === 1;
        return isSame && observingSinceMs() !== null ? run(tx) : null;
      },
      { owner: OWNER },
    );

  /** Since when each device has met the condition. */
  const matchingSince = async (rule: Rule, found: readonly FoundDevice[], look: Look) => {
    const { condition } = rule;
    const matching = new Map<string, MatchingDevice>();
    if (condition.type === 'offline') {
      for (const { device } of found) {
        matching.set(device.id, toMatching(device, device.last_seen ?? device.created_at));
      }
      return matching;
    }
    const since = condition.minutes === 0 ? null : await keepMatches(rule, found, look);
    for (const { device } of found) {
      matching.set(device.id, toMatching(device, since?.get(device.id) ?? look.nowMs));
    }
    return matching;
  };

  /** Stores since when each device has met the condition, so that it is known after a restart. */
  const keepMatches = async (rule: Rule, found: readonly FoundDevice[], look: Look) => {
    const stored = new Map(
      (await database.alertRules.matches(rule.row.id)).map((each) => [each.device_id, each]),
    );
    const known = new Map<string, number>();
    const changed: AlertMatch[] = [];
    for (const { device, detail } of found) {
      const before = stored.get(device.id);
      stored.delete(device.id);
      if (before?.detail === detail) {
        known.set(device.id, before.since);
      } else {
        known.set(device.id, look.nowMs);
        changed.push({ device_id: device.id, since: look.nowMs, detail });
      }
    }
    const gone = new Set(stored.keys());
    for (const device of await database.watchedDevices.find([...gone])) {
      // It has not reported since the cloud has started.
      if (device.status === 'online' && !isFresh(device, look)) {
        gone.delete(device.id);
      }
    }
    for (const slice of slicesOf(changed, MATCHES_AT_ONCE)) {
      await change(rule, (tx) => tx.alertRules.putMatches(rule.row.id, slice));
    }
    for (const slice of slicesOf([...gone], MATCHES_AT_ONCE)) {
      await change(rule, (tx) => tx.alertRules.deleteMatches(rule.row.id, slice));
    }
    return known;
  };

  const readInput = async (
    rule: Rule,
    matching: AlertInput['matching'],
    open: readonly OpenAlert[],
    look: Look,
  ): Promise<AlertInput> => {
    const { condition, filter } = rule;
    const isOffline = condition.type === 'offline';
    const startOf = (ms: number) => startOfObserved(look.spans, ms);
    // Devices have some time to report after the cloud has started.
    const isSettled = !isOffline || look.observingSinceMs <= look.nowMs - OFFLINE_AFTER_MS;
    const dueMs = isSettled ? startOf(condition.minutes * MINUTE_MS) : null;
    const inAlert = new Set(open.flatMap(({ devices }) => [...devices.keys()]));
    const stores = new Set<string>();
    for (const [id, { storeId, sinceMs }] of matching) {
      if (storeId !== null && dueMs !== null && sinceMs <= dueMs && !inAlert.has(id)) {
        stores.add(storeId);
      }
    }
    const others = [...inAlert].filter((id) => !matching.has(id));
    const unknown = new Set(
      isOffline
        ? []
        : (await database.watchedDevices.find(others))
            .filter((device) => !isFresh(device, look))
            .map(({ id }) => id),
    );
    return {
      matching,
      isUnknown: (id) => unknown.has(id),
      dueMs,
      overdueMs: startOf(condition.minutes * MINUTE_MS + STORE_WAIT_MS),
      watched: await database.watchedDevices.countByStore(filter, [...stores]),
      suspects: isOffline
        ? await database.watchedDevices.countSilentByStore(filter, [...stores], look.nowMs - SILENT_MS)
        : new Map(),
    };
  };

  const evaluate = async (rule: Rule, look: Look): Promise<void> => {
    const { condition, filter, row } = rule;
    const all = await findMatching(database, condition, filter);
    const found = condition.type === 'offline' ? all : all.filter(({ device }) => isFresh(device, look));
    // With SQLite nothing of it yields by itself, and all devices may be in alerts.
    const yieldIfLong = createYieldIfLong();
    const matching = await matchingSince(rule, found, look);
    await yieldIfLong();
    const open = await database.alerts.open(row.id);
    await yieldIfLong();
    const input = await readInput(rule, matching, open, look);
    await yieldIfLong();
    const policy: AlertPolicy = {
      isOne: condition.type === 'old_version',
      maxOpen: MAX_OPEN_ALERTS,
      nowMs: look.nowMs,
    };
    if (isEmptyPlan(planAlerts(open, input, policy))) {
      return;
    }
    let hasMore: boolean | null = true;
    while (hasMore) {
      await yieldIfLong();
      hasMore = await change(rule, async (tx) => {
        const current = await tx.alerts.open(row.id);
        await yieldIfLong();
        const plan = planAlerts(current, input, policy);
        await yieldIfLong();
        return applyPlan(tx, plan, { rule: row, newId, nowMs: look.nowMs });
      });
    }
  };

  return async (): Promise<void> => {
    const sinceMs = observingSinceMs();
    const rows = sinceMs === null ? [] : await database.alertRules.listActive();
    if (sinceMs === null || rows.length === 0) {
      return;
    }
    const nowMs = clock.nowMs();
    const isSlowTurn = nowMs - slowMs >= SLOW_INTERVAL_MS;
    slowMs = isSlowTurn ? nowMs : slowMs;
    const spans = await database.presence.newestObserved(MAX_SPANS);
    const look: Look = {
      nowMs,
      observingSinceMs: sinceMs,
      // That of now is recorded now and then.
      spans: [{ started_at: sinceMs, ended_at: nowMs }, ...spans],
    };
    for (const row of rows) {
      const rule = { row, condition: conditionOf(row), filter: alertFilterOf(row) };
      if (SLOW.has(rule.condition.type) && !isSlowTurn) {
        continue;
      }
      try {
        await evaluate(rule, look);
      } catch (error) {
        if (storageFailureOf(error) !== null) {
          throw error;
        }
        // The other rules do not wait for it; it is tried again at the next look.
        log.error({ alert_rule_id: row.id, err: error }, 'alerts.rule_failed');
      }
    }
  };
}

const toMatching = ({ store_id }: WatchedDevice, sinceMs: number): MatchingDevice => ({
  storeId: store_id,
  sinceMs,
});

/** Whether the device is online, and its state was reported since the cloud has started. */
const isFresh = ({ status, last_heartbeat }: WatchedDevice, { observingSinceMs }: Look): boolean =>
  status === 'online' && last_heartbeat !== null && last_heartbeat >= observingSinceMs;
