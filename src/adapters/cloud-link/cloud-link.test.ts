import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startFakeCloud } from '../../../test/support/fake-cloud.ts';
import type { FakeCloud, RouteHandler } from '../../../test/support/fake-cloud.ts';
import { withUnknownFields } from '../../../test/support/manifest-with-unknown-fields.ts';
import { buildManifest } from '../../../test/support/manifests.ts';
import {
  helloMessage,
  openCloudLink,
  pairDevice,
  PAIRING_SESSION,
  PAIRING_REQUEST,
} from '../../../test/support/open-cloud-link.ts';

const signal = new AbortController().signal;
const STATE = {
  player_version: '1.0.0',
  shell: 'headless',
  uptime_seconds: 1,
  applied_manifest_revision: null,
  current: null,
  storage: { cache_bytes: 0, free_bytes: null, assets_held: 0, assets_missing: 0 },
  faults: [],
};

const html: RouteHandler = (_request, response) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Log in to our Wi-Fi</html>');
function linkTo(server: string) {
  const times: [number, number][] = [];
  const link = openCloudLink(server, {
    onServerTime: (serverMs, roundTripMs) => times.push([serverMs, roundTripMs]),
  });
  return { link, times };
}

async function cloudAndLink() {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  return { cloud, ...linkTo(cloud.url) };
}

describe('pairing', () => {
  test('returns a pairing code, then a device token once the code is confirmed', async () => {
    const { cloud, link } = await cloudAndLink();
    expect(await link.startPairing(PAIRING_REQUEST, signal)).toMatchObject({ code: 'BCD-FGH', interval: 1 });
    expect(await link.pollPairing(PAIRING_SESSION, signal)).toEqual({ kind: 'pending', intervalMs: 1_000 });
    cloud.confirmPairing();
    expect(await link.pollPairing(PAIRING_SESSION, signal)).toMatchObject({
      kind: 'paired',
      identity: { deviceId: 'dev_1' },
    });
  });

  test.each([
    [410, 'PAIRING_EXPIRED', { kind: 'expired' }],
    [404, 'PAIRING_CODE_NOT_FOUND', { kind: 'expired' }],
    [429, 'RATE_LIMITED', { kind: 'slow_down', afterMs: 9_000 }],
  ])('a poll answered with %i is an expected response', async (status, code, expected) => {
    const { cloud, link } = await cloudAndLink();
    cloud.handleRoute('/v1/player/pairing/', (_request, response) => {
      response
        .writeHead(status, { 'retry-after': '9' })
        .end(JSON.stringify({ success: false, error: { code, message: '' } }));
    });
    expect(await link.pollPairing(PAIRING_SESSION, signal)).toEqual(expected);
  });
});

test('always waits between pairing polls', async () => {
  const { cloud, link } = await cloudAndLink();
  cloud.handleRoute('/v1/player/pairing/', (_request, response) => {
    response.writeHead(202).end('{"success":true,"data":{"status":"pending","interval":0}}');
  });
  expect(await link.pollPairing(PAIRING_SESSION, signal)).toEqual({ kind: 'pending', intervalMs: 1_000 });
});

describe('responses that do not come from a Placard cloud', () => {
  const junk: [string, RouteHandler, object][] = [
    ['a login page', html, { code: 'cloud.not_placard' }],
    [
      'a login page with 401',
      (_request, response) => response.writeHead(401).end('<html>DEVICE_UNPAIRED</html>'),
      { code: 'cloud.not_placard' },
    ],
    [
      'another 401',
      (_request, response) =>
        response.writeHead(401).end('{"success":false,"error":{"code":"UNAUTHORIZED","message":""}}'),
      { code: 'cloud.refused' },
    ],
    [
      'a truncated body',
      (_request, response) => {
        response.writeHead(200, { 'content-length': 1_000 });
        response.write('{"success":true,', () => response.destroy());
      },
      { code: 'cloud.unreachable' },
    ],
    [
      'a success of another shape',
      (_request, response) => response.writeHead(200).end('{"success":true,"data":{"revision":5}}'),
      { code: 'cloud.not_placard' },
    ],
    [
      'an error from a proxy',
      (_request, response) => response.writeHead(502).end('bad gateway'),
      { code: 'cloud.unreachable' },
    ],
    [
      'a Retry-After',
      (_request, response) => response.writeHead(429, { 'retry-after': '30' }).end('slow'),
      { code: 'cloud.busy', retry: { afterMs: 30_000 } },
    ],
    [
      'a Retry-After of 0',
      (_request, response) => response.writeHead(503, { 'retry-after': '0' }).end(),
      { code: 'cloud.unreachable', retry: { afterMs: 5_000 } },
    ],
    [
      'a redirect',
      (_request, response) => response.writeHead(302, { location: '/login' }).end(),
      { code: 'cloud.not_placard' },
    ],
  ];

  test.each(junk)('%s is a fault and does not unpair the device', async (_name, script, fault) => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairDevice(cloud, link);
    cloud.handleRoute('/v1/player/', script);
    await expect(device.fetchManifest(null, signal)).rejects.toMatchObject(fault);
    await expect(device.sendHeartbeat({ samples: [], state: STATE }, signal)).rejects.toMatchObject(fault);
    await expect(device.sendPlays([], signal)).rejects.toMatchObject(fault);
    await expect(link.startPairing(PAIRING_REQUEST, signal)).rejects.toMatchObject(fault);
  });

  test('reports a fault when nothing listens at the address', async () => {
    const cloud = await startFakeCloud();
    const { link } = linkTo(cloud.url);
    await cloud.stop();
    await expect(link.startPairing(PAIRING_REQUEST, signal)).rejects.toMatchObject({
      code: 'cloud.unreachable',
      details: { reason: 'ECONNREFUSED' },
    });
    const nowhere = linkTo('http://no-such-host.invalid');
    await expect(nowhere.link.startPairing(PAIRING_REQUEST, signal)).rejects.toMatchObject({
      code: 'cloud.unreachable',
    });
  });

  test('reports a TLS fault for a server without TLS behind an https address', async () => {
    const cloud = await startFakeCloud();
    onTestFinished(() => cloud.stop());
    const { link } = linkTo(cloud.url.replace('http:', 'https:'));
    await expect(link.startPairing(PAIRING_REQUEST, signal)).rejects.toMatchObject({ code: 'cloud.tls' });
  });
});

