import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, PlacardError } from '@placard/client';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { png } from '../../cloud/test/support/media.ts';
import { pairDevice, startPairing } from '../../cloud/test/support/paired-device.ts';
import { startTestCloud } from '../../cloud/test/support/test-cloud.ts';
import type { TestCloud } from '../../cloud/test/support/test-cloud.ts';
import { clientOf } from './support/start-client.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const failureOf = async (promise: Promise<unknown>): Promise<PlacardError> => {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(PlacardError);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return error as PlacardError;
};

/** A server that answers as told, for what a cloud does not do. */
async function startServer(respond: RequestListener): Promise<string> {
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a picture is uploaded, put into a playlist and deployed', async () => {
  const placard = clientOf(cloud);
  const file = new Blob([Uint8Array.from(await png(20, 20, 10))]);
  const picture = await placard.content.upload({ file, name: 'Menu', tags: 'menu,lunch' });
  expect(picture).toMatchObject({ name: 'Menu', width: 20, height: 10, tags: ['menu', 'lunch'] });
  const playlist = await placard.playlists.create({
    name: 'Lunch',
    mode: 'sequential',
    items: [{ content_id: picture.id, duration: 10 }],
  });
  const { deviceId } = await pairDevice(cloud);
  const deployment = await placard.playlists.deploy(playlist.id, {
    targets: [{ type: 'device', id: deviceId }],
  });
  expect(deployment).toMatchObject({ playlist_id: playlist.id, device_count: 1 });
  expect((await placard.devices.getActiveSchedule(deviceId)).playlist?.id).toBe(playlist.id);
});

test('parameters of the path come first, then the body, then options', async () => {
  const placard = clientOf(cloud);
  const { id } = await placard.playlists.create({ name: 'Two items', mode: 'sequential', items: [] });
  const file = new Blob([Uint8Array.from(await png(5, 5, 5))]);
  const picture = await placard.content.upload({ file, name: 'One' });
  await placard.playlists.addItem(id, { content_id: picture.id }, { timeoutMs: 30_000 });
  const { items } = await placard.playlists.addItem(id, { content_id: picture.id });
  expect(items).toHaveLength(2);
  await placard.playlists.removeItem(id, items[0]?.id ?? '');
  expect((await placard.playlists.get(id)).items).toHaveLength(1);
});

test('a list is walked through to its end, page by page, or as one page', async () => {
  const placard = clientOf(cloud);
  const names = Array.from({ length: 7 }, (_, index) => `Store ${index}`);
  for (const name of names) {
    await placard.stores.create({ name });
  }
  const found: string[] = [];
  for await (const store of placard.stores.list({ limit: 3 })) {
    found.push(store.name);
  }
  expect(found).toEqual(names.toReversed());
  const second = await placard.stores.list({ limit: 3, page: 2 }).page();
  expect(second.data.map(({ name }) => name)).toEqual(['Store 3', 'Store 2', 'Store 1']);
  expect(second.meta).toMatchObject({ page: 2, limit: 3, total: 7 });
  const sizes: number[] = [];
  for await (const { data } of placard.stores.list({ limit: 4 }).pages()) {
    sizes.push(data.length);
  }
  expect(sizes).toEqual([4, 3]);
  expect(await placard.stores.list().toArray()).toHaveLength(7);
  expect(await placard.devices.list({ status: 'online', tag: 'nowhere' }).toArray()).toEqual([]);
});

test('an error has the code, sentence and details of the cloud', async () => {
  const placard = clientOf(cloud);
  const missing = await failureOf(placard.devices.get('dev_none'));
  expect(missing).toMatchObject({ code: 'DEVICE_NOT_FOUND', status: 404, name: 'PlacardError' });
  expect(missing.docUrl).toMatch(/^http/);
  expect(missing.requestId).toBeTruthy();
  const invalid = await failureOf(placard.stores.create({ name: '' }));
  expect(invalid).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path: 'name' }] });
  const unknown = await failureOf(clientOf(cloud, { apiKey: 'nobody' }).stores.list().page());
  expect(unknown).toMatchObject({ code: 'UNAUTHORIZED', status: 401 });
});

