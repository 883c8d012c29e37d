import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startCloud } from '@placard/cloud';
import type { Cloud } from '@placard/cloud';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { createApiClient } from '../support/client.ts';
import { runCommand } from '../support/command-line.ts';
import { filledDatabases } from '../support/filled-databases.ts';
import { png } from '../support/media.ts';
import { createOlderDataFolder } from '../support/older-data-folder.ts';
import { buildPlay, buildReportedState, buildSample, pairDevice } from '../support/paired-device.ts';
import type { PairedDevice } from '../support/paired-device.ts';
import { startTestBucket } from '../support/test-bucket.ts';
import { ADMIN_KEY, startTestCloud } from '../support/test-cloud.ts';
import type { TestCloud } from '../support/test-cloud.ts';

const databases = filledDatabases();
const { createDatabase, createFilledDatabase, connect } = databases;
const newFolder = () => join(tempDir(), 'data');
const PUBLIC_URL = 'http://signage.example';
afterEach(() => void vi.unstubAllEnvs());

async function start(options: Parameters<typeof startTestCloud>[0] = {}): Promise<TestCloud> {
  const cloud = await startTestCloud({ publicUrl: PUBLIC_URL, ...options });
  onTestFinished(() => cloud.close());
  return cloud;
}

interface Place {
  dataDir: string;
  database?: string;
}

/** With the URL in the environment, where other users do not see it; no output has its password. */
async function run(place: Place, ...args: string[]) {
  vi.stubEnv('PLACARD_DATABASE', place.database ?? '');
  const result = await runCommand(...args, '--data', place.dataDir);
  const password = URL.parse(place.database ?? '')?.password ?? 'none';
  expect(result.stdout + result.stderr).not.toContain(`:${password}@`);
  return result;
}

/** The findings of doctor that are bad, but those about the settings of a server for tests. */
async function findBad(place: Place, ...flags: string[]): Promise<string[]> {
  const { stdout } = await run(place, 'doctor', '--min-free', '0', ...flags);
  expect(stdout).toMatch(/^ok +database /);
  return stdout.split('\n').filter((line) => /^BAD {2}(?!settings)/.test(line));
}

interface Filled {
  cloud: TestCloud;
  screen: PairedDevice;
  imageId: string;
  /** The paths that a comparison reads. */
  paths: { admin: string[]; screen: string[] };
}

/** A cloud on PostgreSQL with something of most kinds. */
async function startFilledCloud(): Promise<Filled> {
  const cloud = await start();
  const { admin } = cloud;
  const screen = await pairDevice(cloud, { name: 'Écran', tags: ['shop', 'north'] });
  const { data: image } = await admin.upload(await png(3), 'i.png');
  const { data: store } = await admin.post('/v1/stores', { name: 'Größe', tags: ['a'] });
  await admin.post('/v1/content/folders', { name: 'F' });
  await admin.patch(`/v1/devices/${screen.deviceId}`, { store_id: store.id });
  const items = [{ content_id: image.id, duration: 10 }];
  const { data: playlist } = await admin.post('/v1/playlists', { name: 'P', items });
  const targets = [{ type: 'device', id: screen.deviceId }];
  await admin.post(`/v1/playlists/${playlist.id}/deploy`, { targets });
  const { data: command } = await admin.post(`/v1/devices/${screen.deviceId}/commands`, {
    command: 'REFRESH',
  });
  const atMs = cloud.clock.nowMs() - 60_000;
  const sample = buildSample(new Date(atMs).toISOString(), { cpu_percent: 12.25, memory_percent: 7 });
  await screen.client.post('/v1/player/heartbeats', { samples: [sample], state: buildReportedState() });
  await screen.client.post('/v1/player/plays', {
    plays: [1, 2, 3].map((id) => ({ ...buildPlay(id, atMs + id * 10_000, 10_000), content_id: image.id })),
  });
  const period = `from=${new Date(atMs - 3_600_000).toISOString()}&to=${new Date(atMs + 3_600_000).toISOString()}`;
  return {
    cloud,
    screen,
    imageId: image.id,
    paths: {
      screen: ['/v1/player/manifest'],
      admin: [
        '/v1/organization',
        '/v1/devices',
        `/v1/commands/${command.id}`,
        `/v1/devices/${screen.deviceId}/heartbeats?interval=minute&${period}`,
        '/v1/stores',
        '/v1/playlists',
        '/v1/content',
        '/v1/content/folders',
        '/v1/audit-log?limit=100',
        ...['content', 'device', 'hour'].map((group) => `/v1/analytics/plays?group_by=${group}&${period}`),
      ],
    },
  };
}

