import { heartbeatRequest } from '@placard/protocol';
import type { HeartbeatRequest } from '@placard/protocol';
import { playerOperations } from '@placard/protocol/api';
import { onTestFinished } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { createOrdinaryHeartbeats } from '../../src/database/ordinary-heartbeats.ts';
import { insertDevice } from './insert-device.ts';

/** The heartbeat of the API document. */
const EXAMPLE = heartbeatRequest.parse(playerOperations.sendHeartbeats.example.body);

/** A SQLite database with one device, `dev_1`, which is online, and what records its ordinary heartbeats. */
export async function openWithRecordedDevice() {
  const db = await openDatabase(tempDir());
  onTestFinished(() => db.destroy());
  const { state } = EXAMPLE;
  await insertDevice(db, 'dev_1', { player_version: state.player_version, told_status: 'online' });
  await db.updateTable('device_live').set({ online: 1 }).execute();
  return { db, record: createOrdinaryHeartbeats(db.writer) };
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
