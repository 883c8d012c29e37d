import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startFakeCloud, type FakeCloud, type Script } from '../../../test/support/fake-cloud.ts';
import { fromTheFuture } from '../../../test/support/future-manifest.ts';
import { sketchManifest } from '../../../test/support/manifests.ts';
import { hello, openLink, pairWith, SESSION, START } from '../../../test/support/open-link.ts';

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

const html: Script = (_request, response) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Log in to our Wi-Fi</html>');
function linkTo(server: string) {
  const times: [number, number][] = [];
  const link = openLink(server, {
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
  test('gives a code, then a token once somebody has confirmed it', async () => {
    const { cloud, link } = await cloudAndLink();
    expect(await link.startPairing(START, signal)).toMatchObject({ code: 'BCD-FGH', interval: 1 });
    expect(await link.pollPairing(SESSION, signal)).toEqual({ kind: 'pending', intervalMs: 1_000 });
    cloud.confirm();
    expect(await link.pollPairing(SESSION, signal)).toMatchObject({
      kind: 'paired',
      identity: { deviceId: 'dev_1' },
    });
  });

  test.each([
    [410, 'PAIRING_EXPIRED', { kind: 'expired' }],
    [404, 'PAIRING_CODE_NOT_FOUND', { kind: 'expired' }],
    [429, 'RATE_LIMITED', { kind: 'slow_down', afterMs: 9_000 }],
  ])('an answer of %i to a poll is an expected one', async (status, code, expected) => {
    const { cloud, link } = await cloudAndLink();
    cloud.script('/v1/player/pairing/', (_request, response) => {
      response
        .writeHead(status, { 'retry-after': '9' })
        .end(JSON.stringify({ success: false, error: { code, message: '' } }));
    });
    expect(await link.pollPairing(SESSION, signal)).toEqual(expected);
  });
});

test('a poll is never asked for without a pause', async () => {
  const { cloud, link } = await cloudAndLink();
  cloud.script('/v1/player/pairing/', (_request, response) => {
    response.writeHead(202).end('{"success":true,"data":{"status":"pending","interval":0}}');
  });
  expect(await link.pollPairing(SESSION, signal)).toEqual({ kind: 'pending', intervalMs: 1_000 });
});

describe('what is no answer of a Placard cloud', () => {
  const junk: [string, Script, object][] = [
    ['a log-in page', html, { code: 'cloud.not_placard' }],
    [
      'a log-in page with 401',
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
      'half a body',
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
      'an error of a proxy',
      (_request, response) => response.writeHead(502).end('bad gateway'),
      { code: 'cloud.unreachable' },
    ],
    [
      'a call to slow down',
      (_request, response) => response.writeHead(429, { 'retry-after': '30' }).end('slow'),
      { code: 'cloud.busy', retry: { afterMs: 30_000 } },
    ],
    [
      'a call to slow down by nothing',
      (_request, response) => response.writeHead(503, { 'retry-after': '0' }).end(),
      { code: 'cloud.unreachable', retry: { afterMs: 5_000 } },
    ],
    [
      'a redirect',
      (_request, response) => response.writeHead(302, { location: '/login' }).end(),
      { code: 'cloud.not_placard' },
    ],
  ];

  test.each(junk)('%s is a fault and unpairs nobody', async (_name, script, fault) => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairWith(cloud, link);
    cloud.script('/v1/player/', script);
    await expect(device.manifest(null, signal)).rejects.toMatchObject(fault);
    await expect(device.heartbeat({ samples: [], state: STATE }, signal)).rejects.toMatchObject(fault);
    await expect(device.plays([], signal)).rejects.toMatchObject(fault);
    await expect(link.startPairing(START, signal)).rejects.toMatchObject(fault);
  });

  test('nobody there is a fault that says so', async () => {
    const cloud = await startFakeCloud();
    const { link } = linkTo(cloud.url);
    await cloud.stop();
    await expect(link.startPairing(START, signal)).rejects.toMatchObject({
      code: 'cloud.unreachable',
      facts: { reason: 'ECONNREFUSED' },
    });
    const nowhere = linkTo('http://no-such-host.invalid');
    await expect(nowhere.link.startPairing(START, signal)).rejects.toMatchObject({
      code: 'cloud.unreachable',
    });
  });

  test('a server without TLS behind an https address is a TLS fault', async () => {
    const cloud = await startFakeCloud();
    onTestFinished(() => cloud.stop());
    const { link } = linkTo(cloud.url.replace('http:', 'https:'));
    await expect(link.startPairing(START, signal)).rejects.toMatchObject({ code: 'cloud.tls' });
  });
});

const refuseWith = (cloud: FakeCloud, status: number, code: string) =>
  cloud.script('/v1/player/', (_request, response) => {
    response.writeHead(status).end(JSON.stringify({ success: false, error: { code, message: '' } }));
  });

