import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openTestDb } from '../../test/support/open-test-database.ts';
import { deviceRepository } from './devices.ts';

test('listing all devices reads only the tags that schedules or deployments target', async () => {
  const db = await openTestDb();
  await sql`insert into devices (id, name, type, platform, serial, orientation, status, player_version,
    manifest_revision, created_at, updated_at)
    values ('dev_1', 'D', 'pc', 'linux', 'S', 'portrait', 'offline', '0', 'r', 1, 1)`.execute(db);
  const devices = deviceRepository(db);
  await devices.setTags('dev_1', ['scheduled', 'idle', 'deployed', 'a store']);
  await sql`insert into schedules values ('sch_1', 'S', 1, 0, 0)`.execute(db);
  await sql`insert into schedule_targets values ('sch_1', 0, 'tag', 'scheduled'), ('sch_1', 1, 'store', 'a store')`.execute(
    db,
  );
  await sql`insert into playlists values ('pl_1', 'P', 'shuffle', 0, 0)`.execute(db);
  await sql`insert into deployments values ('dep_1', 'pl_1', 0)`.execute(db);
  await sql`insert into deployment_targets values ('tag', 'deployed', 'dep_1', 0)`.execute(db);
  const tagsOf = async (id?: string) =>
    (await devices.listManifestDevices(id)).map(({ device }) =>
      device.tags.toSorted((a, b) => (a < b ? -1 : 1)),
    );
  expect(await tagsOf()).toEqual([['deployed', 'scheduled']]);
  expect(await tagsOf('dev_1')).toEqual([['a store', 'deployed', 'idle', 'scheduled']]);
});
