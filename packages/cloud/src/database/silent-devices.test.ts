import { beforeEach, expect, test } from 'vitest';
import { heartbeatOf, openWithRecordedDevice } from '../../test/support/recorded-device.ts';
import { deviceRepository } from './devices.ts';
import type { RootDb } from './open-database.ts';
import type { createOrdinaryHeartbeats } from './ordinary-heartbeats.ts';
import { isSilentSince } from './silent-devices.ts';

const MINUTE = 60_000;
const BASE = Date.UTC(2026, 0, 2, 12);

let db: RootDb;
let record: ReturnType<typeof createOrdinaryHeartbeats>;
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
const isAnySilentSince = (minute: number) => deviceRepository(db).isAnySilentSince(BASE + minute * MINUTE);

test('one of three heartbeats moves a device in the index of silent ones', async () => {
  const indexed = [];
  for (let minute = 0; minute < 12; minute++) {
    send(minute);
    expect(minuteOf('last_seen')).toBe(minute);
    indexed.push(minuteOf('last_seen_indexed'));
    expect([await isAnySilentSince(minute - 1), await isAnySilentSince(minute)]).toEqual([false, true]);
  }
  expect(indexed).toEqual([0, 0, 0, 3, 3, 3, 6, 6, 6, 9, 9, 9]);
});

test('a device that falls silent after the clock was set back is found by the new time', async () => {
  send(100, 0);
  send(101, 1);
  send(50, 2);
  expect(minuteOf('last_seen_indexed')).toBe(50);
  expect([await isAnySilentSince(49), await isAnySilentSince(50)]).toEqual([false, true]);
});

test('silent devices are found by their index', () => {
  const { sql, parameters } = db
    .selectFrom('device_live')
    .select('device')
    .where(isSilentSince(BASE))
    .compile();
  const plan = db.writer.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all(parameters);
  expect(plan.map(({ detail }) => detail)).toEqual([
    'SEARCH device_live USING INDEX device_live_by_last_seen_indexed (last_seen_indexed<?)',
  ]);
});
