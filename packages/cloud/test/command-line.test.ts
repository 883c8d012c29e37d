import { execFile } from 'node:child_process';
import { chmod, readFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startCloud } from '@placard/cloud';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createApiClient } from './support/client.ts';
import { ADMIN_KEY, startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { backup } from '../src/cli/backup.ts';
import { runDoctor } from '../src/cli/doctor.ts';
import { restore } from '../src/cli/restore.ts';
import { runCommand } from './support/command-line.ts';
import { buildJpeg } from './support/jpeg.ts';
import { createOlderDataFolder } from './support/older-data-folder.ts';
import { png, sampleMedia } from './support/media.ts';
import { pairDevice, buildReportedState, buildSample } from './support/paired-device.ts';

let cloud: TestCloud;
const folder = tempDir(afterAll);
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(async () => {
  await cloud.close();
});

const on = (dataDir: string, ...args: string[]) => runCommand(...args, '--data', dataDir);

const restoreTo = (dataDir: string, file: string) =>
  restore(file, { dataDir, s3: undefined, database: undefined, takeMedia: false, report: () => {} });

/** What doctor finds to be wrong, without the decoder, whose start takes a second. */
const problemsIn = async (dataDir: string) =>
  (await runDoctor(dataDir, Date.now(), { videoDecoder: false })).flatMap(({ ok, check, message }) =>
    ok ? [] : [`${check}: ${message}`],
  );

/** A backup of the cloud as it is now, made without the program. */
async function backUp(name: string): Promise<string> {
  const file = join(folder, name);
  await backup(cloud.dataDir, file, { withMedia: true });
  return file;
}

test('keys are created, listed and revoked while the cloud runs', async () => {
  const made = await on(cloud.dataDir, 'keys', 'create', '--scope', 'Read', '--name', 'Wall board');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const key = cloud.clientFor(made.stdout.trim());
  expect((await key.get('/v1/devices')).status).toBe(200);
  expect((await key.post('/v1/stores', { name: 'S' })).error?.code).toBe('INSUFFICIENT_SCOPE');

  const listed = await on(cloud.dataDir, 'keys', 'list');
  const [, id = ''] = /(key_\w+) +Read +Wall board/.exec(listed.stdout) ?? [];
  expect(listed.stdout).not.toContain(made.stdout.trim());
  expect(listed.stdout).toContain(`ends with ${made.stdout.trim().slice(-4)}, `);
  expect((await on(cloud.dataDir, 'keys', 'revoke', id)).code).toBe(0);
  expect((await key.get('/v1/devices')).error?.code).toBe('UNAUTHORIZED');
  expect(await on(cloud.dataDir, 'keys', 'revoke', id)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no key key_.*keys list/),
  });
  expect((await on(cloud.dataDir, 'keys', 'create')).stderr).toContain('--scope');
  expect((await on(cloud.dataDir, 'keys', 'create', '--scope', 'God')).stderr).toContain(
    'Read, Write, Admin',
  );
});

test('a command on a folder without a cloud fails and does not create one', async () => {
  const nowhere = join(folder, 'nowhere');
  for (const args of [['keys', 'list'], ['doctor'], ['backup', join(folder, 'x.tar')]]) {
    const { code, stderr } = await on(nowhere, ...args);
    expect([code, stderr]).toEqual([
      1,
      `There is no cloud in ${nowhere}. Name its data folder with --data.\n`,
    ]);
  }
  expect(await readdir(folder)).toEqual([]);
});

