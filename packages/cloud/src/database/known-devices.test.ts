import type { HeartbeatRequest } from '@placard/protocol';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openTestStorage } from '../../test/support/open-test-database.ts';
import {
  heartbeatOf,
  insertRecordedDevice,
  openWithRecordedDevice,
} from '../../test/support/recorded-device.ts';
import { createKnownDevices, MAX_FAULTS_CHARACTERS, MAX_KNOWN } from './known-devices.ts';
import type { KnownDevice } from './known-devices.ts';
import type { RootDb } from './open-database.ts';
import type { OrdinaryHeartbeats, RecordedHeartbeat } from './ordinary-heartbeats.ts';
import { storeRecentSamples } from './recent-samples.ts';

const MINUTE = 60_000;
const BASE = Date.UTC(2026, 0, 2, 12);
const RECORDED = { newSamples: 1, hasEvent: false };

let db: RootDb;
let record: OrdinaryHeartbeats['record'];
/** Minute of the last heartbeat. */
let minute: number;
beforeEach(async () => {
  ({ db, record } = await openWithRecordedDevice());
  minute = 0;
  // It is read, and known from then on.
  send();
  send();
});

/** Records the heartbeat of the next minute in a transaction. */
const send = (changes?: Partial<HeartbeatRequest['state']>): RecordedHeartbeat | undefined =>
  db.writer.transaction(recordNext)(changes);
const recordNext = (changes: Partial<HeartbeatRequest['state']> = {}): RecordedHeartbeat | undefined => {
  const nowMs = BASE + ++minute * MINUTE;
  return record([
    {
      deviceId: 'dev_1',
      request: heartbeatOf([nowMs], { state: { uptime_seconds: 60 * minute, ...changes } }),
      nowMs,
      maxNewSamples: 1000,
      newEventId: () => `evt_${minute}`,
    },
  ])[0];
};
const minutes = (): number[] =>
  db.writer
    .prepare<[], number>('select at from all_samples order by at')
    .pluck()
    .all()
    .map((at) => (at - BASE) / MINUTE);

const insertCommand = (expiresMs: number) =>
  sql`insert into commands (id, device_id, command, status, created_at, expires_at)
    values ('cmd_1', 'dev_1', 'REFRESH', 'queued', 0, ${expiresMs})`;
test.each([
  ['webhooks were told that it is offline', sql`update devices set told_status = 'offline'`],
  ['another version was stored', sql`update devices set player_version = 'other'`],
  ['it counts as offline', sql`update device_live set online = 0`],
  ['later samples are rolled up', sql`update device_live set rolled_up_until = ${BASE + 60 * MINUTE}`],
  ['a command is waiting', insertCommand(BASE + 60 * MINUTE)],
])('the next heartbeat is not ordinary when %s', async (_, change) => {
  await change.execute(db);
  expect(send()).toBeNull();
  expect(minutes()).toEqual([1, 2]);
});

test('the next heartbeat is not ordinary when the device was removed', async () => {
  await sql`delete from devices`.execute(db);
  expect(send()).toBeNull();
});

test('a command that waits again is seen, and one that is finished or expired is not', async () => {
  await insertCommand(BASE + 60 * MINUTE).execute(db);
  await sql`update commands set status = 'succeeded'`.execute(db);
  expect(send()).toEqual(RECORDED);
  await sql`update commands set status = 'delivered'`.execute(db);
  expect(send()).toBeNull();
  await sql`update commands set expires_at = ${BASE}`.execute(db);
  expect(send()).toEqual(RECORDED);
});

test('what another process has written is seen', () => {
  const other = new Sqlite(db.writer.name);
  onTestFinished(() => void other.close());
  other.exec("update devices set told_status = 'offline'");
  expect(send()).toBeNull();
});

test('a heartbeat that was undone is not known', () => {
  db.writer.exec('begin immediate');
  expect(recordNext()).toEqual(RECORDED);
  db.writer.exec('rollback');
  minute -= 1;
  expect(send()).toEqual(RECORDED);
  expect(send()).toEqual(RECORDED);
  expect(minutes()).toEqual([1, 2, 3, 4]);
});

/** A heartbeat of `dev_1` without samples, for a transaction with others. */
const arrivedAt = (nowMs: number, changes: Partial<HeartbeatRequest['state']>) => ({
  deviceId: 'dev_1',
  request: heartbeatOf([], { state: changes }),
  nowMs,
  maxNewSamples: 10,
  newEventId: null,
});

