/** That a browser's own `EventSource` keeps what a stream of events says of its place. */
import { createServer, request } from 'node:http';
import type { ServerResponse } from 'node:http';
import { chromium } from 'playwright';
import { expect, onTestFinished, test } from 'vitest';
import { ADMIN_KEY, startTestCloud } from '../../packages/cloud/test/support/test-cloud.ts';
import { bundledBrowserCacheDir, unpackBundledBrowser } from '../../src/shells/chromium/bundled-browser.ts';
import { eventually } from '../support/eventually.ts';

/** A page, and the cloud's paths with a key, which an `EventSource` cannot send. */
async function startSite(target: string) {
  const open = new Set<ServerResponse>();
  const lastEventIds: (string | undefined)[] = [];
  let sent = '';
  let isDown = false;
  const server = createServer((asked, response) => {
    if (asked.url === '/') {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Events</title>');
      return;
    }
    if (isDown) {
      response.destroy();
      return;
    }
    lastEventIds.push(asked.headers['last-event-id']?.toString());
    const headers = { ...asked.headers, authorization: `Bearer ${ADMIN_KEY}` };
    const forwarded = request(`${target}${asked.url}`, { headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('data', (chunk: Buffer) => {
        sent += chunk.toString();
        response.write(chunk);
      });
      answer.on('error', () => {});
    });
    forwarded.on('error', () => response.destroy()).end();
    open.add(response);
    response.on('close', () => {
      open.delete(response);
      forwarded.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`,
    /** Of the requests of streams, in their order. */
    lastEventIds,
    /** What the streams have sent to the browser. */
    sent: () => sent,
    /** Ends the streams after what they have sent, and refuses others until `start`. */
    stop() {
      isDown = true;
      open.forEach((response) => response.end());
    },
    start() {
      isDown = false;
    },
  };
}

async function openPage(url: string) {
  const bundled = await unpackBundledBrowser(bundledBrowserCacheDir());
  const browser = await chromium.launch({
    executablePath: bundled.executable,
    args: ['--no-sandbox', '--headless'],
    env: { ...process.env, ...bundled.env },
  });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(url);
  return page;
}

test('an EventSource that is cut before its first event continues where the stream was', async () => {
  const cloud = await startTestCloud();
  onTestFinished(() => cloud.close());
  const create = (name: string) => cloud.admin.post('/v1/playlists', { name, mode: 'sequential', items: [] });
  const cursor = async () => (await cloud.admin.get('/v1/events?cursor=latest')).meta.next_cursor;
  await create('Before');
  const start = await cursor();
  const site = await startSite(cloud.cloud.url);
  const page = await openPage(site.url);
  await page.evaluate(`
    globalThis.names = [];
    globalThis.source = new EventSource('/v1/events?types=playlist.created');
    source.addEventListener('playlist.created', ({ data }) => names.push(JSON.parse(data).data.playlist.name));
    0;
  `);
  await eventually(() => expect(site.sent()).toContain(`id: ${start}\n`));
  site.stop();
  const { data: playlist } = await create('Missed');
  site.start();
  await eventually(async () => expect(await page.evaluate('names')).toEqual(['Missed']));
  expect(site.lastEventIds).toEqual([undefined, start]);

  // What is passed over moves the place as well.
  await cloud.admin.patch(`/v1/playlists/${playlist.id}`, { name: 'Not wanted' });
  const passed = await cursor();
  await eventually(() => {
    cloud.clock.advance(15_000);
    expect(site.sent()).toContain(`id: ${passed}\n`);
  });
  site.stop();
  site.start();
  await eventually(() => expect(site.lastEventIds).toEqual([undefined, start, passed]));
});