const refuseWith = (cloud: FakeCloud, status: number, code: string) =>
  cloud.handleRoute('/v1/player/', (_request, response) => {
    response.writeHead(status).end(JSON.stringify({ success: false, error: { code, message: '' } }));
  });

describe('a paired device', () => {
  test('fetches the manifest once, and again only when it has changed', async () => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairDevice(cloud, link);
    const manifest = buildManifest({ revision: 'r1', playlists: { pl: ['a'] } });
    cloud.setManifest(manifest);
    expect(await device.fetchManifest(null, signal)).toEqual({
      kind: 'manifest',
      manifest: { ...manifest, passed_over: [] },
    });
    expect(await device.fetchManifest('r1', signal)).toEqual({ kind: 'unchanged' });
    expect(await device.fetchManifest('r0', signal)).toMatchObject({ kind: 'manifest' });
  });

  test('takes the time from every response, as accurately as the header allows', async () => {
    const { cloud, link, times } = await cloudAndLink();
    const device = await pairDevice(cloud, link);
    await device.sendHeartbeat({ samples: [], state: STATE }, signal);
    const [serverMs, roundTripMs] = times.at(-1)!;
    expect(Math.abs(serverMs - Date.now())).toBeLessThan(30_000);
    expect(roundTripMs).toBeLessThan(30_000);
  });

  test('is unpaired by 401 DEVICE_UNPAIRED on any request', async () => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairDevice(cloud, link);
    cloud.unpair();
    expect(await device.fetchManifest(null, signal)).toEqual({ kind: 'unpaired' });
    expect(await device.sendHeartbeat({ samples: [], state: STATE }, signal)).toEqual({ kind: 'unpaired' });
    expect(await device.sendPlays([], signal)).toEqual({ kind: 'unpaired' });
    expect(await device.reportCommandStatus('cmd_1', { status: 'acknowledged' }, signal)).toEqual({
      kind: 'unpaired',
    });
  });

  test.each([
    [400, 'VALIDATION_ERROR'],
    [404, 'COMMAND_NOT_FOUND'],
    [404, 'ROUTE_NOT_FOUND'],
    [409, 'CONFLICT'],
    [410, 'GONE'],
    [413, 'PAYLOAD_TOO_LARGE'],
    [422, 'IMPORT_FAILED'],
  ])('treats the refusal of a report as permanent: %i %s', async (status, code) => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairDevice(cloud, link);
    refuseWith(cloud, status, code);
    const refused = { kind: 'refused', status, code };
    expect(await device.reportCommandStatus('cmd_1', { status: 'succeeded' }, signal)).toEqual(refused);
    expect(await device.sendPlays([], signal)).toEqual(refused);
  });

  test.each([
    [401, 'UNAUTHORIZED', 'cloud.refused'],
    [403, 'FORBIDDEN', 'cloud.refused'],
    [408, 'TIMEOUT', 'cloud.refused'],
    [425, 'TOO_EARLY', 'cloud.refused'],
    [429, 'RATE_LIMITED', 'cloud.busy'],
    [500, 'INTERNAL_ERROR', 'cloud.unreachable'],
    [503, 'UNAVAILABLE', 'cloud.busy'],
  ])('reports again later after a temporary refusal: %i %s', async (status, code, fault) => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairDevice(cloud, link);
    refuseWith(cloud, status, code);
    const rejected = { code: fault, details: { status } };
    const statusCall = device.reportCommandStatus('cmd_1', { status: 'succeeded' }, signal);
    await expect(statusCall).rejects.toMatchObject(rejected);
    await expect(device.sendPlays([], signal)).rejects.toMatchObject(rejected);
  });
});