const clientOf = (cloud: Cloud, secret: string | null) =>
  createApiClient({ url: () => cloud.url, secret, beforeRequest: () => {} });

async function readAll(cloud: Cloud, { screen, paths }: Filled): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  const clients = { admin: clientOf(cloud, ADMIN_KEY), screen: clientOf(cloud, screen.token) };
  for (const who of ['screen', 'admin'] as const) {
    for (const path of paths[who]) {
      const { status, data } = await clients[who].get(path);
      expect(status, path).toBe(200);
      answers[path] = path.startsWith('/v1/audit-log')
        ? data.filter(({ action }: { action: string }) => action !== 'cloud.restored')
        : data;
    }
  }
  return answers;
}

test('a backup of a cloud that runs on PostgreSQL is restored on either engine, and both answer as before', async () => {
  const filled = await startFilledCloud();
  const { cloud, screen, imageId } = filled;
  const file = join(tempDir(), 'backup.tar');
  const saved = await run({ dataDir: cloud.dataDir, database: cloud.database! }, 'backup', file);
  expect(saved).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^Wrote 3 files/) });
  const before = await readAll(cloud.cloud, filled);
  const atMs = cloud.clock.nowMs();
  await cloud.admin.delete(`/v1/content/${imageId}?force=true`);

  const check = async (place: Place, restores: number) => {
    const options = { ...place, port: 0, host: '127.0.0.1', publicUrl: PUBLIC_URL, logLevel: 'fatal' };
    const clock = { ...cloud.clock, nowMs: () => atMs };
    const again = await startCloud({ ...options, minFreeBytes: 0, reserveBytes: 0, clock });
    try {
      expect(again.adminKey).toBeNull();
      expect(await readAll(again, filled)).toEqual(before);
      const admin = clientOf(again, ADMIN_KEY);
      const { data: audit } = await admin.get('/v1/audit-log?limit=100');
      const actions = audit.map(({ action }: { action: string }) => action);
      expect(actions.filter((action: string) => action === 'cloud.restored')).toHaveLength(restores);
      const [asset] = (await clientOf(again, screen.token).get('/v1/player/manifest')).data.assets;
      const bytes = await (await fetch(asset.url.replace(PUBLIC_URL, again.url))).arrayBuffer();
      expect(bytes.byteLength).toBe(asset.size);
      // What is counted up goes on.
      const other = await pairDevice(
        { admin, clientFor: (secret) => clientOf(again, secret) },
        { name: 'New', tags: ['shop'] },
      );
      expect(other.deviceId).not.toBe(screen.deviceId);
      const { data: devices } = await admin.get('/v1/devices?tag=shop');
      expect(devices).toHaveLength(2);
      await admin.delete(`/v1/devices/${other.deviceId}`);
    } finally {
      await again.close();
    }
  };

  const onPostgres = { dataDir: newFolder(), database: await createDatabase() };
  const restored = await run(onPostgres, 'restore', file);
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  expect(restored.stdout).toMatch(/^Equal +\d+ rows in \d+ tables.*\nRestored 3 files to postgres:\/\/127/m);
  expect(readdirSync(onPostgres.dataDir).toSorted()).toEqual(['blobs', 'cloud.lock']);
  const overwriting = await run({ ...onPostgres, dataDir: newFolder() }, 'restore', file);
  expect(overwriting).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/holds a cloud already.* was not changed\. Name an empty database/),
  });
  expect(await findBad(onPostgres)).toEqual([]);
  await check(onPostgres, 1);

  const onSqlite = { dataDir: newFolder() };
  expect(await run(onSqlite, 'restore', file)).toMatchObject({ code: 0, stderr: '' });
  expect(await findBad(onSqlite)).toEqual([]);
  const fromSqlite = join(tempDir(), 'again.tar');
  expect(await run(onSqlite, 'backup', fromSqlite)).toMatchObject({ code: 0 });
  await check(onSqlite, 1);

  const back = { dataDir: newFolder(), database: await createDatabase() };
  expect(await run(back, 'restore', fromSqlite)).toMatchObject({ code: 0, stderr: '' });
  await check(back, 2);
});

