import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { mountSmallDisk } from '../../../test/support/test-disks.ts';
import type { SmallDisk } from '../../../test/support/test-disks.ts';
import { ADMIN_KEY, startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { runCommand } from './support/command-line.ts';
import { png } from './support/media.ts';
import { pairDevice, buildSample, buildReportedState } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';
import { openPlayerSocket } from './support/player-socket.ts';

const MIB = 1_048_576;
const RESERVE_BYTES = 4 * MIB;
/** Longer than the interval at which the cloud checks its disk. */
const DISK_CHECK_INTERVAL_MS = 6000;

/** A cloud whose data folder is a small disk. */
async function cloudOn(disk: SmallDisk): Promise<TestCloud> {
  const cloud = await startTestCloud({
    dataDir: disk.dir,
    minFreeBytes: 8 * MIB,
    reserveBytes: RESERVE_BYTES,
  });
  onTestFinished(() => cloud.cloud.close());
  await eventually(() => {
    cloud.clock.advance(DISK_CHECK_INTERVAL_MS);
    expect(reserveBytes(cloud)).toBe(RESERVE_BYTES);
  });
  return cloud;
}

/** Lets time pass until the cloud has noticed that its disk has space again. */
const untilRecovered = (cloud: TestCloud) =>
  eventually(async () => {
    cloud.clock.advance(DISK_CHECK_INTERVAL_MS);
    expect((await cloud.admin.post('/v1/stores', { name: 'S' })).status).toBe(201);
    expect(await readiness(cloud)).toMatchObject({ code: 200, status: 'ready', disk: { state: 'ok' } });
    expect(reserveBytes(cloud), 'again').toBe(RESERVE_BYTES);
  });

/** Fills the disk completely, including the space that the write-ahead log can reuse. */
function fillUp(disk: SmallDisk): void {
  disk.fill();
  const database = new Sqlite(join(disk.dir, 'cloud.sqlite'));
  const insert = database.prepare('insert into removed_devices (id, name, removed_at) values (?, ?, 0)');
  expect(() => {
    for (let n = 0; n < 5000; n++) {
      insert.run(`fill_${n}`, 'x'.repeat(20_000));
    }
  }).toThrow(expect.objectContaining({ code: 'SQLITE_FULL' }));
  database.close();
}

const freeOf = (disk: SmallDisk): number => {
  const { bavail, bsize } = statfsSync(disk.dir);
  return bavail * bsize;
};
const reserveBytes = ({ dataDir }: TestCloud): number => statSync(join(dataDir, 'cloud.reserve')).size;
const readiness = async ({ cloud }: TestCloud) => {
  const response = await fetch(`${cloud.url}/readyz`);
  const { status, disk, database }: Record<string, unknown> = JSON.parse(await response.text());
  return { code: response.status, status, disk, database };
};
const now = ({ clock }: TestCloud) => new Date(clock.nowMs()).toISOString();
/** An image that does not compress. */
const incompressiblePng = (seed: number) =>
  sharp({
    create: {
      width: 900,
      height: 900,
      channels: 3,
      background: { r: seed, g: 0, b: 0 },
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .png()
    .toBuffer();
const heartbeat = ({ client }: PairedDevice, at: string) =>
  client.post('/v1/player/heartbeats', { samples: [buildSample(at)], state: buildReportedState() });

test('on a full disk reads work, and each write is rejected with the reason', async ({ skip }) => {
  const disk = mountSmallDisk(32) ?? skip('no right to mount a disk');
  const cloud = await cloudOn(disk);
  const read = cloud.clientFor(await cloud.createKey('Read'));
  const asset = (await cloud.admin.upload(await incompressiblePng(1), 'a.png')).data;
  const screen = await pairDevice(cloud);
  fillUp(disk);
  cloud.clock.advance(120_000);

  expect((await read.get('/v1/content')).data).toHaveLength(1);
  expect((await read.get('/v1/devices')).status).toBe(200);
  expect((await screen.client.get('/v1/player/manifest')).status).toBe(200);
  expect((await fetch(asset.url)).status).toBe(200);
  const { data: keys } = await cloud.admin.get('/v1/api-keys');
  expect(keys[0].last_used_at, 'kept in memory').toEqual(expect.any(String));

  const written = await cloud.admin.post('/v1/stores', { name: 'S', address: 'x'.repeat(400) });
  expect(written).toMatchObject({
    status: 503,
    error: {
      code: 'UNAVAILABLE',
      details: { reason: 'disk_full' },
      message: expect.stringContaining('full'),
    },
  });
  expect(written.headers.get('retry-after')).toBe('60');
  expect((await heartbeat(screen, now(cloud))).error?.code).toBe('UNAVAILABLE');
  for (const sent of [
    await cloud.admin.upload(await png(2), 'b.png'),
    await cloud.admin.post('/v1/content/upload-url', { url: 'http://example.com/a.png' }),
  ]) {
    expect(sent).toMatchObject({
      status: 507,
      error: {
        code: 'INSUFFICIENT_STORAGE',
        details: { reason: 'disk_full', floor_bytes: 8 * MIB, free_bytes: expect.any(Number) },
      },
    });
  }
  expect(await readiness(cloud)).toMatchObject({
    code: 503,
    status: 'unavailable',
    database: 'ok',
    disk: { state: 'full', floor_bytes: 8 * MIB, message: expect.stringContaining('Delete content') },
  });

  disk.free();
  await untilRecovered(cloud);
  expect((await cloud.admin.upload(await png(2), 'b.png')).status).toBe(201);
});

test('deleting works on a full disk and frees space at once', async ({ skip }) => {
  const disk = mountSmallDisk(32) ?? skip('no right to mount a disk');
  const cloud = await cloudOn(disk);
  const assets = [];
  await cloud.createKey('Read');
  const other = (await cloud.admin.post('/v1/playlists', { name: 'Other', items: [] })).data;
  for (let n = 0; n < 3; n++) {
    assets.push((await cloud.admin.upload(await incompressiblePng(n), `${n}.png`)).data);
  }
  const playlist = (
    await cloud.admin.post('/v1/playlists', { name: 'P', items: [{ content_id: assets[0].id }] })
  ).data;
  fillUp(disk);
  expect((await cloud.admin.post('/v1/stores', { name: 'S', address: 'x'.repeat(400) })).status).toBe(503);
  // A small file that the cloud rewrites may have freed a block.
  expect(freeOf(disk)).toBeLessThan(16_384);
  expect((await cloud.admin.delete(`/v1/playlists/${other.id}`)).status).toBe(200);
  // Deleting used the reserved space; the rest of the reserve is only for deleting.
  expect(freeOf(disk)).toBeGreaterThan(3 * MIB);
  expect((await cloud.admin.post('/v1/stores', { name: 'S' })).status).toBe(503);
  cloud.clock.advance(DISK_CHECK_INTERVAL_MS);
  expect((await cloud.admin.post('/v1/stores', { name: 'S' })).status).toBe(503);

  expect(await cloud.admin.delete(`/v1/content/${assets[0].id}`)).toMatchObject({
    status: 200,
    data: { deleted: true, playlists: [{ id: playlist.id }] },
  });
  expect((await fetch(assets[0].url)).status).toBe(404);
  expect(freeOf(disk) + reserveBytes(cloud)).toBeGreaterThan(3 * MIB + assets[0].size / 2);
  for (const { id } of assets.slice(1)) {
    expect((await cloud.admin.delete(`/v1/content/${id}`)).status).toBe(200);
  }
  expect((await cloud.admin.delete(`/v1/playlists/${playlist.id}`)).status).toBe(200);
  expect((await cloud.admin.get('/v1/content')).data).toEqual([]);

  disk.fill();
  const { data: keys } = await cloud.admin.get('/v1/api-keys');
  const leaked = keys.find(({ scope }: { scope: string }) => scope === 'Read').id;
  const run = (...args: string[]) => runCommand('keys', ...args, '--data', disk.dir);
  expect(await run('revoke', leaked)).toMatchObject({ code: 0, stderr: '' });

  disk.free();
  await untilRecovered(cloud);
});

test('a write-ahead log that has filled the disk is moved to the database with the reserve, which is then refilled', async ({
  skip,
}) => {
  const disk = mountSmallDisk(32) ?? skip('no right to mount a disk');
  const cloud = await cloudOn(disk);
  const [file, journal] = [join(disk.dir, 'cloud.sqlite'), join(disk.dir, 'cloud.sqlite-wal')];
  const [reader, writer] = [new Sqlite(file, { readonly: true }), new Sqlite(file)];
  // As a backup does.
  reader.exec('begin');
  reader.prepare('select 1 from sqlite_schema').get();
  writer.pragma('wal_autocheckpoint = 0');
  const insert = writer.prepare('insert into removed_devices (id, name, removed_at) values (?, ?, 0)');
  for (let n = 0; n < 50; n++) {
    insert.run(`fill_${n}`, 'x'.repeat(20_000));
  }
  const update = writer.prepare('update removed_devices set removed_at = ?');
  expect(() => {
    for (let n = 1; n < 1000; n++) {
      update.run(n);
    }
  }).toThrow(expect.objectContaining({ code: 'SQLITE_FULL' }));
  disk.fill();
  const { size } = statSync(file);
  expect(statSync(journal).size).toBeGreaterThan(10 * MIB);
  expect((await cloud.admin.post('/v1/stores', { name: 'S', address: 'x'.repeat(400) })).status).toBe(503);
  reader.close();
  expect((await cloud.admin.post('/v1/stores', { name: 'S', address: 'x'.repeat(400) })).status).toBe(503);

  await untilRecovered(cloud);
  expect(statSync(file).size).toBeGreaterThan(size);
  expect(statSync(journal).size).toBeLessThan(MIB);
  writer.close();
});

test('a cloud starts on a full disk repeatedly, reports it, and recovers by itself', async ({ skip }) => {
  const disk = mountSmallDisk(32) ?? skip('no right to mount a disk');
  const cloud = await cloudOn(disk);
  const screen = await pairDevice(cloud);
  await cloud.admin.upload(await incompressiblePng(1), 'a.png');
  fillUp(disk);
  for (let n = 0; n < 3; n++) {
    await cloud.restart();
    disk.fill();
    expect(cloud.cloud.diskWarning).toMatch(
      /^Full: .* has [012]\.\d MB left.*Delete content or free disk space/,
    );
    expect((await cloud.admin.get('/v1/content')).data).toHaveLength(1);
    expect((await screen.client.get('/v1/player/manifest')).status).toBe(200);
    expect((await readiness(cloud)).status).toBe('unavailable');
  }
  const [asset] = (await cloud.admin.get('/v1/content')).data;
  expect((await cloud.admin.delete(`/v1/content/${asset.id}`)).status).toBe(200);
  disk.free();
  await untilRecovered(cloud);
  expect((await heartbeat(screen, now(cloud))).status).toBe(200);
});

test('the WAL index that a crash removed fits on a full disk again', async ({ skip }) => {
  const disk = mountSmallDisk(32) ?? skip('no right to mount a disk');
  const cloud = await cloudOn(disk);
  await cloud.cloud.close();
  rmSync(join(disk.dir, 'cloud.sqlite-shm'), { force: true });
  rmSync(join(disk.dir, 'cloud.sqlite-wal'), { force: true });
  disk.fill();
  await cloud.restart();
  expect((await cloud.admin.get('/v1/content')).status).toBe(200);
});

test('a first start on a full disk fails with one clear sentence', async ({ skip }) => {
  const disk = mountSmallDisk(32) ?? skip('no right to mount a disk');
  disk.fill();
  const { code, stderr } = await runCommand('--data', disk.dir, '--port', '0', '--admin-key', ADMIN_KEY);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^The disk of the data folder .* is full.*Free about.*--data/);
  expect(stderr).not.toContain('    at ');
});

test('below the floor only uploads are rejected; the size of the new file counts', async ({ skip }) => {
  const disk = mountSmallDisk(32) ?? skip('no right to mount a disk');
  const cloud = await cloudOn(disk);
  const keep = (bytes: number) =>
    writeFileSync(join(disk.dir, 'other'), Buffer.alloc(Math.max(0, freeOf(disk) - bytes)));
  keep(9 * MIB);
  expect((await cloud.admin.upload(await png(1), 'a.png')).status).toBe(201);
  const large = await cloud.admin.upload(Buffer.alloc(3 * MIB), 'large.png');
  expect(large).toMatchObject({ status: 507, error: { details: { reason: 'below_floor' } } });
  rmSync(join(disk.dir, 'other'));
  keep(7 * MIB);
  expect(await cloud.admin.upload(await png(2), 'b.png')).toMatchObject({
    status: 507,
    error: { details: { reason: 'below_floor', floor_bytes: 8 * MIB } },
  });
  expect((await cloud.admin.post('/v1/stores', { name: 'S' })).status).toBe(201);
  expect(await readiness(cloud)).toMatchObject({ code: 200, status: 'ready', disk: { state: 'low' } });
});

test('an upload of unknown length is aborted at the floor and leaves no files', async ({ skip }) => {
  const disk = mountSmallDisk(64) ?? skip('no right to mount a disk');
  const cloud = await cloudOn(disk);
  const before = freeOf(disk);
  const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === 0) {
        controller.enqueue(new TextEncoder().encode(head));
      }
      sent += MIB;
      if (sent > 100 * MIB) {
        controller.close();
      } else {
        controller.enqueue(new Uint8Array(MIB));
      }
    },
  });
  const init = {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body,
    duplex: 'half' as const,
  };
  const status = await cloud.admin.raw('/v1/content/upload', init).then(
    (response) => response.status,
    () => 'cut off',
  );
  // A client that continues to send may be disconnected before it reads the response.
  expect([507, 'cut off']).toContain(status);
  expect(freeOf(disk)).toBeGreaterThan(before - MIB);
});