test('keys and users leave the database of another version as it is, because its cloud may be running', async () => {
  const older = join(tempDir(onTestFinished), 'older');
  await createOlderDataFolder(older, 1);
  const file = join(older, 'cloud.sqlite');
  const migrations = () => {
    const database = new Sqlite(file, { readonly: true });
    onTestFinished(() => void database.close());
    return database.prepare('select count(*) from kysely_migration').pluck().get();
  };
  const before = migrations();
  for (const args of [
    ['keys', 'list'],
    ['keys', 'create', '--scope', 'Read', '--name', 'Wall board'],
    ['users', 'list'],
  ]) {
    expect(await on(older, ...args)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `The database ${file} is of an older version of this program. Use the version whose cloud runs on it, ` +
        'or start the cloud of this version first.\n',
    });
  }
  expect(migrations()).toBe(before);

  const newer = new Sqlite(file);
  newer.exec("insert into kysely_migration (name, timestamp) values ('9999-unknown', '2026-11-29')");
  newer.close();
  expect((await on(older, 'keys', 'list')).stderr).toBe(
    `The database ${file} is of a newer version of this program. Use the version whose cloud runs on it.\n`,
  );
});

test('a backup of a running cloud can be restored to an identical cloud', async () => {
  const screen = await pairDevice(cloud, { name: 'Kept' });
  const video = (await cloud.admin.upload(await sampleMedia('sample-waves-1280x720.mp4'), 'w.mp4')).data;
  const image = (await cloud.admin.upload(await png(3), 'i.png')).data;
  const playlist = (
    await cloud.admin.post('/v1/playlists', {
      name: 'P',
      items: [{ content_id: video.id }, { content_id: image.id }],
    })
  ).data;
  await cloud.admin.post(`/v1/playlists/${playlist.id}/deploy`, {
    targets: [{ type: 'device', id: screen.deviceId }],
  });
  const at = new Date(cloud.clock.nowMs()).toISOString();
  await screen.client.post('/v1/player/heartbeats', {
    samples: [buildSample(at)],
    state: buildReportedState(),
  });
  const samples = `/v1/devices/${screen.deviceId}/heartbeats?interval=minute&from=${at}`;
  const before = (await cloud.admin.get(samples)).data;
  expect(before).toHaveLength(1);
  const file = join(folder, 'backup.tar');
  expect(await on(cloud.dataDir, 'backup', file)).toMatchObject({ code: 0, stderr: '' });
  await cloud.admin.delete(`/v1/content/${image.id}`);
  const { stdout } = await promisify(execFile)('tar', ['tf', file]);
  expect(stdout.trim().split('\n').at(-1), 'any tar can read it').toBe('cloud.sqlite');

  const restored = join(folder, 'restored');
  expect(await on(restored, 'restore', file)).toMatchObject({ code: 0, stderr: '' });
  expect(await on(restored, 'doctor')).toMatchObject({ code: 0 });
  const again = await startCloud({ port: 0, host: '127.0.0.1', dataDir: restored, logLevel: 'fatal' });
  const as = (secret: string) => createApiClient({ url: () => again.url, secret, beforeRequest: () => {} });
  try {
    expect(again.adminKey).toBeNull();
    const [last, ...rest] = (await as(ADMIN_KEY).get('/v1/audit-log?limit=100')).data;
    expect(last).toMatchObject({ action: 'cloud.restored', actor: { type: 'command_line' } });
    expect(rest.map(({ action }: { action: string }) => action)).toContain('playlist.deployed');
    const { data } = await as(ADMIN_KEY).get(`/v1/playlists/${playlist.id}`);
    expect(data.items.map((item: { content_id: string }) => item.content_id)).toEqual([video.id, image.id]);
    expect(
      (await as(ADMIN_KEY).get(`${samples}&to=${new Date(Date.parse(at) + 60_000).toISOString()}`)).data,
    ).toEqual(before);
    const manifest = (await as(screen.token).get('/v1/player/manifest')).data;
    expect(manifest.device.name).toBe('Kept');
    const bytes = await (await fetch(manifest.assets[0].url)).arrayBuffer();
    expect(bytes.byteLength).toBe(manifest.assets[0].size);
  } finally {
    await again.close();
  }
});

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test.skipIf(process.platform === 'win32')(
  'only the user of the service can read database, media and backups',
  async () => {
    const file = await backUp('private.tar');
    expect(await modeOf(file)).toBe('600');
    const restored = join(folder, 'private');
    await restoreTo(restored, file);
    expect(await modeOf(restored)).toBe('700');
    for (const dataDir of [cloud.dataDir, restored]) {
      expect(await modeOf(join(dataDir, 'cloud.sqlite'))).toBe('600');
      expect(await modeOf(join(dataDir, 'blobs'))).toBe('700');
    }
    expect(await modeOf(join(cloud.dataDir, 'cloud.sqlite-wal')), 'its journal too').toBe('600');
    // Permissions in a folder of an older version are fixed at the next start.
    await chmod(join(restored, 'cloud.sqlite'), 0o644);
    await chmod(join(restored, 'blobs'), 0o755);
    await (await startCloud({ port: 0, host: '127.0.0.1', dataDir: restored, logLevel: 'fatal' })).close();
    expect(await modeOf(join(restored, 'cloud.sqlite'))).toBe('600');
    expect(await modeOf(join(restored, 'blobs'))).toBe('700');
  },
);

