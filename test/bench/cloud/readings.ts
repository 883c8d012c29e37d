/**
 * What a database keeps of the readings of a device in a day: a sample a minute, as heartbeats bring them, and the hours and
 * days that they are rolled up to. `npm run bench:readings`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { heartbeatRequest } from '@placard/protocol';
import { playerOperations } from '@placard/protocol/api';
import { heartbeatRepository } from '../../../packages/cloud/src/database/heartbeats.ts';
import { openDatabase } from '../../../packages/cloud/src/database/open-database.ts';
import type { RootDb } from '../../../packages/cloud/src/database/open-database.ts';
import { createOrdinaryHeartbeats } from '../../../packages/cloud/src/database/ordinary-heartbeats.ts';
import { rollUpEnd } from '../../../packages/cloud/src/database/sample-roll-up.ts';
import { createSeededRandom } from '../../support/seeded-random.ts';
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { fillDatabase } from './fill-database.ts';

const DEVICES = 100;
const DAYS = 2;
const MINUTES_A_DAY = 1_440;
const MINUTE_MS = 60_000;
/** Numbers of devices before these: a greater number takes more bytes in each row. */
const EARLIER_DEVICES = 100_000;
const GOAL_KB = 60;

/** Heartbeats of a minute apart from all devices, written and rolled up by the code of the cloud. */
async function writeReadings(db: RootDb, deviceIds: readonly string[]): Promise<void> {
  const { state } = heartbeatRequest.parse(playerOperations.sendHeartbeats.example.body);
  const { record } = createOrdinaryHeartbeats(db.writer);
  const random = createSeededRandom();
  const tenths = (from: number, to: number) => random.int(10 * from, 10 * to) / 10;
  const beginMs = rollUpEnd(Date.now());
  let rolledUpMs = beginMs;
  for (let minute = 0; minute < DAYS * MINUTES_A_DAY; minute++) {
    const nowMs = beginMs + minute * MINUTE_MS;
    const arrived = deviceIds.map((deviceId) => {
      const sample = {
        // Devices do not measure at the same instant.
        measured_at: new Date(nowMs + random.below(MINUTE_MS)).toISOString(),
        cpu_percent: tenths(0, 100),
        memory_percent: tenths(0, 100),
        disk_percent: tenths(0, 100),
        temperature_celsius: tenths(30, 90),
        wifi_signal_dbm: random.int(-90, -30),
      };
      const request = { samples: [sample], state };
      return { deviceId, request, nowMs: nowMs + MINUTE_MS, maxNewSamples: 1, newEventId: null };
    });
    const recorded = await db.runInTransaction(() => record(arrived));
    if (recorded.some((each) => each?.newSamples !== 1)) {
      throw new Error('a sample was not stored');
    }
    const endMs = rollUpEnd(nowMs);
    if (endMs > rolledUpMs) {
      await rollUp(db, endMs);
      rolledUpMs = endMs;
    }
  }
  await rollUp(db, beginMs + DAYS * MINUTES_A_DAY * MINUTE_MS);
}

async function rollUp(db: RootDb, endMs: number): Promise<void> {
  for (let after: number | null = 0; after !== null;) {
    const from: number = after;
    after = await db.transaction().execute((trx) => heartbeatRepository(trx).rollUp(from, endMs));
  }
}

/** All pages of these tables and their indexes, as full as they are. */
function bytesOf({ writer }: RootDb, ...tables: string[]): number {
  const pages = writer.prepare<string[], { bytes: number }>(
    `select sum(pgsize) as bytes from dbstat where aggregate = true and name in
       (select name from sqlite_master where tbl_name in (${tables.map(() => '?').join(', ')}))`,
  );
  return pages.get(...tables)?.bytes ?? Number.NaN;
}

export async function measureReadings(settings: Settings): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'placard-bench-'));
  try {
    const db = await openDatabase(dataDir);
    try {
      // Nothing here survives the bench anyway, and no byte depends on it.
      db.writer.pragma('synchronous = OFF');
      db.writer
        .prepare(`insert into sqlite_sequence (name, seq) values ('device_live', ?)`)
        .run(EARLIER_DEVICES);
      const { devices } = await fillDatabase(db, { count: settings.count(DEVICES) });
      const deviceDays = DAYS * devices.length;
      const emptyBytes = bytesOf(db, 'samples', 'heartbeat_buckets', 'heartbeat_samples');
      await writeReadings(
        db,
        devices.map(({ id }) => id),
      );
      const allBytes = bytesOf(db, 'samples', 'heartbeat_buckets', 'heartbeat_samples') - emptyBytes;
      const samplesKb = bytesOf(db, 'samples') / deviceDays / 1000;
      return [
        {
          name: 'readings of a device and day in the database',
          ours: allBytes / deviceDays / 1000,
          unit: 'kB',
          limit: null,
          goal: GOAL_KB,
          detail: `samples ${samplesKb.toFixed(1)} kB, the rest hours and days`,
        },
      ];
    } finally {
      await db.destroy();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