test('a restore that was interrupted is not used by a cloud, and continues', async () => {
  const file = join(tempDir(), 'backup.tar');
  await run({ dataDir: databases.dataDir }, 'backup', file);
  const place = { dataDir: newFolder(), database: await createDatabase() };
  const client = await connect(place.database);
  await client.query(`create function fail() returns trigger language plpgsql as $$
    begin if new.id > 'play_0000000000000500' then raise exception 'no more'; end if; return new; end $$;
    create trigger fail before insert on plays for each row execute function fail()`);
  const interrupted = await run(place, 'restore', file);
  expect(interrupted).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/was interrupted: no more\. Start the same command again; it continues/),
  });
  const cloud = await run(place, '--port', '0');
  expect(cloud.stderr).toMatch(/has only a part of the data: a move or a restore to it has begun/);
  expect((await run(place, 'doctor')).stderr).toContain('has only a part of the data');
  const other = join(tempDir(), 'other.tar');
  expect((await run(place, 'backup', other)).stderr).toContain('has only a part of the data');
  expect(existsSync(other)).toBe(false);

  await client.query('drop trigger fail on plays');
  const continued = await run(place, 'restore', file);
  expect(continued).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Equal/m) });
  const { rows } = await client.query(`select count(*)::int as plays,
    (select count(*)::int from audit_log where action = 'cloud.restored') as restores from plays`);
  expect(rows).toEqual([{ plays: 2500, restores: 1 }]);
});

test('a backup of an older version is converted before it goes to PostgreSQL', async () => {
  const older = newFolder();
  await createOlderDataFolder(older, 5);
  const file = join(tempDir(), 'older.tar');
  await run({ dataDir: older }, 'backup', file);
  const place = { dataDir: newFolder(), database: await createDatabase() };
  expect(await run(place, 'restore', file)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Equal/m),
  });
});

test('a database that a newer version has expanded is fit for doctor, and not for a backup of this one', async () => {
  const database = await createFilledDatabase();
  const client = await connect(database);
  const place = { dataDir: databases.dataDir, database };
  const insert = 'insert into kysely_migration (name, timestamp) values ($1, $1)';
  await client.query(insert, ['9999-expand-colours']);
  expect(await findBad(place)).toEqual([]);
  const folder = tempDir();
  const refused = await run(place, 'backup', join(folder, 'backup.tar'));
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('a newer version') });
  expect(readdirSync(folder), 'nothing is left').toEqual([]);
  await client.query(insert, ['9999-other']);
  expect((await run(place, 'doctor')).stderr).toContain('a newer version');
});

test('with a bucket, a backup has the database, and a whole backup fills the bucket', async () => {
  const s3 = await startTestBucket();
  const flags = (prefix: string) => [
    '--blobs',
    `s3://${s3.settings.bucket}/${prefix}`,
    '--s3-endpoint',
    s3.settings.endpoint,
    '--s3-path-style',
  ];
  const disk = await start();
  await disk.admin.upload(await png(4), 'i.png');
  const [whole, small] = [join(tempDir(), 'whole.tar'), join(tempDir(), 'small.tar')];
  await run({ dataDir: disk.dataDir, database: disk.database! }, 'backup', whole);
  const place = { dataDir: newFolder(), database: await createDatabase() };
  expect(await run(place, 'restore', whole, ...flags('one'))).toMatchObject({ code: 0, stderr: '' });
  const healthy = await run(place, 'doctor', '--min-free', '0', ...flags('one'));
  expect(healthy.stdout).toMatch(/ok +media +All 2 media files are in s3:\/\/media\/one /);

  const saved = await run(place, 'backup', small, ...flags('one'));
  expect(saved.stdout).toMatch(/^Wrote 1 files[^]*database only/);
  const again = { dataDir: newFolder(), database: await createDatabase() };
  expect(await run(again, 'restore', small, ...flags('one'))).toMatchObject({ code: 0, stderr: '' });
  const elsewhere = await run(again, 'doctor', '--min-free', '0', ...flags('two'));
  expect(elsewhere).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/BAD +media +The file .* missing/),
  });
  // Without the bucket its files are looked for in the data folder.
  const incomplete = await run(again, 'backup', join(tempDir(), 'no.tar'));
  expect(incomplete).toMatchObject({ code: 1, stderr: expect.stringContaining('add --blobs') });
});

test.each(['backup', 'restore'])(
  '%s says in a sentence that the database does not answer',
  async (command) => {
    const file = join(tempDir(), 'backup.tar');
    if (command === 'restore') {
      await run({ dataDir: databases.dataDir }, 'backup', file);
    }
    const database = 'postgres://placard:hidden-word@127.0.0.1:1/cloud';
    const result = await run({ dataDir: newFolder(), database }, command, file);
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/^The database postgres:\/\/127\.0\.0\.1:1\/cloud cannot be used .*\n$/);
  },
);
