import { heartbeatRequest } from '@placard/protocol';
import type { HeartbeatRequest } from '@placard/protocol';
import { playerOperations } from '@placard/protocol/api';
import type { Db } from '../../src/database/db.ts';
import { createOrdinaryHeartbeats } from '../../src/database/ordinary-heartbeats.ts';
import { insertDevice } from './insert-device.ts';
import { openSqliteTestDb } from './open-test-database.ts';

/** The heartbeat of the API document. */
const EXAMPLE = heartbeatRequest.parse(playerOperations.sendHeartbeats.example.body);

/** A SQLite database with one device, `dev_1`, which is online, and what records its ordinary heartbeats. */
export async function openWithRecordedDevice() {
  const db = await openSqliteTestDb();
  await insertRecordedDevice(db, 'dev_1');
  return { db, ...createOrdinaryHeartbeats(db.writer) };
}

/** Inserts a device that is online and runs the version of the example. */
export async function insertRecordedDevice(db: Db, id: string): Promise<void> {
  const { state } = EXAMPLE;
  await insertDevice(db, id, {
    player_version: state.player_version,
    status: 'online',
    told_status: 'online',
  });
}

/** A heartbeat with the state of the example and a sample of each of the times. */
export const heartbeatOf = (
  times: readonly number[],
  changes: {
    sample?: Partial<HeartbeatRequest['samples'][number]>;
    state?: Partial<HeartbeatRequest['state']>;
  } = {},
): HeartbeatRequest => ({
  samples: times.map((at) => ({
    ...EXAMPLE.samples[0]!,
    ...changes.sample,
    measured_at: new Date(at).toISOString(),
  })),
  state: { ...EXAMPLE.state, ...changes.state },
});
