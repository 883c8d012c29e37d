import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startCloud } from '@placard/cloud';
import { expect, inject, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../test/support/eventually.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { runCommand } from '../support/command-line.ts';
import { buildReportedState, buildSample, pairDevice } from '../support/paired-device.ts';
import { openPlayerSocket } from '../support/player-socket.ts';
import { createCopy } from '../support/postgres-databases.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { startTestCloud } from '../support/test-cloud.ts';
import type { TestCloud } from '../support/test-cloud.ts';

const createDatabase = () => createCopy(inject('postgres')!, onTestFinished);

async function start(options: Parameters<typeof startTestCloud>[0] = {}): Promise<TestCloud> {
  const cloud = await startTestCloud(options);
  onTestFinished(() => cloud.close());
  return cloud;
}

test('a cloud whose database goes away answers 503 until it is back, and goes on by itself', async () => {
  const proxy = await startPostgresProxy(await createDatabase(), onTestFinished);
  const cloud = await start({ database: proxy.url });
  const screen = await pairDevice(cloud);
  const socket = await openPlayerSocket(cloud.cloud.url, screen.token);
  await socket.next();
  const state = buildReportedState();
  const beat = async (seq: number) => {
    socket.send({ type: 'heartbeat', seq, samples: [], state });
    return socket.next();
  };
  expect(await beat(1)).toMatchObject({ type: 'heartbeat_ack' });

  proxy.cut();
  const unavailable = { code: 'UNAVAILABLE', details: { reason: 'database_unavailable' } };
  const read = await cloud.admin.get('/v1/devices');
  expect(read).toMatchObject({ status: 503, error: unavailable });
  expect(read.headers.get('retry-after')).toBe('5');
  expect(await cloud.admin.post('/v1/stores', { name: 'S' })).toMatchObject({ error: unavailable });
  const samples = [buildSample(new Date(cloud.clock.nowMs()).toISOString())];
  expect(await screen.client.post('/v1/player/heartbeats', { samples, state })).toMatchObject({
    status: 503,
    error: unavailable,
  });
  expect(await beat(2)).toMatchObject({ type: 'heartbeat_refused', error: { code: 'UNAVAILABLE' } });
  await expect(openPlayerSocket(cloud.cloud.url, screen.token)).rejects.toThrow('503, Retry-After 5');
  expect((await fetch(`${cloud.cloud.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${cloud.cloud.url}/healthz`)).status).toBe(200);
  // All jobs run meanwhile.
  cloud.clock.advance(3_600_000);

  proxy.restore();
  await eventually(async () => expect((await fetch(`${cloud.cloud.url}/readyz`)).status).toBe(200));
  expect(await cloud.admin.post('/v1/stores', { name: 'S' })).toMatchObject({ status: 201 });
  expect(await beat(3)).toMatchObject({ type: 'heartbeat_ack' });
  const { data } = await cloud.admin.get(`/v1/devices/${screen.deviceId}`);
  expect(data.status).toBe('online');
  await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, { name: 'Renamed' });
  expect(await socket.next()).toMatchObject({ type: 'manifest_changed' });
  socket.close();
});

test('what a cloud on PostgreSQL stores is there after a restart, and nothing of it in the data folder', async () => {
  const cloud = await start();
  const screen = await pairDevice(cloud);
  await cloud.restart(1000);
  expect((await cloud.admin.get(`/v1/devices/${screen.deviceId}`)).status).toBe(200);
  expect((await screen.client.get('/v1/player/manifest')).status).toBe(200);
  expect(existsSync(join(cloud.dataDir, 'cloud.sqlite'))).toBe(false);
});

test('an empty database is refused with a data folder that has one: its media files would be deleted', async () => {
  const dataDir = tempDir();
  const options = { host: '127.0.0.1', port: 0, dataDir, logLevel: 'fatal' };
  await (await startCloud(options)).close();
  const database = await createDatabase();
  const { password } = new URL(database);
  const refusal = await startCloud({ ...options, database }).then(
    () => 'started',
    (error: Error) => `${error.name}: ${error.message}`,
  );
  expect(refusal).toMatch(/^StartupError: .* is empty.* Run the command move/);
  expect(refusal).not.toContain(password);
  // The folder is not locked afterwards.
  await (await startCloud(options)).close();
});

test.each([
  [
    'a server that is not there',
    'postgres://placard:hidden-word@127.0.0.1:1/cloud',
    /127\.0\.0\.1:1\/cloud cannot be used/,
  ],
  ['another kind of URL', 'mysql://placard:hidden-word@127.0.0.1/cloud', /must look like postgres:/],
  ['no URL', 'placard:hidden-word@127.0.0.1', /must look like postgres:/],
])('%s ends the start with a message without the password', async (_, url, message) => {
  const { code, stdout, stderr } = await runCommand('--data', tempDir(), '--port', '0', '--database', url);
  expect(code).toBe(1);
  expect(stderr).toMatch(message);
  expect(stderr + stdout).not.toContain('hidden-word');
});

test('commands for keys and checks work on the database', async () => {
  const cloud = await start();
  const on = (...args: string[]) => runCommand(...args, ...cloud.flags);
  const made = await on('keys', 'create', '--scope', 'Read', '--name', 'Wall');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect((await cloud.clientFor(made.stdout.trim()).get('/v1/devices')).status).toBe(200);
  expect((await on('keys', 'list')).stdout).toContain('Wall');
  const doctor = await on('doctor', '--no-video-decoder', '--min-free', '0');
  expect(doctor.stdout).toMatch(/^ok +database +The database postgres:\/\/127\.0\.0\.1:\d+\/\S+ answers/);
  expect(doctor.stdout).not.toContain(new URL(cloud.database!).password);
  // Those of a server for tests.
  expect(doctor.stdout).not.toMatch(/^BAD {2}(?!settings)/m);
});

test('doctor does not make tables', async () => {
  const database = await createCopy({ ...inject('postgres')!, template: 'template0' }, onTestFinished);
  const doctor = () => runCommand('doctor', '--data', tempDir(), '--database', database);
  for (const result of [await doctor(), await doctor()]) {
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no cloud in the database'),
    });
  }
});
