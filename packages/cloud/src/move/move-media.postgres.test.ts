import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { createFilledDataFolder } from '../../test/support/filled-data-folder.ts';
import { createCopy } from '../../test/support/postgres-databases.ts';
import { runMove } from '../../test/support/run-move.ts';
import { BUCKET, S3_CREDENTIALS, sendS3Error, startS3Server } from '../../test/support/s3-server.ts';
import { bucketOwnerFile } from '../blob/owner-file.ts';
import { openBucket } from '../blob/s3/bucket.ts';
import { openPostgres } from '../database/open-postgres.ts';
import type { MoveOptions } from './move-cloud.ts';

for (const [name, value] of Object.entries({ ...S3_CREDENTIALS, AWS_EC2_METADATA_DISABLED: 'true' })) {
  vi.stubEnv(name, value);
}
afterAll(() => void vi.unstubAllEnvs());

const FILES = 12;
const FILE_BYTES = 3000;

/** Media files in the folder of a bucket. */
const mediaIn = (objectsDir: string) =>
  readdirSync(objectsDir, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /[\\/][0-9a-f]{64}[\\/].*\._S3rver_object$/.test(name),
  );
const sizesOf = (objectsDir: string) =>
  mediaIn(objectsDir).map((name) => statSync(join(objectsDir, name)).size);

