import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { networkInterfaces } from 'node:os';
import { Agent } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { startFakeCloud } from '../../../test/support/fake-cloud.ts';
import { startFreezableProxy } from '../../../test/support/freezable-proxy.ts';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { buildManifest } from '../../../test/support/manifests.ts';
import {
  helloMessage,
  openCloudLink,
  pairDevice,
  PAIRING_SESSION,
  PAIRING_REQUEST,
} from '../../../test/support/open-cloud-link.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';

const signal = new AbortController().signal;
const GONE = JSON.stringify({ success: false, error: { code: 'PAIRING_EXPIRED', message: '' } });
function linkTo(server: string) {
  const clock = createManualClock();
  return { clock, link: openCloudLink(server, { clock }) };
}

async function lineToCloud(host?: '::1') {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  const line = await startFreezableProxy(cloud.url, host);
  onTestFinished(() => line.close());
  return { cloud, line, ...linkTo(line.url) };
}

/** A loopback server that is not a cloud. */
async function startServer(answers: RequestListener, and?: (server: Server) => void) {
  const server = createServer(answers);
  and?.(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { server, url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}` };
}

/** Reports whether the promise has settled, without waiting for it. */
function trackSettled(promise: Promise<unknown>): { readonly settled: boolean } {
  const state = { settled: false };
  const settle = () => (state.settled = true);
  void promise.then(settle, settle);
  return state;
}

const TIMED_OUT = { code: 'cloud.unreachable', details: { reason: 'ETIMEDOUT' } };

describe('a socket', () => {
  test('is closed as dead after 75 s without a message', async () => {
    const { cloud, line, clock, link } = await lineToCloud();
    const device = await pairDevice(cloud, link);
    const heard = new EventEmitter();
    const welcome = once(heard, 'welcome');
    const ended = device.openSocket(
      { hello: helloMessage, onMessage: ({ type }) => void heard.emit(type) },
      signal,
    );
    const end = trackSettled(ended);
    await welcome;

    // Each message restarts the timeout.
    await clock.advance(70_000);
    const changed = once(heard, 'manifest_changed');
    cloud.setManifest(buildManifest({ playlists: {} }));
    await changed;
    line.freeze();
    await clock.advance(74_000);
    expect(end.settled).toBe(false);
    await clock.advance(1_000);
    expect(await ended).toEqual({ kind: 'closed', code: 1006, welcomed: true, retryAfterMs: null });
  });

  test('is given up after 15 s when a proxy holds the upgrade', async () => {
    const { server, url } = await startServer(
      () => {},
      (one) => one.on('upgrade', () => {}),
    );
    const { clock, link } = linkTo(url);
    const asked = once(server, 'upgrade');
    const socket = link
      .createDeviceLink('token')
      .openSocket({ hello: helloMessage, onMessage: () => {} }, signal);
    const end = trackSettled(socket);
    await asked;
    await clock.advance(14_000);
    expect(end.settled).toBe(false);
    await clock.advance(1_000);
    await expect(socket).rejects.toMatchObject(TIMED_OUT);
  });

  test('is given up when no welcome arrives', async () => {
    const sockets = new WebSocketServer({ noServer: true });
    const { server, url } = await startServer(
      () => {},
      (one) => one.on('upgrade', (...asked) => sockets.handleUpgrade(...asked, () => {})),
    );
    const { clock, link } = linkTo(url);
    const asked = once(server, 'upgrade');
    const socket = link
      .createDeviceLink('token')
      .openSocket({ hello: helloMessage, onMessage: () => {} }, signal);
    void trackSettled(socket);
    await asked;
    await clock.advance(15_000);
    await expect(socket).rejects.toMatchObject(TIMED_OUT);
  });

  test.each([400, 403, 404, 407, 426, 502])(
    'is a fault when the upgrade is answered with %i',
    async (status) => {
      const { url } = await startServer((_, response) => response.writeHead(status).end('no sockets here'));
      const socket = linkTo(url)
        .link.createDeviceLink('token')
        .openSocket({ hello: helloMessage, onMessage: () => {} }, signal);
      await expect(socket).rejects.toMatchObject({ code: 'cloud.refused', details: { status } });
    },
  );
});

describe('a call', () => {
  test.each<[string, RequestListener]>([
    ['never answered', () => {}],
    [
      'whose response stops in the middle',
      (_, response) => response.writeHead(200, { 'content-length': 100 }).write('{"success":'),
    ],
  ])('%s is given up after 20 s', async (_, answers) => {
    const { server, url } = await startServer(answers);
    const { clock, link } = linkTo(url);
    const asked = once(server, 'request');
    const call = link.startPairing(PAIRING_REQUEST, signal);
    const end = trackSettled(call);
    await asked;
    await clock.advance(19_000);
    expect(end.settled).toBe(false);
    await clock.advance(1_000);
    await expect(call).rejects.toMatchObject(TIMED_OUT);
  });
});

describe('on a slow connection', () => {
  test('a long body gets one more second for every 4 KB', async () => {
    const { server, url } = await startServer(() => {});
    const { clock, link } = linkTo(url);
    const hardware = { model: 'x'.repeat(100_000) };
    const asked = once(server, 'request');
    const call = link.startPairing({ ...PAIRING_REQUEST, hardware }, signal);
    const end = trackSettled(call);
    await asked;
    await clock.advance(44_000);
    expect(end.settled).toBe(false);
    await clock.advance(1_000);
    await expect(call).rejects.toMatchObject(TIMED_OUT);
  });

  test('a long report may take longer than the headers timeout, which counts from its first byte', async () => {
    const rest = new EventEmitter();
    const { server, url } = await startServer(({ url: path }, response) => {
      if (path === '/no-report') {
        return;
      }
      rest.once('wanted', () => response.writeHead(410).end(GONE));
    });
    const impatient = new Agent({ headersTimeout: 1 });
    const link = openCloudLink(url, { dispatcher: impatient });
    const asked = once(server, 'request');
    const call = link.pollPairing(PAIRING_SESSION, signal);
    void trackSettled(call);
    await asked;
    // Started later and timed out, so the timeout of the earlier request is over as well.
    const other = impatient.request({ origin: url, path: '/no-report', method: 'GET' });
    await expect(other).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
    rest.emit('wanted');
    expect(await call).toEqual({ kind: 'expired' });
  });

  test('waits for a response that keeps arriving', async () => {
    let arrived = 0;
    const count = (message: unknown) => {
      if (typeof message !== 'object' || message === null || !('chunk' in message)) {
        return;
      }
      if (message.chunk instanceof Uint8Array) {
        arrived += message.chunk.length;
      }
    };
    subscribe('undici:request:bodyChunkReceived', count);
    onTestFinished(() => void unsubscribe('undici:request:bodyChunkReceived', count));
    const first = `{"success":true,"data":{"padding":"${'x'.repeat(200_000)}`;
    const rest = new EventEmitter();
    const { url } = await startServer((_, response) => {
      response.writeHead(200).write(first);
      rest.once('wanted', () => response.end('"}}'));
    });
    const { clock, link } = linkTo(url);
    const call = link.startPairing(PAIRING_REQUEST, signal);
    const end = trackSettled(call);
    await waitUntil('most of it', () => arrived === first.length);
    await clock.advance(40_000);
    expect(end.settled).toBe(false);
    rest.emit('wanted');
    // The body arrived whole, but it contains no pairing code.
    await expect(call).rejects.toMatchObject({ code: 'cloud.not_placard' });
  });
});

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === '::1'));

test.skipIf(!hasIpv6)('reaches a cloud with an IPv6 address by request and by socket', async () => {
  const { cloud, line, link } = await lineToCloud('::1');
  expect(new URL(line.url).hostname).toBe('[::1]');
  const device = await pairDevice(cloud, link);
  const manifest = buildManifest({ revision: 'r1', playlists: { pl: ['a'] } });
  cloud.setManifest(manifest);
  expect(await device.fetchManifest(null, signal)).toMatchObject({ kind: 'manifest', manifest });
  const ended = device.openSocket({ hello: helloMessage, onMessage: () => cloud.dropSockets() }, signal);
  expect(await ended).toEqual({ kind: 'closed', code: 1001, welcomed: true, retryAfterMs: null });
});
