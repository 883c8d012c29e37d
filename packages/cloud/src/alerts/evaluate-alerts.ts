import type { IdKind } from '@placard/protocol';
import { MAX_OPEN_ALERTS } from '@placard/protocol/api';
import type { AlertCondition } from '@placard/protocol/api';
import type { Logger } from 'pino';
import { alertFilterOf, conditionOf } from '../database/alert-rules.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';
import { isEmptyPlan, planAlerts } from '../domain/alert-plan.ts';
import type { AlertPolicy } from '../domain/alert-plan.ts';
import type { Clock } from '../domain/clock.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';
import { createYieldIfLong } from '../event-loop/yield-if-long.ts';
import { applyPlan } from './apply-plan.ts';
import { createCountedTime } from './counted-time.ts';
import { escalateAlerts } from './escalate-alerts.ts';
import { findMatching } from './find-matching.ts';
import { isFresh } from './look.ts';
import type { ChangeUnderRule, Look, LookedAtRule, Matching } from './look.ts';
import { isOfOnline, matchOnline } from './match-online.ts';
import { matchingSince } from './matching-since.ts';
import { createIsMuted } from './mutes.ts';
import { readPlanInput } from './plan-input.ts';

/** Conditions that all online devices are compared for, or that change seldom, are looked at once a minute. */
const SLOW_INTERVAL_MS = 60_000;
const SLOW: ReadonlySet<AlertCondition['type']> = new Set([
  'behind',
  'old_version',
  'hot',
  'disk_below',
  'nothing_playable',
  'screen_black',
  'screen_frozen',
]);
/** The newest of the times in which the cloud was running. */
const MAX_SPANS = 1000;
const NOTHING_FOUND: Matching = { found: [], unknown: new Set(), pictures: new Map() };
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

/**
 * Compares the devices with all rules, and opens and resolves alerts; called at intervals, on the leader. It looks at what is
 * stored, not at what has changed, so that nothing is lost when it was not called for a while; and an alert and the event
 * about it are one transaction, so that nothing is told twice.
 */
export function createAlertEvaluator({ database, clock, log, newId, observingSinceMs }: AlertEvaluatorDeps) {
  let slowMs = -Infinity;
  const countedTime = createCountedTime();

  /** Other rules do not wait for one that fails; it is tried again at the next look. */
  const attempt = async <T>(ids: readonly string[], run: () => Promise<T>): Promise<T | null> => {
    try {
      return await run();
    } catch (error) {
      if (storageFailureOf(error) !== null) {
        throw error;
      }
      log.error({ alert_rule_ids: ids, err: error }, 'alerts.rules_failed');
      return null;
    }
  };

  const change: ChangeUnderRule = ({ row }, run) =>
    database.transaction(
      async (tx) => {
        const current = await tx.alertRules.find(row.id);
        const isSame = current?.updated_at === row.updated_at && current.generation === row.generation;
        return isSame && observingSinceMs() !== null ? run(tx) : null;
      },
      { owner: OWNER },
    );

  /** What is known of the rule now, with what was found among the online devices. */
  const match = async (rule: LookedAtRule, online: Matching, look: Look): Promise<Matching> => {
    const all = new Map(
      [...online.found, ...(await findMatching(database, rule))].map((each) => [each.device.id, each]),
    );
    const found = [...all.values()];
    return {
      ...online,
      found: rule.condition.type === 'offline' ? found : found.filter(({ device }) => isFresh(device, look)),
    };
  };

  const evaluate = async (rule: LookedAtRule, online: Matching, look: Look): Promise<void> => {
    const { condition, row } = rule;
    const known = await match(rule, online, look);
    // With SQLite nothing of it yields by itself, and all devices may be in alerts.
    const yieldIfLong = createYieldIfLong();
    const matching = await matchingSince(database, change, rule, known, look);
    await yieldIfLong();
    const open = await database.alerts.open(row.id);
    await yieldIfLong();
    const input = await readPlanInput(database, rule, matching, known, open, look);
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
    const { content } = await database.manifestBuilder();
    const look: Look = {
      nowMs,
      observingSinceMs: sinceMs,
      countedTime: countedTime(
        // That of now is recorded now and then.
        [{ started_at: sinceMs, ended_at: nowMs }, ...spans],
        content,
        nowMs,
      ),
      pictureMinutes: content.settings.screenshotInterval ?? 0,
      isMuted: createIsMuted(await database.alertMutes.listCurrent(nowMs)),
    };
    const rules = rows
      .map((row) => ({ row, condition: conditionOf(row), filter: alertFilterOf(row) }))
      .filter(({ condition }) => isSlowTurn || !SLOW.has(condition.type));
    const ofOnline = rules.filter(({ condition }) => isOfOnline(condition));
    const online = await attempt(
      ofOnline.map(({ row }) => row.id),
      () => matchOnline(database, ofOnline, look),
    );
    for (const rule of rules.filter((each) => online !== null || !ofOnline.includes(each))) {
      await attempt([rule.row.id], async () => {
        await evaluate(rule, online?.get(rule.row.id) ?? NOTHING_FOUND, look);
        await escalateAlerts(database, change, rule, look);
      });
      online?.delete(rule.row.id);
    }
  };
}
