import { sql } from 'kysely';
import { beforeEach, expect, test, vi } from 'vitest';
import { heartbeatOf, openWithRecordedDevice } from '../../test/support/recorded-device.ts';
import { createSeenDevices } from './connecting-devices.ts';
import { deviceRepository } from './devices.ts';
import type { RootDb } from './open-database.ts';
import type { OrdinaryHeartbeats } from './ordinary-heartbeats.ts';
import { presenceRepository } from './presence.ts';

const MINUTE = 60_000;
const BASE = Date.UTC(2026, 0, 2, 12);

let db: RootDb;
let record: OrdinaryHeartbeats['record'];
beforeEach(async () => {
  ({ db, record } = await openWithRecordedDevice());
});

/** Records a heartbeat that arrives in this minute, with a sample of the minute `at`. */
const send = (minute: number, at = minute): void => {
  const request = heartbeatOf([BASE + at * MINUTE]);
  const arrived = { deviceId: 'dev_1', request, nowMs: BASE + minute * MINUTE, maxNewSamples: 10 };
  expect(record([{ ...arrived, newEventId: null }])).toEqual([{ newSamples: 1, hasEvent: false }]);
};
const minuteOf = (column: 'last_seen' | 'last_seen_indexed'): number =>
  (db.writer.prepare<[], number>(`select ${column} from device_live`).pluck().get()! - BASE) / MINUTE;
const mayAnyBeSilentSince = (minute: number) =>
  deviceRepository(db).mayAnyBeSilentSince(BASE + minute * MINUTE);
const endSilent = (minute: number): Promise<number> =>
  db.transaction().execute((trx) => presenceRepository(trx).endSilent(BASE + minute * MINUTE, 10));
const status = () => db.writer.prepare<[], string>('select status from devices').pluck().get();

test('one of three heartbeats moves a device in the index of silent ones', async () => {
  const indexed = [];
  for (let minute = 0; minute < 12; minute++) {
    send(minute);
    expect(minuteOf('last_seen')).toBe(minute);
    indexed.push(minuteOf('last_seen_indexed'));
  }
  expect(indexed).toEqual([0, 0, 0, 3, 3, 3, 6, 6, 6, 9, 9, 9]);
});

test.each([
  ['a usual heartbeat', async () => send(50, 2)],
  ['one that is not ordinary', () => deviceRepository(db).updateLive(1, { last_seen: BASE + 50 * MINUTE })],
])(
  'a device that falls silent after the clock was set back is found, when it was heard by %s',
  async (_, hear) => {
    send(100, 0);
    send(101, 1);
    await hear();
    expect(minuteOf('last_seen_indexed')).toBe(50);
    expect([await mayAnyBeSilentSince(49), await mayAnyBeSilentSince(50)]).toEqual([false, true]);
  },
);

test('a device that the index finds stays online when it was heard since, and is not found again', async () => {
  send(0);
  send(1);
  expect([await endSilent(0), status(), await mayAnyBeSilentSince(0)]).toEqual([1, 'online', false]);
  expect([await endSilent(1), status()]).toEqual([1, 'offline']);
});

test('a device from which nothing was ever received is not found all the time', async () => {
  expect([await endSilent(0), status(), await mayAnyBeSilentSince(2)]).toEqual([1, 'online', false]);
  expect(await mayAnyBeSilentSince(3)).toBe(true);
});

test('a device is found that has returned while the clock was ahead, and is still known in memory', async () => {
  send(0);
  send(1);
  await sql`update devices set status = 'offline'`.execute(db);
  await db
    .transaction()
    .execute((trx) => presenceRepository(trx).markReturned([{ number: 1, seenMs: BASE + 61 * MINUTE }]));
  expect(minuteOf('last_seen_indexed')).toBe(61);
  send(2);
  expect([minuteOf('last_seen'), minuteOf('last_seen_indexed')]).toEqual([2, 2]);
});

test('a device that falls silent before the clock is set back by hours is offline three minutes after that', async () => {
  send(120, 0);
  send(121, 1);
  expect(await mayAnyBeSilentSince(1)).toBe(true);
  expect([await endSilent(1), status(), minuteOf('last_seen'), minuteOf('last_seen_indexed')]).toEqual([
    1,
    'online',
    4,
    4,
  ]);
  expect(db.writer.prepare('select last_heartbeat from device_live').pluck().get()).toBe(BASE + 4 * MINUTE);
  expect([await mayAnyBeSilentSince(3), await endSilent(4), status()]).toEqual([false, 1, 'offline']);
});

test('a device that goes on after the clock was set back by hours stays online', async () => {
  send(120, 0);
  send(121, 1);
  await endSilent(1);
  send(5, 5);
  expect([minuteOf('last_seen'), await mayAnyBeSilentSince(4), status()]).toEqual([5, false, 'online']);
});

test('a device that connects is moved in the index as well', () => {
  send(0);
  createSeenDevices(db.writer)([{ number: 1, seenMs: BASE + 5 * MINUTE }]);
  expect([minuteOf('last_seen'), minuteOf('last_seen_indexed')]).toEqual([5, 5]);
});

/** A line of a query plan. */
const search = (range: string) =>
  expect.stringMatching(
    `^SEARCH device_live USING (COVERING )?INDEX device_live_by_last_seen_indexed \\(last_seen_indexed${range}\\?\\)$`,
  );

test('silent devices are found by their index', async () => {
  const prepare = vi.spyOn(db.writer, 'prepare');
  const prepareRead = vi.spyOn(db.reader, 'prepare');
  await mayAnyBeSilentSince(0);
  await endSilent(0);
  const queries = [...prepare.mock.calls, ...prepareRead.mock.calls]
    .map(([text]) => text)
    .filter((text) => /last_seen_indexed" <=/.test(text));
  expect(queries).toHaveLength(2);
  for (const query of queries) {
    const parameters = Array.from(query.matchAll(/[?]/g), () => 1);
    const plan = db.writer
      .prepare<unknown[], { detail: string }>(`explain query plan ${query}`)
      .all(parameters);
    const ofLive = plan.map(({ detail }) => detail).filter((detail) => detail.includes('device_live'));
    expect(ofLive).toEqual([search('<'), search('>')]);
  }
});
