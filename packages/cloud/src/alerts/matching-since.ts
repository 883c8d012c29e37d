import type { AlertMatch } from '../database/alert-matches.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';
import { slicesOf } from '../database/paging.ts';
import type { MatchingDevice } from '../domain/alert-plan.ts';
import { OFFLINE_AFTER_MS } from '../domain/presence.ts';
import { isFresh } from './look.ts';
import type { ChangeUnderRule, Look, LookedAtRule, Matching } from './look.ts';

const MATCHES_AT_ONCE = 500;

type Source = Pick<CloudDatabase, 'alertMatches' | 'watchedDevices'>;

/** Since when each of the devices has met the condition of the rule. */
export async function matchingSince(
  database: Source,
  change: ChangeUnderRule,
  rule: LookedAtRule,
  known: Matching,
  look: Look,
): Promise<Map<string, MatchingDevice>> {
  const isOffline = rule.condition.type === 'offline';
  const since = isOffline ? null : await keepMatches(database, change, rule, known, look);
  const matching = new Map<string, MatchingDevice>();
  for (const { device } of known.found) {
    const { id, store_id: storeId, last_seen, created_at } = device;
    const sinceMs = isOffline ? (last_seen ?? created_at) : (since?.get(id) ?? look.nowMs);
    matching.set(id, { storeId, sinceMs: look.isMuted({ deviceId: id, storeId }) ? Infinity : sinceMs });
  }
  return matching;
}

/** Stores since when each device has met the condition, so that it is known at the next look, and after a restart. */
async function keepMatches(
  { alertMatches, watchedDevices }: Source,
  change: ChangeUnderRule,
  rule: LookedAtRule,
  { found, unknown }: Matching,
  look: Look,
): Promise<Map<string, number>> {
  const stored = new Map((await alertMatches.ofRule(rule.row)).map((each) => [each.device_id, each]));
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
  const gone = new Set([...stored.keys()].filter((id) => !unknown.has(id)));
  // After an interruption all that were silent are marked as offline at once.
  const mayYetReport = look.observingSinceMs > look.nowMs - OFFLINE_AFTER_MS;
  for (const device of await watchedDevices.find([...gone])) {
    const hasJustReported = (device.last_heartbeat ?? 0) >= look.nowMs;
    // It had not reported since the cloud has started when those that meet the condition were read.
    if ((device.status === 'online' || mayYetReport) && (hasJustReported || !isFresh(device, look))) {
      gone.delete(device.id);
    }
  }
  for (const slice of slicesOf(changed, MATCHES_AT_ONCE)) {
    await change(rule, (tx) => tx.alertMatches.put(rule.row, slice));
  }
  for (const slice of slicesOf([...gone], MATCHES_AT_ONCE)) {
    await change(rule, (tx) => tx.alertMatches.delete(rule.row, slice));
  }
  return known;
}
