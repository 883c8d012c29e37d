import { setTimeout as sleep } from 'node:timers/promises';
import { idTimeMs } from '@placard/protocol';
import { operations } from '@placard/protocol/api';
import type { CloudApi } from '../cloud-api/api.ts';
import type { Ledger } from '../ledger/read-ledger.ts';
import type { Findings } from './findings.ts';

const DAY_MS = 86_400_000;
const PAGE = 10_000;
const MAX_TRIES = 3;
const RETRY_MS = 500;

/** Compares the export of plays with the ledger, and the counts of each device with the export. Returns how many were acknowledged. */
export async function auditPlays(api: CloudApi, { devices }: Ledger, findings: Findings): Promise<number> {
  const missing = new Map<string, string>();
  let [firstMs, lastMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [deviceId, { plays }] of devices) {
    for (const id of plays) {
      const startedMs = idTimeMs('play', id) ?? 0;
      firstMs = Math.min(firstMs, startedMs);
      lastMs = Math.max(lastMs, startedMs);
      missing.set(id, deviceId);
    }
  }
  const acknowledged = missing.size;
  if (acknowledged === 0) {
    return 0;
  }
  // Whole days, because counts are kept by hours and days.
  const query = {
    from: new Date(Math.floor(firstMs / DAY_MS) * DAY_MS).toISOString(),
    to: new Date(Math.ceil((lastMs + 1) / DAY_MS) * DAY_MS).toISOString(),
  };
  const seen = new Set<string>();
  const exported = new Map<string, number>();
  for await (const line of api.csvLines(operations.exportPlays, query)) {
    const [id = '', deviceId = ''] = line.split(',', 2);
    if (!devices.has(deviceId)) {
      continue;
    }
    if (seen.has(id)) {
      findings.add('play_doubled', `${id} of device ${deviceId} is twice in the export`);
    }
    seen.add(id);
    missing.delete(id);
    exported.set(deviceId, (exported.get(deviceId) ?? 0) + 1);
  }
  for (const [id, deviceId] of missing) {
    findings.add('play_lost', `${id} of device ${deviceId}`);
  }
  const counted = await readCounts(api, query);
  for (const [deviceId, { isUnpaired }] of devices) {
    // Removed devices share a row of counts.
    if (!isUnpaired && exported.get(deviceId) !== counted.get(deviceId)) {
      await compareCount(api, deviceId, query, findings);
    }
  }
  return acknowledged;
}

/** Compares again: the cloud may have stored a request between both reports that was sent before the simulation ended. */
async function compareCount(
  api: CloudApi,
  deviceId: string,
  range: { from: string; to: string },
  findings: Findings,
): Promise<void> {
  let [rows, count] = [0, -1];
  for (let tries = 0; tries < MAX_TRIES && rows !== count; tries++) {
    await sleep(tries * RETRY_MS);
    const query = { ...range, device_id: deviceId };
    rows = 0;
    for await (const _ of api.csvLines(operations.exportPlays, query)) {
      rows += 1;
    }
    const totals = await api.call(operations.getPlays, { query: { ...query, group_by: 'device' } });
    count = totals.find(({ key }) => key === deviceId)?.plays ?? 0;
  }
  if (rows !== count) {
    findings.add('play_count_wrong', `device ${deviceId}: ${rows} plays, counted as ${count}`);
  }
}

async function readCounts(api: CloudApi, range: { from: string; to: string }): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let page = 1; ; page++) {
    const rows = await api.call(operations.getPlays, {
      query: { ...range, group_by: 'device', page, limit: PAGE },
    });
    for (const { key, plays } of rows) {
      counts.set(key ?? '', plays);
    }
    if (rows.length < PAGE) {
      return counts;
    }
  }
}