test('a change with the ETag of an older state is refused', async () => {
  const placard = clientOf(cloud);
  const { id } = await placard.stores.create({ name: 'Before' });
  const { data, etag, requestId } = await placard.request('GET /v1/stores/{id}', { path: { id } });
  expect([data.name, requestId]).toEqual(['Before', expect.any(String)]);
  await placard.stores.update(id, { name: 'Somebody else' });
  const late = await failureOf(placard.stores.update(id, { name: 'Late' }, { ifMatch: etag ?? '' }));
  expect(late.code).toBe('PRECONDITION_FAILED');
});

test('what was read is sent back whole, with its types, and what had no effect is named', async () => {
  const placard = clientOf(cloud);
  const { id } = await placard.stores.create({ name: 'Whole', city: 'Ulm' });
  const store = await placard.stores.get(id);
  const { data, headers } = await placard.request('PATCH /v1/stores/{id}', {
    path: { id },
    body: { ...store, city: 'Bonn' },
  });
  expect(data).toMatchObject({ id, name: 'Whole', city: 'Bonn' });
  expect(headers.get('placard-ignored-fields')).toBe('created_at, device_count, id, updated_at');
  const { deviceId } = await pairDevice(cloud, { name: 'Read' });
  const device = await placard.devices.get(deviceId);
  expect((await placard.devices.update(deviceId, { ...device, name: 'Sent' })).name).toBe('Sent');
  const playlist = await placard.playlists.create({ name: 'P', mode: 'sequential', items: [] });
  await placard.playlists.update(playlist.id, await placard.playlists.get(playlist.id));
  const made = await placard.schedules.create({
    name: 'S',
    is_active: true,
    targets: [{ type: 'all' }],
    rules: [{ playlist_id: playlist.id, start_time: '08:00', end_time: '09:00', days: ['MON'] }],
  });
  const schedule = await placard.schedules.get(made.id);
  expect((await placard.schedules.update(made.id, schedule)).rules).toEqual(schedule.rules);
});

test('a file that is not JSON is handed over unread', async () => {
  const { deviceId } = await pairDevice(cloud);
  const response = await clientOf(cloud).analytics.exportPlays({ device_id: deviceId });
  expect(response.headers.get('content-type')).toContain('text/csv');
  expect(await response.text()).toMatch(/^id,device_id/);
});

test('players use the same client, without a key or with their token', async () => {
  const { data: session } = await startPairing(cloud);
  const stranger = clientOf(cloud, { apiKey: undefined });
  await clientOf(cloud).devices.pair({ code: session.code, name: 'Door' });
  const paired = await stranger.player.pollPairing(session.pairing_id, { poll_token: session.poll_token });
  const token = 'device_token' in paired ? paired.device_token : '';
  const manifest = await clientOf(cloud, { apiKey: async () => token }).player.getManifest();
  expect(manifest.device.name).toBe('Door');
});

test('a POST whose response was lost is sent again and happens once', async () => {
  let requests = 0;
  const lossy: typeof fetch = async (...args) => {
    const response = await fetch(...args);
    if (++requests === 1) {
      await response.body?.cancel();
      throw new TypeError('fetch failed', { cause: new Error('the line was cut') });
    }
    return response;
  };
  const store = await clientOf(cloud, { fetch: lossy }).stores.create({ name: 'Only once' });
  expect(requests).toBe(2);
  const stores = await clientOf(cloud).stores.list().toArray();
  expect(stores.filter(({ name }) => name === 'Only once').map(({ id }) => id)).toEqual([store.id]);
});

test('an upload whose response was lost is sent again and happens once', async () => {
  let requests = 0;
  const lossy: typeof fetch = async (...args) => {
    const response = await fetch(...args);
    if (++requests === 1) {
      await response.body?.cancel();
      throw new TypeError('fetch failed', { cause: new Error('the line was cut') });
    }
    return response;
  };
  const file = new Blob([Uint8Array.from(await png(30, 30, 30))]);
  await clientOf(cloud, { fetch: lossy }).content.upload({ file, name: 'Sent twice' });
  expect((await clientOf(cloud).content.list({ search: 'Sent twice' }).page()).meta.total).toBe(1);
});

