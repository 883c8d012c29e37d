import { join } from 'node:path';
import { startCloud } from '@placard/cloud';
import type { Cloud, CloudOptions } from '@placard/cloud';
import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { freePort } from '../../../../test/support/free-port.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { createApiClient } from '../../test/support/client.ts';
import { png } from '../../test/support/media.ts';
import { buildPlay, buildReportedState, buildSample, pairDevice } from '../../test/support/paired-device.ts';
import { openPlayerSocket } from '../../test/support/player-socket.ts';
import { createCopy } from '../../test/support/postgres-databases.ts';
import { runMove } from '../../test/support/run-move.ts';

const ADMIN_KEY = 'admin-key-of-the-tests-0001';

test('screens and clients go on with a cloud that was moved as with the one before', async () => {
  const options: CloudOptions = {
    // The address stays.
    port: await freePort(),
    host: '127.0.0.1',
    dataDir: join(tempDir(), 'data'),
    adminKey: ADMIN_KEY,
    logLevel: 'fatal',
    minFreeBytes: 0,
    reserveBytes: 0,
  };
  let cloud: Cloud = await startCloud(options);
  onTestFinished(() => cloud.close());
  const clientFor = (secret: string | null) =>
    createApiClient({ url: () => cloud.url, secret, beforeRequest: () => {} });
  const admin = clientFor(ADMIN_KEY);
  const screen = await pairDevice({ admin, clientFor }, { name: 'Kept', tags: ['shop'] });
  const { data: image } = await admin.upload(await png(3), 'i.png');
  const { data: playlist } = await admin.post('/v1/playlists', {
    name: 'P',
    items: [{ content_id: image.id, duration: 10 }],
  });
  const targets = [{ type: 'device', id: screen.deviceId }];
  expect((await admin.post(`/v1/playlists/${playlist.id}/deploy`, { targets })).status).toBe(202);
  const atMs = Date.now() - 60_000;
  const report = async () => {
    const sample = buildSample(new Date(atMs).toISOString());
    await screen.client.post('/v1/player/heartbeats', { samples: [sample], state: buildReportedState() });
    const play = { ...buildPlay(1, atMs, 10_000), content_id: image.id };
    await screen.client.post('/v1/player/plays', { plays: [play] });
  };
  await report();
  const period = `from=${new Date(atMs - 3_600_000).toISOString()}&to=${new Date(atMs + 3_600_000).toISOString()}`;
  const read = async () => ({
    manifest: (await screen.client.get('/v1/player/manifest')).data,
    playlists: (await admin.get('/v1/playlists')).data,
    content: (await admin.get('/v1/content')).data,
    audit: (await admin.get('/v1/audit-log?limit=100')).data,
    plays: (await admin.get(`/v1/analytics/plays?group_by=content&${period}`)).data,
    samples: (await admin.get(`/v1/devices/${screen.deviceId}/heartbeats?interval=hour&${period}`)).data,
  });
  const before = await read();
  expect(before.manifest).toMatchObject({ revision: expect.any(String), device: { name: 'Kept' } });
  expect(before.samples).toHaveLength(1);
  expect(before.plays).toHaveLength(1);
  await cloud.close();

  const database = await createCopy(inject('postgres')!, onTestFinished);
  await runMove({ dataDir: options.dataDir, to: database });
  cloud = await startCloud({ ...options, database });
  expect(cloud.adminKey).toBeNull();
  expect(await read()).toEqual(before);
  // What is sent again is known.
  await report();
  expect(await read()).toEqual(before);
  const socket = await openPlayerSocket(cloud.url, screen.token);
  expect(await socket.next()).toMatchObject({ manifest_revision: before.manifest.revision });
  socket.close();
  await socket.closed;
  const [asset] = before.manifest.assets;
  expect((await (await fetch(asset.url)).arrayBuffer()).byteLength).toBe(asset.size);
  const { deviceId } = await pairDevice({ admin, clientFor });
  const client = new Client(database);
  await client.connect();
  onTestFinished(() => client.end());
  const { rows } = await client.query('select id from devices order by number');
  expect(rows, 'stored in the new database').toEqual([{ id: screen.deviceId }, { id: deviceId }]);
});
