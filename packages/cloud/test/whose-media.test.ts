import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { bucketOwnerFile } from '../src/blob/owner-file.ts';
import { openBucket } from '../src/blob/s3/bucket.ts';
import { copyDatabase, DATABASE_FILE } from '../src/database/maintenance.ts';
import { runCommand } from './support/command-line.ts';
import { png } from './support/media.ts';
import { startTestBucket } from './support/test-bucket.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

const HOUR_MS = 3_600_000;
/** Copies of a database, and commands that name it, are simple with SQLite only; `postgres/backup.test.ts` has the others. */
const isOnPostgres = inject('postgres') !== undefined;

/** A bucket with a cloud that has one file there, older than an hour. */
async function setUp() {
  const s3 = await startTestBucket();
  const bucket = await openBucket(s3.settings);
  onTestFinished(() => bucket.close());
  const start = async (options: Parameters<typeof startTestCloud>[0] = {}): Promise<TestCloud> => {
    const cloud = await startTestCloud({ s3: s3.settings, ...options });
    onTestFinished(() => cloud.close());
    return cloud;
  };
  const cloud = await start();
  const { data } = await cloud.admin.upload(await png(1), 'a.png');
  await s3.makeOlder('', 2 * HOUR_MS);
  const reads = () => s3.requests.filter((line) => /^GET \S*\/cloud-1\/cloud\b/.test(line)).length;
  return {
    s3,
    cloud,
    start,
    ownerFile: bucketOwnerFile(bucket),
    files: async () => (await s3.keys()).filter((key) => /\/[0-9a-f]{64}\//.test(key)),
    served: async () => (await fetch(data.url)).status,
    assetId: data.id,
    /** Resolves when the hourly job has ended once: the next round begins only then. */
    runJob: async (running: TestCloud) => {
      const until = reads() + 2;
      await eventually(() => {
        running.clock.advance(HOUR_MS);
        expect(reads()).toBeGreaterThanOrEqual(until);
      }, 60_000);
    },
    flags: ['--blobs', 's3://media/cloud-1', '--s3-endpoint', s3.settings.endpoint, '--s3-path-style'],
  };
}

test('another database is refused on a bucket that has one, and nothing is deleted', async () => {
  const { s3, start, files, served } = await setUp();
  const before = await files();
  expect(before).toHaveLength(2);
  const dataDir = tempDir();
  await expect(start({ dataDir })).rejects.toThrow(
    /^The media files in s3:\/\/media\/cloud-1 at \S+ belong to "My organization" in another database than /,
  );
  expect(await files()).toEqual(before);
  expect(await served()).toBe(200);
  const elsewhere = await start({ dataDir, s3: { ...s3.settings, prefix: 'cloud-2' } });
  expect(elsewhere.cloud.adminKey, 'was not made by the start that was refused').not.toBeNull();
});

test('a cloud whose bucket was taken over deletes nothing, and does not start again', async () => {
  const { cloud, files, ownerFile, assetId, runJob, s3 } = await setUp();
  await cloud.admin.delete(`/v1/content/${assetId}`);
  await s3.makeOlder('', 2 * HOUR_MS);
  await ownerFile.write({ id: 'another', turn: 0, organization: 'Other' });
  const before = await files();
  await runJob(cloud);
  expect(await files()).toEqual(before);
  await expect(cloud.restart()).rejects.toThrow(/belong to "Other" in another database/);
});

test('a cloud of an earlier version and its bucket get an id, but not with files of which it knows none', async () => {
  const { cloud, start, ownerFile, served } = await setUp();
  await ownerFile.delete();
  const refused = start({ dataDir: tempDir() });
  await expect(refused).rejects.toThrow(
    /knows none of the media files in s3:.* delete all of them, also the file "cloud", or name another place/,
  );
  await cloud.inDatabase((db) =>
    db.updateTable('organization').set({ media_id: null, media_turn: 0 }).execute(),
  );
  await cloud.restart();
  const { media_id: id } = await cloud.inDatabase((db) =>
    db.selectFrom('organization').select('media_id').executeTakeFirstOrThrow(),
  );
  expect(await ownerFile.read()).toEqual({ id, turn: 0, organization: 'My organization' });
  expect(await served()).toBe(200);
});

test('unused files are deleted each hour, and the id gets a new turn', async () => {
  const { cloud, files, ownerFile, assetId, runJob, s3 } = await setUp();
  const first = (await ownerFile.read())?.turn ?? 0;
  await cloud.admin.delete(`/v1/content/${assetId}`);
  await s3.makeOlder('', 2 * HOUR_MS);
  await runJob(cloud);
  await eventually(async () => expect(await files()).toEqual([]));
  // The server of the tests shows an object while it is written, which buckets do not.
  await eventually(async () => expect((await ownerFile.read())?.turn).toBeGreaterThan(first));
});

test('a place without the media of a database is refused', async () => {
  const { cloud, s3 } = await setUp();
  const elsewhere = { ...s3.settings, prefix: 'mistyped' };
  await expect(cloud.restart(0, { s3: elsewhere })).rejects.toThrow(
    /^The media files of the database .* are not in s3:\/\/media\/mistyped .*Correct --blobs or --data/,
  );
  expect((await s3.keys()).filter((key) => key.startsWith('mistyped/'))).toEqual([]);
});

test('what cannot be read says so and is not overwritten', async () => {
  const { cloud, s3, ownerFile } = await setUp();
  const bucket = await openBucket(s3.settings);
  onTestFinished(() => bucket.close());
  for (const bytes of ['{', `{"id":"${'x'.repeat(10_000)}"}`]) {
    await bucket.put('cloud', Buffer.from(bytes));
    await expect(ownerFile.read()).rejects.toThrow(/^The file "cloud" in s3:.* cannot be read/);
  }
  await expect(cloud.restart()).rejects.toThrow(/cannot be read/);
});

test.skipIf(isOnPostgres)('an earlier state of a database is refused until it takes the media', async () => {
  const { cloud, start, ownerFile, runJob, flags } = await setUp();
  const dataDir = tempDir();
  await copyDatabase(cloud.dataDir, join(dataDir, DATABASE_FILE), 0);
  await runJob(cloud);
  await expect(start({ dataDir })).rejects.toThrow(/^The database .*cloud\.sqlite is older than the media/);
  const doctor = await runCommand('doctor', '--data', dataDir, '--no-video-decoder', ...flags);
  expect(doctor.stdout).toMatch(/^BAD {2}media +The database .* is older than the media files/m);

  const taken = await runCommand('take-media', '--data', dataDir, ...flags);
  expect(taken).toMatchObject({ code: 0, stderr: '' });
  expect(taken.stdout).toMatch(/^The media files in s3:\/\/media\/cloud-1 at \S+ belong to the database /);
  expect(await ownerFile.read()).toBeNull();
  const again = await start({ dataDir });
  const { data: audit } = await again.admin.get('/v1/audit-log');
  expect(audit[0]).toMatchObject({ action: 'cloud.media_taken', actor: { type: 'command_line' } });
  await expect(cloud.restart()).rejects.toThrow(/in another database/);
});

test.skipIf(isOnPostgres)('a restore takes the media of another cloud only when it is told to', async () => {
  const { cloud, start, files, runJob, flags, served, assetId, s3 } = await setUp();
  const [backup, dataDir] = [join(tempDir(), 'small.tar'), tempDir()];
  await runCommand('backup', backup, '--data', cloud.dataDir, ...flags);
  const refused = await runCommand('restore', backup, '--data', dataDir, ...flags);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Nothing was restored.*--take-media/),
  });
  expect(await served()).toBe(200);
  const restored = await runCommand('restore', backup, '--take-media', '--data', dataDir, ...flags);
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  // The cloud that made the backup still runs, and no longer uses the file.
  await cloud.admin.delete(`/v1/content/${assetId}`);
  await s3.makeOlder('', 2 * HOUR_MS);
  await runJob(cloud);
  expect(await files()).not.toEqual([]);
  const again = await start({ dataDir });
  const { data } = await again.admin.get(`/v1/content/${assetId}`);
  expect((await fetch(data.url)).status).toBe(200);
  await expect(cloud.restart()).rejects.toThrow(/in another database/);
});

test.skipIf(isOnPostgres)('the media in a data folder belong to its database as well', async () => {
  const first = await startTestCloud();
  onTestFinished(() => first.close());
  await first.admin.upload(await png(2), 'a.png');
  await first.cloud.close();
  const other = await startTestCloud();
  onTestFinished(() => other.close());
  await other.cloud.close();
  await rm(join(first.dataDir, DATABASE_FILE));
  await copyDatabase(other.dataDir, join(first.dataDir, DATABASE_FILE), 0);
  await expect(startTestCloud({ dataDir: first.dataDir })).rejects.toThrow(/in another database/);
});
