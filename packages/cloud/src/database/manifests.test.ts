import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { insertDevice } from '../../test/support/insert-device.ts';
import { openTestDatabase, openTestStorage } from '../../test/support/open-test-database.ts';

const DEVICES = ['dev_1', 'dev_2'] as const;

test('the revision of a known device is derived again after its part has changed, and not otherwise', async () => {
  const storage = await openTestStorage();
  let derived: string[] = [];
  const database = await openTestDatabase({
    storage,
    hash(text) {
      // The device's own part of a manifest is only in what its revision is the hash of.
      derived.push(...DEVICES.filter((id) => text.includes(`{"id":"${id}","name":`)));
      return createHash('sha256').update(text).digest('hex');
    },
  });
  await database.transaction(async (tx) => {
    await tx.organization.create('Shop', 0);
    for (const [index, id] of DEVICES.entries()) {
      const playlist = { id: `pl_${index + 1}`, name: 'P', mode: 'sequential' } as const;
      await tx.playlists.insert({ ...playlist, created_at: 0, updated_at: 0 });
      const target = { type: 'device', id } as const;
      await tx.deployments.insert({ id: `dep_${id}`, playlist_id: playlist.id, created_at: 0 }, [target]);
    }
  });
  for (const id of DEVICES) {
    await insertDevice(storage.db, id);
  }
  let before: (string | null)[] = [];
  /** The devices whose revisions were derived, and those whose revisions are others, since the call before. */
  const ask = async () => {
    derived = [];
    const revisions: (string | null)[] = [];
    for (const id of DEVICES) {
      revisions.push(await database.manifestRevisionOf(id));
    }
    const changed = DEVICES.filter((_, index) => revisions[index] !== before[index]);
    before = revisions;
    return { derived, changed };
  };
  const NONE = { derived: [], changed: [] };
  const BOTH = { derived: [...DEVICES], changed: [...DEVICES] };
  const SECOND = { derived: ['dev_2'], changed: ['dev_2'] };

  expect(await ask()).toEqual(BOTH);
  expect(await ask()).toEqual(NONE);
  await database.transaction(async (tx) => {
    await tx.playlists.update('pl_2', { mode: 'shuffle' }, 1);
    tx.invalidateManifests({ playlistId: 'pl_2' });
  });
  expect(await ask(), 'the playlist of one').toEqual(SECOND);
  await database.transaction(async (tx) => tx.invalidateManifests({ playlistId: 'pl_2' }));
  expect(await ask(), 'read again, with the same content').toEqual(NONE);
  await database.transaction(async (tx) => {
    await tx.organization.update({ timezone: 'Europe/Vienna' }, 2);
    tx.invalidateManifests('settings');
  });
  expect(await ask(), 'what all share').toEqual(BOTH);
  await database.transaction(async (tx) => {
    await tx.devices.update('dev_2', { name: 'Another' });
    tx.invalidateManifests({ deviceId: 'dev_2' });
  });
  expect(await ask(), 'the own settings of one').toEqual(SECOND);
});