test('nothing is known of a heartbeat whose transaction has failed, although another has its time', async () => {
  const storage = await openTestStorage();
  await insertRecordedDevice(storage.db, 'dev_1');
  await insertRecordedDevice(storage.db, 'dev_2');
  await sql`update device_live set faults = ${JSON.stringify([fault])}`.execute(storage.db);
  await storage.recordOrdinaryHeartbeats([arrivedAt(BASE, { faults: [fault] })]);
  await sql`create trigger fails before update on device_live when new.tz_version = 'none'
    begin select raise(abort, 'fails'); end`.execute(storage.db);
  const withoutFault = arrivedAt(BASE + 1, { faults: [] });
  const failing = { ...arrivedAt(BASE + 1, { tz_version: 'none' }), deviceId: 'dev_2' };
  await expect(storage.recordOrdinaryHeartbeats([withoutFault, failing])).rejects.toThrow('fails');
  // As another transaction stores one that arrives in the same millisecond.
  await sql`update device_live set last_heartbeat = ${BASE + 1}`.execute(storage.db);
  const next = { ...arrivedAt(BASE + 2, {}), request: heartbeatOf([BASE], { state: { faults: [] } }) };
  await storage.recordOrdinaryHeartbeats([next]);
  expect(
    await storage.db.selectFrom('device_live').select('faults').where('device', '=', 1).execute(),
  ).toEqual([{ faults: '[]' }]);
});

test('samples that were moved from the row are still older than the next', async () => {
  await storeRecentSamples(db, sql`1 = 1`);
  expect(send()).toEqual(RECORDED);
  expect(send()).toEqual(RECORDED);
  expect(minutes()).toEqual([1, 2, 3, 4]);
  expect(db.writer.prepare('select count(*) from samples').pluck().get()).toBe(2);
});

const live = (column: 'faults' | 'health' | 'current') =>
  db.writer.prepare<[], string | null>(`select ${column} from device_live`).pluck().get();
const fault = { code: 'a', message: 'a', since: new Date(BASE).toISOString() };

test('a fault that another transaction has stored ends with the next heartbeat without it', async () => {
  await sql`update device_live set faults = ${JSON.stringify([fault])},
    last_heartbeat = ${BASE + 3 * MINUTE}`.execute(db);
  minute = 3;
  expect(send({ faults: [] })).toEqual(RECORDED);
  expect(live('faults')).toBe('[]');
});

test('a heartbeat with a new fault is not ordinary, and one without the known fault is', async () => {
  await sql`update device_live set faults = ${JSON.stringify([fault])}`.execute(db);
  expect([send({ faults: [fault] }), send({ faults: [fault] })]).toEqual([RECORDED, RECORDED]);
  expect(send({ faults: [fault, { ...fault, code: 'b' }] })).toBeNull();
  expect([send({ faults: [fault] }), send({ faults: [] })]).toEqual([RECORDED, RECORDED]);
  expect(live('faults')).toBe('[]');
});

test('what a device has added up is written once an hour', () => {
  const before = live('health');
  for (let sent = 0; sent < 58; sent++) {
    expect(send()).toEqual(RECORDED);
    expect(live('health')).toBe(before);
  }
  send();
  expect(live('health')).not.toBe(before);
  expect(minutes()).toEqual(Array.from({ length: 61 }, (_, index) => index + 1));
});

const shows = (playlistId: string) => ({
  current: {
    playlist_id: playlistId,
    item_id: 'itm_1',
    content_id: 'ast_1',
    since: new Date(BASE).toISOString(),
  },
});

test('that a device shows something else is recorded as an event', () => {
  expect(send(shows('pls_1'))).toEqual({ newSamples: 1, hasEvent: true });
  expect(send(shows('pls_1'))).toEqual(RECORDED);
  expect(send(shows('pls_2'))).toEqual({ newSamples: 1, hasEvent: true });
  expect(live('current')).toContain('pls_2');
});

/** Of a database of its own: the triggers of `db` are those of `record`. */
const emptyKnownDevices = () => {
  const writer = new Sqlite(':memory:');
  onTestFinished(() => void writer.close());
  writer.exec(`create table devices (id, number, player_version, told_status);
    create table commands (device_id, status, expires_at)`);
  return createKnownDevices(writer);
};
const withFaults = (faults: string): KnownDevice => ({
  number: 1,
  player_version: '1',
  rolled_up_until: 0,
  latestAt: 0,
  indexedMs: 0,
  recentLength: 1,
  report: { lastHeartbeatMs: 0, shown: null, faults, latestSampleMs: null, health: null },
});

test('a device that reports very much is not kept', () => {
  const known = emptyKnownDevices();
  known.add('dev_1', withFaults('f'.repeat(MAX_FAULTS_CHARACTERS)));
  known.add('dev_2', withFaults('f'.repeat(MAX_FAULTS_CHARACTERS + 1)));
  expect([known.find('dev_1') !== undefined, known.find('dev_2')]).toEqual([true, undefined]);
});

test('the devices that were read first make room for others', () => {
  const known = emptyKnownDevices();
  for (let index = 0; index <= MAX_KNOWN; index++) {
    known.add(`dev_${index}`, withFaults('[]'));
  }
  expect(known.find('dev_0')).toBeUndefined();
  expect([known.find('dev_1'), known.find(`dev_${MAX_KNOWN}`)]).not.toContain(undefined);
});
