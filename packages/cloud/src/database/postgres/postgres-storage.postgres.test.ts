import { sql } from 'kysely';
import { expect, inject, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../../test/support/eventually.ts';
import { insertDevice } from '../../../test/support/insert-device.ts';
import { createCopy } from '../../../test/support/postgres-databases.ts';
import { apiKeyRepository } from '../api-keys.ts';
import type { Db } from '../db.ts';
import { deviceRepository } from '../devices.ts';
import { heartbeatRepository } from '../heartbeats.ts';
import { openPostgres } from '../open-postgres.ts';
import { presenceRepository } from '../presence.ts';
import type { ArrivedHeartbeat } from '../ordinary-heartbeats.ts';
import type { Storage } from '../storage.ts';
import { recordOrdinaryHeartbeats } from './ordinary-heartbeats.ts';
import { createPostgresStorage } from './postgres-storage.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 0, 2, 12);

/** Two nodes on one database. */
async function openNodes(): Promise<[Storage, Storage]> {
  const url = await createCopy(inject('postgres')!, onTestFinished);
  const open = async () => {
    const db = await openPostgres(url);
    onTestFinished(() => db.destroy());
    return createPostgresStorage(db);
  };
  return [await open(), await open()];
}

const insertOnline = (db: Db, id: string) =>
  insertDevice(db, id, { status: 'online', told_status: 'online', player_version: '1', created_at: NOW });

const heartbeat = (deviceId: string, atMs: number): ArrivedHeartbeat => ({
  deviceId,
  request: {
    samples: [
      {
        measured_at: new Date(atMs).toISOString(),
        cpu_percent: 1,
        memory_percent: null,
        disk_percent: null,
        temperature_celsius: null,
        wifi_signal_dbm: null,
      },
    ],
    state: {
      player_version: '1',
      shell: 'chromium',
      uptime_seconds: 1,
      applied_manifest_revision: null,
      current: null,
      storage: { cache_bytes: 0, free_bytes: null, assets_held: 0, assets_missing: 0 },
      faults: [],
    },
  },
  nowMs: atMs,
  newEventId: null,
  maxNewSamples: 100,
});

test('transactions of several nodes run one at a time', async () => {
  const nodes = await openNodes();
  await sql`insert into organization (id, name, timezone, epoch, created_at, updated_at)
    values ('org_1', 'O', 'UTC', 0, 0, 0)`.execute(nodes[0].db);
  let running = 0;
  const change = (node: Storage) =>
    node.transaction(async (trx) => {
      running += 1;
      expect(running).toBe(1);
      const { epoch } = await trx.selectFrom('organization').select('epoch').executeTakeFirstOrThrow();
      await trx
        .updateTable('organization')
        .set({ epoch: epoch + 1 })
        .execute();
      running -= 1;
    }, {});
  await Promise.all(Array.from({ length: 20 }, (_, n) => change(nodes[n % 2]!)));
  const { epoch } = await nodes[0].db.selectFrom('organization').select('epoch').executeTakeFirstOrThrow();
  expect(epoch).toBe(20);
});

test('a key or token that another node revokes is not found from the next look-up on', async () => {
  const [one, other] = await openNodes();
  const key = { id: 'key_1', hash: 'secret', name: 'Till', scope: 'Read', created_at: 0 } as const;
  await apiKeyRepository(other.db).insert({ ...key, expires_at: null, last_used_at: null });
  expect(await one.credentials.findKey('secret')).toMatchObject({ id: 'key_1', scope: 'Read' });
  await apiKeyRepository(other.db).delete('key_1');
  expect(await one.credentials.findKey('secret')).toBeUndefined();
  const devices = deviceRepository(other.db);
  await devices.insertToken('token', 'dev_1', 0);
  expect(await one.credentials.findToken('token')).toMatchObject({ device_id: 'dev_1', revoked_at: null });
  await devices.revokeTokens('dev_1', 6);
  expect(await one.credentials.findToken('token')).toMatchObject({ revoked_at: 6 });
});

test('a heartbeat does not wait for a transaction that changes its device, and is then not ordinary', async () => {
  const [one, other] = await openNodes();
  const { number } = await insertOnline(one.db, 'dev_1');
  const { number: otherNumber } = await insertOnline(one.db, 'dev_2');
  await other.transaction(async (trx) => {
    await deviceRepository(trx).findRow('dev_1');
    expect(await one.recordOrdinaryHeartbeats([heartbeat('dev_1', NOW), heartbeat('dev_2', NOW)])).toEqual([
      null,
      { newSamples: 1, hasEvent: false },
    ]);
    const seen = [number, otherNumber].map((each) => ({ number: each, seenMs: NOW }));
    expect(await one.recordSeen(seen)).toEqual([{ number, seenMs: NOW }]);
  }, {});
  expect(await one.recordOrdinaryHeartbeats([heartbeat('dev_1', NOW)])).toEqual([
    { newSamples: 1, hasEvent: false },
  ]);
});

test('a heartbeat leaves the indexes of the live state as they are', async () => {
  const [{ db }] = await openNodes();
  await insertOnline(db, 'dev_1');
  await db.transaction().execute(async (trx) => {
    await recordOrdinaryHeartbeats(trx, [heartbeat('dev_1', NOW)]);
    const { rows } = await sql<{ updated: number; inPlace: number }>`select
      pg_stat_get_xact_tuples_updated(oid) as updated, pg_stat_get_xact_tuples_hot_updated(oid) as "inPlace"
      from pg_class where relname = 'device_live'`.execute(trx);
    expect(rows).toEqual([{ updated: 1, inPlace: 1 }]);
  });
});

test('a transaction waits for heartbeats that are being recorded: it neither misses samples nor marks their device offline', async () => {
  const [one, other] = await openNodes();
  const { number } = await insertOnline(one.db, 'dev_1');
  await deviceRepository(one.db).updateLive(number, { last_seen: 0 });
  const sampledMs = NOW + 1;
  const holding = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  // What `recordOrdinaryHeartbeats` does, stopped between its two statements.
  const recording = one.db.transaction().execute(async (trx) => {
    await sql`select 1 from device_live where device = ${number} for update`.execute(trx);
    isHeld.resolve();
    await holding.promise;
    await trx.insertInto('samples').values({ device: number, at: sampledMs, cpu: 1 }).execute();
    await deviceRepository(trx).updateLive(number, { last_seen: sampledMs });
  });
  await isHeld.promise;
  const rolledUp = other.transaction((trx) => heartbeatRepository(trx).rollUp(0, NOW + HOUR_MS), {});
  await waitsForLock(one.db);
  holding.resolve();
  await recording;
  await rolledUp;
  expect(
    await one.db.selectFrom('heartbeat_buckets').select('samples').where('interval', '=', 'hour').execute(),
  ).toEqual([{ samples: 1 }]);
  expect(await other.transaction((trx) => presenceRepository(trx).endSilent(NOW, 10), {})).toBe(0);
});

test('what is marked offline is decided after heartbeats that are being recorded', async () => {
  const [one, other] = await openNodes();
  const { number } = await insertOnline(one.db, 'dev_1');
  await deviceRepository(one.db).updateLive(number, { last_seen: 0 });
  const holding = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const recording = one.db.transaction().execute(async (trx) => {
    await deviceRepository(trx).updateLive(number, { last_seen: NOW });
    isHeld.resolve();
    await holding.promise;
  });
  await isHeld.promise;
  const ended = other.transaction((trx) => presenceRepository(trx).endSilent(NOW - 1, 10), {});
  await waitsForLock(one.db);
  holding.resolve();
  await recording;
  expect(await ended).toBe(0);
  expect(await deviceRepository(one.db).findRow('dev_1')).toMatchObject({ online: 1, status: 'online' });
});

const waitsForLock = (db: Db) =>
  eventually(async () => {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    expect(rows).toHaveLength(1);
  });

test('the same device on two nodes at once: each sample and each play counts once', async () => {
  const nodes = await openNodes();
  await insertOnline(nodes[0].db, 'dev_1');
  const plays = Array.from({ length: 50 }, (_, n) => ({
    id: `play_${n}`,
    content_id: 'asset_1',
    playlist_id: null,
    schedule_id: null,
    rule_id: null,
    started_at: NOW,
    ended_at: NOW + 1000,
    duration_ms: 1000,
    outcome: 'completed' as const,
    reason: null,
  }));
  const recorded = await Promise.all(
    nodes.flatMap((node, index) =>
      Array.from({ length: 5 }, () =>
        node.recordOrdinaryPlays([
          {
            deviceId: 'dev_1',
            // In another order, as a deadlock needs it.
            plays: index === 0 ? plays : plays.toReversed(),
            nowMs: NOW,
            maxPerDay: 1000,
            countOf: () => undefined,
          },
        ]),
      ),
    ),
  );
  expect(recorded.reduce((sum, each) => sum + (each.get('dev_1')?.newCount ?? 0), 0)).toBe(50);
  const counts = await nodes[0].db.selectFrom('play_days').select(['plays', 'play_ms']).execute();
  expect(counts).toEqual([{ plays: 50, play_ms: 50_000 }]);
});