describe('a newer cloud', () => {
  test('accepts a manifest with unknown parts, ignores those and reports them', async () => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairDevice(cloud, link);
    const built = buildManifest({ playlists: { pl: ['a'] } });
    cloud.handleRoute('/v1/player/manifest', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ success: true, data: withUnknownFields(built) }));
    });
    const answer = await device.fetchManifest(null, signal);
    expect(answer).toMatchObject({ kind: 'manifest', manifest: { revision: built.revision } });
    expect(JSON.stringify(answer)).toContain('by_weather');
  });

  test('ignores unknown and invalid commands in a heartbeat response', async () => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairDevice(cloud, link);
    const expires_at = '2026-11-20T12:00:00.000Z';
    cloud.handleRoute('/v1/player/heartbeats', (_request, response) => {
      const commands = [
        { id: 'cmd_1', command: 'SELF_CLEAN', expires_at, urgency: 'high' },
        { nonsense: true },
        { id: 'cmd_2', command: 'REFRESH', expires_at },
      ];
      const data = {
        server_time: expires_at,
        manifest_revision: 'r',
        commands,
        next_heartbeat_in: 60,
        mood: 'good',
      };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ success: true, data }));
    });
    const beat = { samples: [], state: STATE };
    expect(await device.sendHeartbeat(beat, signal)).toMatchObject({
      kind: 'ok',
      response: {
        commands: [
          { id: 'cmd_1', command: 'SELF_CLEAN' },
          { id: 'cmd_2', command: 'REFRESH' },
        ],
      },
    });
  });

  test('reports unknown socket messages by their type', async () => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairDevice(cloud, link);
    const unknown: string[] = [];
    await device.openSocket(
      {
        hello: helloMessage,
        onMessage(message) {
          if (message.type === 'welcome') {
            cloud.broadcast({ type: 'screenshot_wanted', quality: 80 });
          }
        },
        onUnknown(type) {
          unknown.push(type);
          cloud.dropSockets();
        },
      },
      signal,
    );
    expect(unknown).toEqual(['screenshot_wanted']);
  });
});

describe('the socket', () => {
  test('receives the welcome, answers it, and receives changes', async () => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairDevice(cloud, link);
    const heard: string[] = [];
    const ended = device.openSocket(
      {
        hello: helloMessage,
        onMessage(message) {
          heard.push(message.type);
          if (message.type === 'welcome') {
            cloud.setManifest(buildManifest({ playlists: {} }));
          }
          if (message.type === 'manifest_changed') {
            cloud.dropSockets();
          }
        },
      },
      signal,
    );
    expect(await ended).toEqual({ kind: 'closed', code: 1001, welcomed: true, retryAfterMs: null });
    expect(heard).toEqual(['welcome', 'manifest_changed']);
    expect(cloud.received.helloMessages).toEqual([helloMessage()]);
  });

  test('distinguishes the close code that unpairs from all others', async () => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairDevice(cloud, link);
    const ended = device.openSocket({ hello: helloMessage, onMessage: () => cloud.unpair() }, signal);
    expect(await ended).toEqual({ kind: 'unpaired' });
  });

  test('reports a refused socket as a fault that does not unpair the device', async () => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairDevice(cloud, link);
    cloud.handleRoute('/v1/player/socket', () => {});
    const socket = device.openSocket({ hello: helloMessage, onMessage: () => {} }, signal);
    await expect(socket).rejects.toMatchObject({ code: 'cloud.refused', details: { status: 403 } });
    cloud.handleRoute('/v1/player/socket', null);
    const stranger = link
      .createDeviceLink('not a token')
      .openSocket({ hello: helloMessage, onMessage: () => {} }, signal);
    await expect(stranger).rejects.toMatchObject({ code: 'cloud.refused', details: { status: 401 } });
  });

  test('reports a fault when a proxy answers the upgrade with a page', async () => {
    const proxy = createServer((_request, response) => response.end('<html></html>'));
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void proxy.close());
    const address = proxy.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { link } = linkTo(`http://127.0.0.1:${port}`);
    const socket = link
      .createDeviceLink('token')
      .openSocket({ hello: helloMessage, onMessage: () => {} }, signal);
    await expect(socket).rejects.toMatchObject({ code: 'cloud.refused' });
  });

  test('closes when the player stops', async () => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairDevice(cloud, link);
    const stop = new AbortController();
    const ended = device.openSocket({ hello: helloMessage, onMessage: () => stop.abort() }, stop.signal);
    expect(await ended).toMatchObject({ kind: 'closed', welcomed: true });
  });
});
