import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { hashPin } from '../adapters/pin/pin.ts';
import { startFakeCloud } from '../../test/support/fake-cloud.ts';
import type { FakeCloud, RouteHandler } from '../../test/support/fake-cloud.ts';
import { createFakeShell } from '../../test/support/fake-shell.ts';
import { fetchLogs } from '../../test/support/fetch-logs.ts';
import { buildManifest } from '../../test/support/manifests.ts';
import { startProxy } from '../../test/support/proxy.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

// Real processes on a busy machine, which wait before they try again.
vi.setConfig({ testTimeout: 300_000 });

const PIN = '47110815';
const WRONG_PIN = '11114711';
const PROXY = { user: 'shop-of-the-proxy', password: 'opensesame-1' };
const FEED = { user: 'shop-of-the-feed', password: 'openbarley-2' };

/** Follows the log from afar: the newest lines. */
async function fetchLiveLines(cloud: FakeCloud): Promise<string> {
  const { liveAnswers } = cloud.received;
  const count = liveAnswers.length;
  await waitUntil('a socket', () => cloud.socketCount > 0);
  cloud.broadcast({ type: 'live_request', wanted: 'log_lines' });
  const answer = await waitUntil('the lines', () => liveAnswers[count]);
  return answer.kind === 'log_lines' ? answer.log.lines.join('\n') : '';
}

test('whatever fails, no secret is in the logs that support gets', async () => {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  let isRefusing = true;
  const proxy = await startProxy({
    credentials: `${PROXY.user}:${PROXY.password}`,
    refuses: () => isRefusing,
  });
  const pinHash = await hashPin(PIN);
  const manifest = buildManifest({ revision: 'r1', playlists: {} });
  cloud.setManifest({ ...manifest, device: { ...manifest.device, menu_pin_hash: pinHash } });
  const dataDir = join(tempDir(), 'player');
  const shell = createFakeShell({
    // Only the proxy can resolve this name.
    server: cloud.url.replace('127.0.0.1', 'cloud.invalid'),
    dataDir,
    env: {
      http_proxy: `http://${PROXY.user}:${PROXY.password}@127.0.0.1:${proxy.port}`,
      no_proxy: '',
      NO_PROXY: '',
      PLACARD_UPDATE_FEED: `http://${FEED.user}:${FEED.password}@127.0.0.1:${proxy.port}/feed.json`,
      PLACARD_LOG_FILE: join(dataDir, 'logs', 'runtime.log'),
      PLACARD_LOG_LEVEL: 'debug',
    },
  });
  onTestFinished(() => shell.dispose());
  const logged = (event: string, from = 0) =>
    waitUntil(event, () => shell.logLines.slice(from).find((line) => line.includes(`"msg":"${event}"`)));
  /** What the player has sent, and found again in the code of an error, which it logs. */
  const returned: string[] = [];
  const answerWithSecret = async (request: IncomingMessage, response: ServerResponse) => {
    const inBody = /"(?:screen_secret|poll_token)":"([^"]+)"/.exec(await text(request))?.[1];
    const code = inBody ?? request.headers.authorization ?? '';
    returned.push(code);
    const error = { success: false, error: { code, message: code } };
    response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(error));
  };
  const returnSecret: RouteHandler = (request, response) => void answerWithSecret(request, response);

  await shell.start();
  await logged('pairing.failed');
  cloud.handleRoute('/v1/player/pairing', returnSecret);
  isRefusing = false;
  const screenSecret = await waitUntil('a refused code', () => returned.at(-1));
  cloud.handleRoute('/v1/player/pairing', null);
  cloud.handleRoute('/v1/player/pairing/pair_1/token', returnSecret);
  const pollToken = await waitUntil('a refused poll', () => returned.find((each) => each !== screenSecret));
  cloud.handleRoute('/v1/player/pairing/pair_1/token', null);
  cloud.handleRoute('/v1/player/heartbeats', returnSecret);
  cloud.confirmPairing();
  const header = await waitUntil('a refused heartbeat', () =>
    returned.find((each) => each.startsWith('Bearer ')),
  );
  cloud.handleRoute('/v1/player/heartbeats', null);
  await logged('heartbeat.send_failed');

  await logged('manifest.applied');
  expect(await shell.stage.requestMenu({ kind: 'unlock', pin: WRONG_PIN })).toMatchObject({
    reason: 'pin_wrong',
  });
  expect(await shell.stage.requestMenu({ kind: 'unlock', pin: PIN })).toEqual({ kind: 'unlocked' });
  const { port } = shell.receivedMessages.find((message) => message.type === 'ready') ?? { port: 0 };
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(401);
  const channel = new WebSocket(`ws://127.0.0.1:${port}/channel?session=${shell.session}`);
  channel.on('error', () => {});
  await logged('stage.channel_rejected');
  shell.child?.send({ type: 'start', session: shell.session });
  await logged('shell.message_rejected');
  const live = [await fetchLiveLines(cloud)];

  await shell.kill();
  isRefusing = true;
  const earlierLines = shell.logLines.length;
  await shell.start();
  await logged('socket.open_failed', earlierLines);
  isRefusing = false;
  const files = await fetchLogs(cloud);
  live.push(await fetchLiveLines(cloud));

  const stored = readFileSync(join(dataDir, 'screen-secret.json'), 'utf8');
  expect(stored).toContain(screenSecret);
  expect(readFileSync(join(dataDir, 'identity.json'), 'utf8')).toContain(header.slice('Bearer '.length));
  const texts = { ...Object.fromEntries(files), live: live.join('\n'), printed: shell.logLines.join('\n') };
  const secrets = {
    screenSecret,
    pollToken,
    deviceToken: header.slice('Bearer '.length),
    session: shell.session,
    pin: PIN,
    wrongPin: WRONG_PIN,
    pinHash,
    proxyUser: PROXY.user,
    proxyPassword: PROXY.password,
    proxyLogin: Buffer.from(`${PROXY.user}:${PROXY.password}`).toString('base64'),
    feedUser: FEED.user,
    feedPassword: FEED.password,
  };
  const found = Object.entries(texts).flatMap(([place, content]) =>
    Object.entries(secrets).flatMap(([name, secret]) => (content.includes(secret) ? [{ place, name }] : [])),
  );
  expect(found).toEqual([]);
  // The lines that had them are there.
  for (const name of ['screen secret', 'poll token', 'device token', 'session']) {
    expect(files.get('runtime-earlier.log'), name).toContain(`[${name}]`);
  }
  expect(texts.live).toContain('[session]');
  expect(files.get('runtime.log')).toContain('the proxy answered 407');
});