test('a PATCH whose response was lost is not sent again', async () => {
  const { id } = await clientOf(cloud).stores.create({ name: 'Patched' });
  let requests = 0;
  const broken: typeof fetch = async () => {
    requests++;
    throw new TypeError('fetch failed', { cause: new Error('the line was cut') });
  };
  const error = await failureOf(clientOf(cloud, { fetch: broken }).stores.update(id, { name: 'x' }));
  expect(error).toMatchObject({ code: 'CONNECTION_FAILED', status: 0 });
  expect(error.message).toContain('the line was cut');
  expect(requests).toBe(1);
});

test('over the rate limit it waits as long as the cloud asks, and sends again', async () => {
  let requests = 0;
  const url = await startServer((_request, response) => {
    requests++;
    const [status, body] =
      requests < 3
        ? [429, { success: false, error: { code: 'RATE_LIMITED', message: 'Too many requests.' } }]
        : [200, { success: true, data: { id: 'store_1' } }];
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
    response.end(JSON.stringify(body));
  });
  const placard = createClient({ server: url, apiKey: 'k' });
  expect(await placard.stores.update('store_1', { name: 'x' })).toEqual({ id: 'store_1' });
  expect(requests).toBe(3);
  requests = 0;
  const error = await failureOf(placard.stores.get('store_1', { retries: 1 }));
  expect([error.code, error.retryAfterMs, requests]).toEqual(['RATE_LIMITED', 0, 2]);
});

test('a server that does not answer in time, and one that is no cloud, are errors of their own', async () => {
  const silent = await startServer(() => {});
  const slow = createClient({ server: silent, retries: 0, timeoutMs: 20 });
  expect(await failureOf(slow.stores.get('x'))).toMatchObject({ code: 'TIMEOUT', status: 0 });
  const portal = await startServer((_request, response) => response.end('<html>Log in</html>'));
  const caught = createClient({ server: portal });
  expect(await failureOf(caught.stores.get('x'))).toMatchObject({ code: 'INVALID_RESPONSE', status: 200 });
});

test('the key does not follow a redirect to another server', async () => {
  const keys: unknown[] = [];
  const other = await startServer((request, response) => {
    keys.push(request.headers.authorization);
    response.end();
  });
  const url = await startServer((_request, response) => response.writeHead(302, { location: other }).end());
  const error = await failureOf(createClient({ server: url, apiKey: 'k', retries: 0 }).stores.get('x'));
  expect([error.code, keys]).toEqual(['CONNECTION_FAILED', []]);
});

test('a signal ends a request with its reason, also while it waits for another attempt', async () => {
  const reason = new Error('no longer needed');
  const silent = await startServer(() => {});
  const placard = createClient({ server: silent });
  await expect(placard.stores.get('x', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const busy = await startServer((_request, response) => {
    response.writeHead(503, { 'retry-after': '60' }).end();
    setImmediate(() => abort.abort(reason));
  });
  const abort = new AbortController();
  const waiting = createClient({ server: busy }).stores.get('x', { signal: abort.signal });
  await expect(waiting).rejects.toBe(reason);
});

test('what is not an address, and an id that is missing, are named', async () => {
  expect(() => createClient({ server: 'signage' })).toThrow('server must be the address of the cloud');
  expect(() => createClient({ server: 'https://user:key@example.com' })).toThrow('without a password');
  await expect(clientOf(cloud).stores.get('')).rejects.toThrow('/v1/stores/{id} needs id; it is ""');
});

test('an id cannot lead to another address', async () => {
  const paths: unknown[] = [];
  const url = await startServer((request, response) => {
    paths.push(request.url);
    response.end(JSON.stringify({ success: true, data: {} }));
  });
  await createClient({ server: `${url}/signage/` }).stores.get('../devices');
  await expect(createClient({ server: url }).stores.get('..')).rejects.toThrow('needs id');
  expect(paths).toEqual(['/signage/v1/stores/..%2Fdevices']);
});