describe('a paired device', () => {
  test('fetches the manifest once, and again only when it has changed', async () => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairWith(cloud, link);
    const manifest = sketchManifest({ revision: 'r1', playlists: { pl: ['a'] } });
    cloud.setManifest(manifest);
    expect(await device.manifest(null, signal)).toEqual({
      kind: 'manifest',
      manifest: { ...manifest, passed_over: [] },
    });
    expect(await device.manifest('r1', signal)).toEqual({ kind: 'unchanged' });
    expect(await device.manifest('r0', signal)).toMatchObject({ kind: 'manifest' });
  });

  test('learns the time from every answer, as far as it can be known', async () => {
    const { cloud, link, times } = await cloudAndLink();
    const device = await pairWith(cloud, link);
    await device.heartbeat({ samples: [], state: STATE }, signal);
    const [serverMs, roundTripMs] = times.at(-1)!;
    expect(Math.abs(serverMs - Date.now())).toBeLessThan(5_000);
    expect(roundTripMs).toBeLessThan(5_000);
  });

  test('is unpaired by 401 DEVICE_UNPAIRED, whatever it asks', async () => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairWith(cloud, link);
    cloud.unpair();
    expect(await device.manifest(null, signal)).toEqual({ kind: 'unpaired' });
    expect(await device.heartbeat({ samples: [], state: STATE }, signal)).toEqual({ kind: 'unpaired' });
    expect(await device.plays([], signal)).toEqual({ kind: 'unpaired' });
    expect(await device.commandStatus('cmd_1', { status: 'acknowledged' }, signal)).toEqual({
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
  ])('is told that what it reports is refused for good: %i %s', async (status, code) => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairWith(cloud, link);
    refuseWith(cloud, status, code);
    const refused = { kind: 'refused', status, code };
    expect(await device.commandStatus('cmd_1', { status: 'succeeded' }, signal)).toEqual(refused);
    expect(await device.plays([], signal)).toEqual(refused);
  });

  test.each([
    [401, 'UNAUTHORIZED', 'cloud.refused'],
    [403, 'FORBIDDEN', 'cloud.refused'],
    [408, 'TIMEOUT', 'cloud.refused'],
    [425, 'TOO_EARLY', 'cloud.refused'],
    [429, 'RATE_LIMITED', 'cloud.busy'],
    [500, 'INTERNAL_ERROR', 'cloud.unreachable'],
    [503, 'UNAVAILABLE', 'cloud.busy'],
  ])('has to tell again later what is refused for now: %i %s', async (status, code, fault) => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairWith(cloud, link);
    refuseWith(cloud, status, code);
    const rejected = { code: fault, facts: { status } };
    const told = device.commandStatus('cmd_1', { status: 'succeeded' }, signal);
    await expect(told).rejects.toMatchObject(rejected);
    await expect(device.plays([], signal)).rejects.toMatchObject(rejected);
  });
});

describe('a newer cloud', () => {
  test('sends a manifest with what nobody here knows: the rest is taken, and that is told', async () => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairWith(cloud, link);
    const sketch = sketchManifest({ playlists: { pl: ['a'] } });
    cloud.script('/v1/player/manifest', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ success: true, data: fromTheFuture(sketch) }));
    });
    const answer = await device.manifest(null, signal);
    expect(answer).toMatchObject({ kind: 'manifest', manifest: { revision: sketch.revision } });
    expect(JSON.stringify(answer)).toContain('by_weather');
  });

  test('has commands that nobody here knows, or that are none, among those of a heartbeat', async () => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairWith(cloud, link);
    const expires_at = '2026-11-20T12:00:00.000Z';
    cloud.script('/v1/player/heartbeats', (_request, response) => {
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
    expect(await device.heartbeat(beat, signal)).toMatchObject({
      kind: 'ok',
      answer: {
        commands: [
          { id: 'cmd_1', command: 'SELF_CLEAN' },
          { id: 'cmd_2', command: 'REFRESH' },
        ],
      },
    });
  });

  test('says things over the socket that nobody here knows: they are told by their type', async () => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairWith(cloud, link);
    const unknown: string[] = [];
    await device.listen(
      {
        hello,
        onMessage(message) {
          if (message.type === 'welcome') cloud.say({ type: 'screenshot_wanted', quality: 80 });
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
  test('is greeted by the server, answers, and hears what changes', async () => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairWith(cloud, link);
    const heard: string[] = [];
    const ended = device.listen(
      {
        hello,
        onMessage(message) {
          heard.push(message.type);
          if (message.type === 'welcome') cloud.setManifest(sketchManifest({ playlists: {} }));
          if (message.type === 'manifest_changed') cloud.dropSockets();
        },
      },
      signal,
    );
    expect(await ended).toEqual({ kind: 'closed', code: 1001, welcomed: true });
    expect(heard).toEqual(['welcome', 'manifest_changed']);
    expect(cloud.seen.hellos).toEqual([hello()]);
  });

  test('tells the one close that unpairs from all others', async () => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairWith(cloud, link);
    const ended = device.listen({ hello, onMessage: () => cloud.unpair() }, signal);
    expect(await ended).toEqual({ kind: 'unpaired' });
  });

  test('that is refused is a fault and unpairs nobody', async () => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairWith(cloud, link);
    cloud.script('/v1/player/socket', () => {});
    const socket = device.listen({ hello, onMessage: () => {} }, signal);
    await expect(socket).rejects.toMatchObject({ code: 'cloud.refused', facts: { status: 403 } });
    cloud.script('/v1/player/socket', null);
    const stranger = link.device('not a token').listen({ hello, onMessage: () => {} }, signal);
    await expect(stranger).rejects.toMatchObject({ code: 'cloud.refused', facts: { status: 401 } });
  });

  test('that a proxy answers with a page is a fault', async () => {
    const proxy = createServer((_request, response) => response.end('<html></html>'));
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void proxy.close());
    const address = proxy.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { link } = linkTo(`http://127.0.0.1:${port}`);
    const socket = link.device('token').listen({ hello, onMessage: () => {} }, signal);
    await expect(socket).rejects.toMatchObject({ code: 'cloud.refused' });
  });

  test('ends when the player stops', async () => {
    const { cloud, link } = await cloudAndLink();
    const device = await pairWith(cloud, link);
    const stop = new AbortController();
    const ended = device.listen({ hello, onMessage: () => stop.abort() }, stop.signal);
    expect(await ended).toMatchObject({ kind: 'closed', welcomed: true });
  });
});