const refused = (what: string) =>
  expect.objectContaining({ name: 'StartupError', message: expect.stringContaining(what) });

test('a restore never overwrites a cloud and rejects a damaged backup', async () => {
  const file = await backUp('second.tar');
  const over = await on(cloud.dataDir, 'restore', file);
  expect(over).toMatchObject({ code: 1, stderr: expect.stringContaining('already contains a cloud') });
  expect((await on(cloud.dataDir, 'backup', file)).stderr).toContain('already exists');

  const bytes = await readFile(file);
  const damaged = join(folder, 'damaged.tar');
  const target = join(folder, 'target');
  const attempt = async (content: Buffer) => {
    await writeFile(damaged, content);
    const refusal = await restoreTo(target, damaged).catch((error: unknown) => error);
    expect(await readdir(target)).not.toContain('cloud.sqlite');
    return refusal;
  };
  const flipped = Buffer.from(bytes);
  flipped[600] = (flipped[600] ?? 0) ^ 1;
  expect(await attempt(flipped)).toEqual(refused('does not match its hash'));
  expect(await attempt(bytes.subarray(0, bytes.length - 5000))).toEqual(refused('is truncated'));
  expect(await attempt(Buffer.from('hello'.repeat(1000)))).toEqual(refused('not a backup'));
  expect(await on(target, 'restore', damaged)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not a backup'),
  });
  expect(await restoreTo(target, join(folder, 'none.tar')).catch((error: unknown) => error)).toEqual(
    refused('does not exist'),
  );
});

function picturesIn(dataDir: string) {
  const database = new Sqlite(join(dataDir, 'cloud.sqlite'), { readonly: true });
  try {
    return database.prepare<[], { sha256: string }>('select sha256 from screenshots').all();
  } finally {
    database.close();
  }
}

test('a picture that the running cloud replaces during a backup is left out, and is no fault for doctor', async () => {
  const { deviceId, client } = await pairDevice(cloud);
  const { data: request } = await cloud.admin.post(`/v1/devices/${deviceId}/screenshot`);
  const sent = await client.post('/v1/player/screenshots', {
    command_id: request.id,
    taken_at: new Date(cloud.clock.nowMs()).toISOString(),
    current: null,
    image: buildJpeg('replaced').toString('base64'),
  });
  expect(sent.status).toBe(200);
  const whole = join(folder, 'with-picture');
  await restoreTo(whole, await backUp('with-picture.tar'));
  expect([picturesIn(whole).length, await problemsIn(whole)]).toEqual([1, []]);

  const [{ sha256 } = { sha256: '' }] = picturesIn(cloud.dataDir);
  const pathIn = (dataDir: string) => join(dataDir, 'blobs', sha256.slice(0, 2), sha256);
  await writeFile(pathIn(whole), 'something else');
  expect(await problemsIn(whole)).toEqual([expect.stringContaining(`screenshot of ${deviceId}`)]);
  // As it is for whoever has read the row before.
  await rm(pathIn(cloud.dataDir));
  const without = join(folder, 'without-picture');
  await restoreTo(without, await backUp('without-picture.tar'));
  expect(picturesIn(without)).toEqual([]);
  expect([await problemsIn(without), await problemsIn(cloud.dataDir)]).toEqual([[], []]);
});

