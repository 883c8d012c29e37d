import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter, once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { networkInterfaces } from 'node:os';
import { Agent } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { startFakeCloud } from '../../../test/support/fake-cloud.ts';
import { startLine } from '../../../test/support/line.ts';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { sketchManifest } from '../../../test/support/manifests.ts';
import { hello, openLink, pairWith, SESSION, START } from '../../../test/support/open-link.ts';
import { until } from '../../../test/support/until.ts';

const signal = new AbortController().signal;
const GONE = JSON.stringify({ success: false, error: { code: 'PAIRING_EXPIRED', message: '' } });
function linkTo(server: string) {
  const clock = createManualClock();
  return { clock, link: openLink(server, { clock }) };
}

async function lineToCloud(host?: '::1') {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  const line = await startLine(cloud.url, host);
  onTestFinished(() => line.close());
  return { cloud, line, ...linkTo(line.url) };
}

/** A server on loopback that is no cloud. */
async function serverThat(answers: RequestListener, and?: (server: Server) => void) {
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

/** Settled or not, without waiting for it. */
function watch(promise: Promise<unknown>): { readonly settled: boolean } {
  const state = { settled: false };
  const settle = () => (state.settled = true);
  void promise.then(settle, settle);
  return state;
}

const TIMED_OUT = { code: 'cloud.unreachable', facts: { reason: 'ETIMEDOUT' } };

describe('a socket', () => {
  test('on which nothing is heard for 75 s is taken for dead', async () => {
    const { cloud, line, clock, link } = await lineToCloud();
    const device = await pairWith(cloud, link);
    const heard = new EventEmitter();
    const welcome = once(heard, 'welcome');
    const ended = device.listen({ hello, onMessage: ({ type }) => void heard.emit(type) }, signal);
    const end = watch(ended);
    await welcome;

    // What is heard counts from when it is heard.
    await clock.advance(70_000);
    const changed = once(heard, 'manifest_changed');
    cloud.setManifest(sketchManifest({ playlists: {} }));
    await changed;
    line.die();
    await clock.advance(74_000);
    expect(end.settled).toBe(false);
    await clock.advance(1_000);
    expect(await ended).toEqual({ kind: 'closed', code: 1006, welcomed: true });
  });

  test('that something on the way holds for ever is given up after 15 s', async () => {
    const { server, url } = await serverThat(
      () => {},
      (one) => one.on('upgrade', () => {}),
    );
    const { clock, link } = linkTo(url);
    const asked = once(server, 'upgrade');
    const socket = link.device('token').listen({ hello, onMessage: () => {} }, signal);
    const end = watch(socket);
    await asked;
    await clock.advance(14_000);
    expect(end.settled).toBe(false);
    await clock.advance(1_000);
    await expect(socket).rejects.toMatchObject(TIMED_OUT);
  });

  test('that greets nobody is no socket to a cloud', async () => {
    const sockets = new WebSocketServer({ noServer: true });
    const { server, url } = await serverThat(
      () => {},
      (one) => one.on('upgrade', (...asked) => sockets.handleUpgrade(...asked, () => {})),
    );
    const { clock, link } = linkTo(url);
    const asked = once(server, 'upgrade');
    const socket = link.device('token').listen({ hello, onMessage: () => {} }, signal);
    void watch(socket);
    await asked;
    await clock.advance(15_000);
    await expect(socket).rejects.toMatchObject(TIMED_OUT);
  });

  test.each([400, 403, 404, 407, 426, 502])('that is answered with %i is a fault', async (status) => {
    const { url } = await serverThat((_, response) => response.writeHead(status).end('no sockets here'));
    const socket = linkTo(url)
      .link.device('token')
      .listen({ hello, onMessage: () => {} }, signal);
    await expect(socket).rejects.toMatchObject({ code: 'cloud.refused', facts: { status } });
  });
});

describe('a call', () => {
  test.each<[string, RequestListener]>([
    ['never answered', () => {}],
    [
      'whose answer stops in the middle',
      (_, response) => response.writeHead(200, { 'content-length': 100 }).write('{"success":'),
    ],
  ])('%s is given up after 20 s', async (_, answers) => {
    const { server, url } = await serverThat(answers);
    const { clock, link } = linkTo(url);
    const asked = once(server, 'request');
    const call = link.startPairing(START, signal);
    const end = watch(call);
    await asked;
    await clock.advance(19_000);
    expect(end.settled).toBe(false);
    await clock.advance(1_000);
    await expect(call).rejects.toMatchObject(TIMED_OUT);
  });
});

describe('on a slow line', () => {
  test('what is long has a second more for every 4 KB of it', async () => {
    const { server, url } = await serverThat(() => {});
    const { clock, link } = linkTo(url);
    const hardware = { model: 'x'.repeat(100_000) };
    const asked = once(server, 'request');
    const call = link.startPairing({ ...START, hardware }, signal);
    const end = watch(call);
    await asked;
    await clock.advance(44_000);
    expect(end.settled).toBe(false);
    await clock.advance(1_000);
    await expect(call).rejects.toMatchObject(TIMED_OUT);
  });

  test('a long report is waited for, though connections wait for the head of an answer from its first byte on', async () => {
    const rest = new EventEmitter();
    const { server, url } = await serverThat(({ url: path }, response) => {
      if (path === '/no-report') return;
      rest.once('wanted', () => response.writeHead(410).end(GONE));
    });
    const impatient = new Agent({ headersTimeout: 1 });
    const link = openLink(url, { dispatcher: impatient });
    const asked = once(server, 'request');
    const call = link.pollPairing(SESSION, signal);
    void watch(call);
    await asked;
    // Begun later, and given up: so the time of the one before it is over as well.
    const other = impatient.request({ origin: url, path: '/no-report', method: 'GET' });
    await expect(other).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
    rest.emit('wanted');
    expect(await call).toEqual({ kind: 'expired' });
  });

  test('an answer that keeps coming is waited for', async () => {
    let arrived = 0;
    const count = (message: unknown) => {
      if (typeof message !== 'object' || message === null || !('chunk' in message)) return;
      if (message.chunk instanceof Uint8Array) arrived += message.chunk.length;
    };
    subscribe('undici:request:bodyChunkReceived', count);
    onTestFinished(() => void unsubscribe('undici:request:bodyChunkReceived', count));
    const first = `{"success":true,"data":{"padding":"${'x'.repeat(200_000)}`;
    const rest = new EventEmitter();
    const { url } = await serverThat((_, response) => {
      response.writeHead(200).write(first);
      rest.once('wanted', () => response.end('"}}'));
    });
    const { clock, link } = linkTo(url);
    const call = link.startPairing(START, signal);
    const end = watch(call);
    await until('most of it', () => arrived === first.length);
    await clock.advance(40_000);
    expect(end.settled).toBe(false);
    rest.emit('wanted');
    // It came whole, though there is no code in it.
    await expect(call).rejects.toMatchObject({ code: 'cloud.not_placard' });
  });
});

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === '::1'));

test.skipIf(!hasIpv6)('a cloud with an IPv6 address is called, and holds the socket', async () => {
  const { cloud, line, link } = await lineToCloud('::1');
  expect(new URL(line.url).hostname).toBe('[::1]');
  const device = await pairWith(cloud, link);
  const manifest = sketchManifest({ revision: 'r1', playlists: { pl: ['a'] } });
  cloud.setManifest(manifest);
  expect(await device.manifest(null, signal)).toMatchObject({ kind: 'manifest', manifest });
  const ended = device.listen({ hello, onMessage: () => cloud.dropSockets() }, signal);
  expect(await ended).toEqual({ kind: 'closed', code: 1001, welcomed: true });
});