/** A source, a database, and a bucket on a server. */
async function setUp() {
  const [folder, objects] = [tempDir(), tempDir()];
  const dataDir = join(folder, 'data');
  await createFilledDataFolder(dataDir, {
    devices: 5,
    plays: 5,
    mediaFiles: FILES,
    bytesPerFile: FILE_BYTES,
  });
  const to = await createCopy(inject('postgres')!, onTestFinished);
  const server = await startS3Server(objects);
  onTestFinished(() => server.stop());
  const puts = () => server.requests.filter((each) => /^PUT .*\/[0-9a-f]{64}\//.test(each)).length;
  return {
    dataDir,
    to,
    server,
    puts,
    objectsDir: join(objects, BUCKET),
    move: (options: Partial<MoveOptions> = {}) => runMove({ dataDir, to, s3: server.settings, ...options }),
  };
}

test('all files are in the bucket after the move, and stay in the folder', async () => {
  const { dataDir, move, puts, server, objectsDir } = await setUp();
  const output = await move();
  expect(output).toMatch(/^Media +12 files with 0\.0 MB, 12 of them copied now/m);
  expect(output).toMatch(/^Equal .* and 12 media files/m);
  expect(output).toMatch(/--database \S+ --blobs s3:\/\/media\/cloud-1 --s3-endpoint \S+ --s3-path-style$/m);
  expect(puts()).toBe(FILES);
  const objects = mediaIn(objectsDir);
  expect(objects).toHaveLength(FILES);
  for (const name of objects) {
    const hash = createHash('sha256').update(readFileSync(join(objectsDir, name)));
    expect(name).toContain(`/${hash.digest('hex')}/`);
  }
  expect(readdirSync(join(dataDir, 'blobs', 'parts'))).toEqual([]);
  const files = readdirSync(join(dataDir, 'blobs'), { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => /[0-9a-f]{64}$/.test(name))).toHaveLength(FILES);

  expect(await move({ verifyOnly: true })).toMatch(/^Equal .* and 12 media files/m);
  expect(puts()).toBe(FILES);
  await server.stop();
  await expect(move({ verifyOnly: true })).rejects.toThrow(/cannot be reached .*Check the network/);
  await server.start();
});

test('a bucket that fails meanwhile ends the move; the next one copies what is missing', async () => {
  const { move, objectsDir, puts, server, to } = await setUp();
  server.intercept(
    (request, response) =>
      request.method === 'PUT' && puts() > 5 && sendS3Error(response, 403, 'AccessDenied'),
  );
  await expect(move()).rejects.toThrow(
    /^The move was interrupted: Access to the media .* denied .*\nWhat was copied stays\. Start the same command again/s,
  );
  await expect(openPostgres(to)).rejects.toThrow('has only a part of the data');
  server.intercept(null);
  // The server may still be writing those that were under way.
  await vi.waitFor(
    () => expect(sizesOf(objectsDir)).toEqual([FILE_BYTES, FILE_BYTES, FILE_BYTES, FILE_BYTES, FILE_BYTES]),
    20_000,
  );
  expect(await move()).toMatch(/^Media +12 files .*, 7 of them copied now/m);
});

test('a file that is damaged in the bucket is named', async () => {
  const { move, server } = await setUp();
  await move();
  const [sha256 = ''] = (await server.keys()).map((key) => key.split('/')[1] ?? '');
  server.intercept((request, response, url) => {
    const isFile = request.method === 'GET' && url.pathname.includes(sha256);
    if (isFile) {
      response.end(Buffer.alloc(FILE_BYTES));
    }
    return isFile;
  });
  const message = await move({ verifyOnly: true }).catch((error: Error) => error.message);
  expect(message).toMatch(new RegExp(`The (file|thumbnail) ${sha256} of "Video \\d+" is damaged\\.`));
  expect(message).toContain('Delete what is stored under these hashes in s3://media/cloud-1');
});

test('a file that is damaged in the folder is not copied', async () => {
  const { dataDir, move, server } = await setUp();
  const blobs = join(dataDir, 'blobs');
  const [path = ''] = readdirSync(blobs, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /[0-9a-f]{64}$/.test(name),
  );
  const sha256 = path.slice(3);
  writeFileSync(join(blobs, path), Buffer.alloc(FILE_BYTES));
  await expect(move()).rejects.toThrow(new RegExp(`${sha256} of "Video \\d+" is damaged\\.`));
  expect(await move({ allowDamagedMedia: true })).toMatch(/^Equal .* and 11 media files/m);
  expect((await server.keys()).filter((key) => key.includes(sha256))).toEqual([]);
});

test('pictures and logs of screens whose files are gone are passed over', async () => {
  const { dataDir, move } = await setUp();
  const source = new Sqlite(join(dataDir, 'cloud.sqlite'));
  for (const [index, table] of ['screenshots', 'fault_screenshots', 'device_logs'].entries()) {
    source.prepare(`update ${table} set sha256 = ?`).run(String(index).repeat(64));
  }
  source.close();
  const output = await move();
  expect(output).toMatch(/^Media +12 files with 0\.0 MB, 12 of them copied now/m);
  expect(output).toMatch(/^Equal .* and 12 media files/m);
  expect(await move({ verifyOnly: true, s3: undefined })).toMatch(/^Equal .* and 12 media files/m);
});

test('the bucket gets the id of the database, and one of another cloud is refused', async () => {
  const { dataDir, to, move, server } = await setUp();
  const source = new Sqlite(join(dataDir, 'cloud.sqlite'));
  source.exec("update organization set media_id = 'media-1', media_turn = 4");
  source.close();
  const bucket = await openBucket(server.settings);
  onTestFinished(() => bucket.close());
  const ownerFile = bucketOwnerFile(bucket);
  await ownerFile.write({ id: 'media-2', turn: 1, organization: 'Other' });
  await expect(move()).rejects.toThrow(
    /^The media files in s3:.* belong to "Other" in another database than .*cloud\.sqlite/,
  );
  expect(await server.keys()).toEqual(['cloud-1/cloud']);
  await ownerFile.delete();
  await move();
  expect(await ownerFile.read()).toEqual({ id: 'media-1', turn: 4, organization: 'Acme' });
  const db = await openPostgres(to);
  onTestFinished(() => db.destroy());
  expect(await db.selectFrom('organization').select(['media_id', 'media_turn']).execute()).toEqual([
    { media_id: 'media-1', media_turn: 4 },
  ]);
});