const only = (what: RegExp) => [expect.stringMatching(what)];

test('what is in the write-ahead log of a running cloud is in its database after doctor, not after its next commit', async () => {
  const file = join(cloud.dataDir, 'cloud.sqlite');
  const writer = new Sqlite(file);
  writer.pragma('wal_autocheckpoint = 0');
  writer.pragma('wal_checkpoint(truncate)');
  writer
    .prepare("insert into removed_devices (id, name, removed_at) values ('removed', ?, 0)")
    .run('x'.repeat(1_000_000));
  writer.close();
  const { size } = await stat(file);
  expect(await problemsIn(cloud.dataDir)).toEqual([]);
  expect((await stat(file)).size).toBeGreaterThan(size);
});

test('doctor finds missing, truncated and damaged files', async () => {
  await pairDevice(cloud);
  const telling = await pairDevice(cloud);
  await telling.client.post('/v1/player/heartbeats', {
    samples: [],
    state: buildReportedState({ tz_version: '2020a' }),
  });
  const sick = join(folder, 'sick');
  await restoreTo(sick, await backUp('third.tar'));
  const healthy = await on(sick, 'doctor');
  expect(healthy.stdout).toMatch(/ok +database[\s\S]*ok +media[\s\S]*ok +disk[\s\S]*ok +clock/);
  expect(healthy.stdout).toMatch(/ok +codecs +Thumbnails are made (only )?of videos in .*AV1/);
  expect(healthy.stdout).toMatch(/ok +zones .* Versions on the devices: 1 × 2020a, \d+ × unknown\./);
  const bare = await on(sick, 'doctor', '--no-video-decoder', '--min-free', '1000TB');
  expect(bare.stdout).toMatch(/ok +codecs +Thumbnails are made of videos in VP8, AV1/);
  expect(bare.stdout).toMatch(/BAD +disk +Only .* below 1000000\.0 GB \(--min-free\)/);
  const older = new Sqlite(join(sick, 'cloud.sqlite'));
  older.exec('alter table device_live drop column tz_version');
  older.close();
  expect(await problemsIn(sick), 'of a cloud that did not ask for it').toEqual([]);

  const orphaned = new Sqlite(join(sick, 'cloud.sqlite'));
  orphaned.exec('insert into samples (device, at) values (99, 1), (99, 2)');
  expect(await problemsIn(sick)).toEqual([expect.stringContaining('1 devices have samples but no state')]);
  orphaned.exec('delete from samples where device = 99');
  // The cloud replaces them with the next heartbeat: no reason to refuse a backup or a move.
  orphaned.exec("update device_live set recent_samples = '[[1,2'");
  expect(await problemsIn(sick)).toEqual([]);
  orphaned.close();

  const { data } = await cloud.admin.get('/v1/content?type=video');
  const path = join(sick, 'blobs', data[0].sha256.slice(0, 2), data[0].sha256);
  const whole = await readFile(path);
  whole[5000] = (whole[5000] ?? 0) ^ 1;
  await writeFile(path, whole);
  const diagnosis = await on(sick, 'doctor', '--no-video-decoder');
  expect(diagnosis.code).toBe(1);
  expect(diagnosis.stdout).toMatch(/BAD +media +The file [0-9a-f]+ is damaged/);
  await truncate(path, 100);
  expect(await problemsIn(sick)).toEqual(only(/^media: .* has 100 bytes instead of 146002/));
  await rm(path);
  expect(await problemsIn(sick)).toEqual(only(/^media: .* is missing/));
  await writeFile(join(sick, 'cloud.sqlite'), Buffer.alloc(8192, 7));
  expect(await problemsIn(sick)).toContainEqual(expect.stringMatching(/^database: /));
});
