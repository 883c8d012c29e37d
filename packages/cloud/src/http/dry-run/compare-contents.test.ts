import { expect, test } from 'vitest';
import { contentOf } from '../../../test/support/manifest-content.ts';
import { insertDevice } from '../../../test/support/insert-device.ts';
import { openTestDatabase, openTestStorage } from '../../../test/support/open-test-database.ts';
import { compareContents } from './compare-contents.ts';

const HOUR_MS = 3_600_000;

/** Content in which these targets have a deployed playlist. */
const contentWith = (deployed: Record<string, string>) =>
  contentOf(
    {
      timezone: 'UTC',
      timezones: { version: 'x', zones: {} },
      mediaHosts: [],
      schedules: [],
      inactiveSchedules: [],
      playlists: new Map(
        ['pl_1', 'pl_2'].map((id) => [id, { id, name: id, mode: 'sequential' as const, items: [] }]),
      ),
      assets: new Map(),
      deploymentByTarget: new Map(
        Object.entries(deployed).map(([key, playlistId]) => [
          key,
          { playlistId, deploymentId: 'dep_1', createdAtMs: 1 },
        ]),
      ),
    },
    (text) => text,
  );

async function compareTwo(maxMs: number, signal = new AbortController().signal) {
  const storage = await openTestStorage();
  const database = await openTestDatabase({ storage });
  for (const id of ['dev_a', 'dev_b', 'dev_c']) {
    await insertDevice(storage.db, id);
  }
  const before = contentWith({ 'device:dev_a': 'pl_1', 'device:dev_gone': 'pl_1' });
  const after = contentWith({ 'device:dev_a': 'pl_2', 'device:dev_b': 'pl_2', 'device:dev_gone': 'pl_2' });
  return compareContents(database, { before, after }, { fromMs: 0, toMs: HOUR_MS }, { maxMs, signal });
}

test('the devices are compared that the change reaches and that exist', async () => {
  const { counts, groups, unexamined } = await compareTwo(60_000);
  expect([counts.devices, counts.playlist_changes, unexamined]).toEqual([2, 2, 0]);
  const shown = groups.map(({ devices: [device], changes: [change] }) => [
    device?.id,
    change?.before.playlist_id,
    change?.after.playlist_id,
  ]);
  expect(shown.toSorted(([a = ''], [b = '']) => (String(a) < String(b) ? -1 : 1))).toEqual([
    ['dev_a', 'pl_1', 'pl_2'],
    ['dev_b', null, 'pl_2'],
  ]);
});

test('beyond its time, or without a client, a comparison ends and says how many devices it left out', async () => {
  expect(await compareTwo(-1)).toMatchObject({ counts: { devices: 0 }, groups: [], unexamined: 2 });
  expect(await compareTwo(60_000, AbortSignal.abort())).toMatchObject({ groups: [], unexamined: 2 });
});