test('a device keeps its socket during a full disk, and none is reported offline because of it', async ({
  skip,
}) => {
  const disk = mountSmallDisk(32) ?? skip('no right to mount a disk');
  const cloud = await cloudOn(disk);
  const screen = await pairDevice(cloud);
  await heartbeat(screen, now(cloud));
  fillUp(disk);
  cloud.clock.advance(DISK_CHECK_INTERVAL_MS);
  const socket = await openPlayerSocket(cloud.cloud.url, screen.token);
  expect(await socket.next()).toMatchObject({ type: 'welcome' });
  const message = { type: 'heartbeat', samples: [], state: buildReportedState() };
  socket.send({ ...message, seq: 1 });
  expect(await socket.next()).toMatchObject({
    type: 'heartbeat_refused',
    seq: 1,
    error: { code: 'UNAVAILABLE', message: expect.stringContaining('disk of this cloud is full') },
  });
  cloud.clock.advance(10 * 60_000);
  expect((await cloud.admin.get(`/v1/devices/${screen.deviceId}`)).data.status).toBe('online');
  disk.free();
  await untilRecovered(cloud);
  socket.send({ ...message, seq: 2 });
  expect(await socket.next()).toMatchObject({ type: 'heartbeat_ack', seq: 2 });
  await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, { orientation: 'portrait' });
  expect(await socket.next()).toMatchObject({ type: 'manifest_changed' });
  socket.close();
});

test('a locked database is 503 after a while, and everything else works', async () => {
  const cloud = await startTestCloud();
  onTestFinished(() => cloud.close());
  const other = new Sqlite(join(cloud.dataDir, 'cloud.sqlite'));
  onTestFinished(() => void other.close());
  other.exec('begin immediate');
  const writing = cloud.admin.post('/v1/stores', { name: 'S' });
  expect((await fetch(`${cloud.cloud.url}/healthz`)).status).toBe(200);
  expect(await writing).toMatchObject({
    status: 503,
    error: { code: 'UNAVAILABLE', details: { reason: 'database_busy' } },
  });
  expect((await cloud.admin.get('/v1/stores')).data).toEqual([]);
  other.exec('rollback');
  expect((await cloud.admin.post('/v1/stores', { name: 'S' })).status).toBe(201);
});
