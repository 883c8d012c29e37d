import { beforeEach, expect, test, vi } from 'vitest';
import { insertDevice } from '../../test/support/insert-device.ts';
import { heartbeatOf, openWithRecordedDevice } from '../../test/support/recorded-device.ts';
import { heartbeatRepository } from './heartbeats.ts';
import type { RootDb } from './open-database.ts';
import type { OrdinaryHeartbeats } from './ordinary-heartbeats.ts';

const MINUTE = 60_000;
const BASE = Date.UTC(2026, 0, 2, 12);

let db: RootDb;
let record: OrdinaryHeartbeats['record'];
beforeEach(async () => {
  ({ db, record } = await openWithRecordedDevice());
});

/** Records a heartbeat with samples of these minutes; returns how many of them are new. */
const send = (minutes: readonly number[], cpu = 12.5): number => {
  const times = minutes.map((minute) => BASE + minute * MINUTE);
  const [recorded] = record([
    {
      deviceId: 'dev_1',
      request: heartbeatOf(times, { sample: { cpu_percent: cpu } }),
      nowMs: BASE + 100 * MINUTE,
      maxNewSamples: 1000,
      newEventId: null,
    },
  ]);
  return recorded!.newSamples;
};

const minutesIn = (table: 'samples' | 'all_samples'): number[] =>
  db.writer
    .prepare<[], { at: number }>(`select at from ${table} order by at`)
    .all()
    .map(({ at }) => (at - BASE) / MINUTE);
const upTo = (count: number) => Array.from({ length: count }, (_, minute) => minute);

test('a dozen samples are in the row of their device, and are then moved together', () => {
  for (const minute of upTo(12)) {
    expect(send([minute])).toBe(1);
    expect(minutesIn('samples')).toEqual([]);
    expect(minutesIn('all_samples')).toEqual(upTo(minute + 1));
  }
  expect(send([12])).toBe(1);
  expect(minutesIn('samples')).toEqual(upTo(13));
  expect(send([13])).toBe(1);
  expect(minutesIn('samples')).toEqual(upTo(13));
  expect(minutesIn('all_samples')).toEqual(upTo(14));
});

test('a sample that was sent before is not new, in whichever table it is', () => {
  send([0, 1]);
  // Those that are in the row are moved first.
  expect(send([1])).toBe(0);
  expect(minutesIn('samples')).toEqual([0, 1]);
  expect(send([1])).toBe(0);
  expect(send([2])).toBe(1);
  expect(send([2, 3])).toBe(1);
  expect(minutesIn('all_samples')).toEqual(upTo(4));
});

test('a sample between others is stored beside them', () => {
  send([5]);
  expect(send([3])).toBe(1);
  expect(send([4])).toBe(1);
  expect(minutesIn('samples')).toEqual([3, 4, 5]);
});

test('a value that is no tenth keeps its last digit', () => {
  send([0], 1 / 3);
  expect(db.writer.prepare('select cpu from samples').pluck().all()).toEqual([1 / 3]);
});

test('samples are moved before they are rolled up', async () => {
  send([0, 1]);
  const heartbeats = heartbeatRepository(db);
  await heartbeats.rollUp(0, BASE);
  expect(minutesIn('samples')).toEqual([]);
  await heartbeats.rollUp(0, BASE + MINUTE);
  expect(minutesIn('samples')).toEqual([0, 1]);
  const hours = await heartbeats.buckets('dev_1', 'hour', BASE, BASE + 60 * MINUTE);
  expect(hours).toMatchObject([{ samples: 2, cpu_sum: 25 }]);
});

test.each(['', 'damaged', '[[1767355200000,1', '[[null,1]]', '["a"]', '[[1767355200000.5,1]]', '5'])(
  'what is damaged (%s) has no samples and harms nothing else',
  async (damaged) => {
    await insertDevice(db, 'dev_2', {});
    send([0]);
    await db
      .updateTable('device_live')
      .set({ recent_samples: damaged })
      .where('device', '=', (query) => query.selectFrom('devices').select('number').where('id', '=', 'dev_2'))
      .execute();
    expect(minutesIn('all_samples')).toEqual([0]);
    await heartbeatRepository(db).rollUp(0, BASE + 60 * MINUTE);
    expect(minutesIn('samples')).toEqual([0]);

    await db.updateTable('device_live').set({ recent_samples: damaged }).execute();
    expect(send([61])).toBe(1);
    expect(send([62])).toBe(1);
    expect(minutesIn('all_samples')).toEqual([0, 61, 62]);
  },
);

const planOf = (query: string): string[] =>
  db.writer
    .prepare<[], { detail: string }>(`explain query plan ${query}`)
    .all()
    .map(({ detail }) => detail);

test('reading all samples in their order sorts no stored ones', () => {
  for (const condition of ['', 'where (device, at) > (5, 6)']) {
    const plan = planOf(`select device, at, cpu from all_samples ${condition} order by device, at`);
    const right = plan.indexOf('RIGHT');
    expect(plan[0]).toBe('MERGE (UNION ALL)');
    expect(plan.slice(0, right).filter((step) => step.includes('TEMP B-TREE'))).toEqual([]);
  }
});

test('reading the samples of a device reads no others', () => {
  const plan = planOf(
    'select count(*) from all_samples as samples where device = 1 and at >= 5 group by at / 10',
  );
  expect(plan.filter((step) => step.startsWith('SCAN') && !/json_each|samples$/.test(step))).toEqual([]);
  expect(plan).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^SEARCH samples USING PRIMARY KEY \(device=\? AND at>\?\)/),
      expect.stringMatching(/^SEARCH device_live USING INTEGER PRIMARY KEY/),
    ]),
  );
});

test('a roll-up of some devices reads no others', async () => {
  send([1]);
  const prepare = vi.spyOn(db.writer, 'prepare');
  await db.transaction().execute((trx) => heartbeatRepository(trx).rollUp(0, BASE + 60 * MINUTE));
  const texts = prepare.mock.calls.map(([text]) => text).filter((text) => text.includes('rolled_up_until'));
  prepare.mockRestore();
  expect(texts.length).toBeGreaterThan(3);
  const scans = texts.flatMap((text) =>
    db.writer
      .prepare<unknown[], { detail: string }>(`explain query plan ${text}`)
      .all(
        ...text
          .split('?')
          .slice(1)
          .map(() => 0),
      )
      .filter(({ detail }) => /^SCAN (devices|device_live|samples)\b/.test(detail)),
  );
  expect(scans).toEqual([]);
});
