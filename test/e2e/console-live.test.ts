import { PROTOCOL_VERSION } from '@placard/protocol';
import type { Page, Request } from 'playwright';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openPlayerSocket } from '../../packages/cloud/test/support/player-socket.ts';
import { findAccessibilityProblems } from './console-looks.ts';
import { startConsoleRig, TIMEOUT_MS } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
beforeAll(async () => {
  rig = await startConsoleRig();
}, TIMEOUT_MS);
afterAll(() => rig.close());

/** Counts the requests of the page for what a screen shows; it asks once a second. */
function countAsked(page: Page): () => number {
  let asked = 0;
  const count = (request: Request) => {
    asked += request.url().endsWith('/screenshot/live') ? 1 : 0;
  };
  page.on('request', count);
  onTestFinished(() => void page.off('request', count));
  return () => asked;
}

/** A screen that sends a picture of another width, or one more line of its log, with each request. */
async function connectScreen(name: string) {
  const { code, takeToken } = await rig.startPairing(`SN-${name}`);
  const { id } = await rig.admin.devices.pair({ code, name });
  const token = await takeToken();
  await rig.sendHeartbeat(token);
  const socket = await openPlayerSocket(rig.url, token);
  onTestFinished(() => socket.close());
  await socket.next();
  socket.send({ type: 'hello', protocol: PROTOCOL_VERSION, player_version: '0.1.0' });
  let sent = 0;
  let written = 3;
  const answerAll = async () => {
    for (;;) {
      const message = await socket.next();
      if (message.type === 'live_request' && message.wanted === 'log_lines') {
        const log = { run: '1', first: written - 2, lines: [`line ${written - 2}`, `line ${written - 1}`] };
        written += 1;
        await rig.report(token, 'live', { kind: 'log_lines', log });
      }
      if (message.type === 'live_request' && message.wanted === 'picture') {
        sent += 1;
        const image = await sharp({
          create: { width: 300 + sent, height: 180, channels: 3, background: 'teal' },
        })
          .jpeg()
          .toBuffer();
        await rig.report(token, 'live', { kind: 'picture', image: image.toString('base64') });
      }
    }
  };
  void answerAll().catch(() => {});
  return { id, socket };
}

test('a screen is watched live until nobody has clicked for five minutes, and on request for longer', async () => {
  const screen = await connectScreen('Live');
  const { page, complaints } = await rig.openAs('Editor', '/devices', { locale: 'en-US' });
  const asked = countAsked(page);
  await page.clock.install();
  await page.goto(`${rig.url}/devices/${screen.id}`);
  await page.getByRole('button', { name: 'Live', exact: true }).click();
  const picture = page.getByAltText('What the screen shows now');
  const width = () =>
    picture.evaluate((element) => ('naturalWidth' in element ? Number(element.naturalWidth) : 0));
  await picture.waitFor();
  await expect.poll(width).toBeGreaterThan(302);
  expect(await findAccessibilityProblems(page)).toEqual([]);

  await page.clock.fastForward('05:00');
  const again = page.getByRole('button', { name: 'Still watching?' });
  await again.waitFor();
  const before = asked();
  expect(before).toBeGreaterThan(2);
  await page.clock.fastForward(10_000);
  expect(asked()).toBe(before);
  await again.click();
  await expect.poll(asked).toBeGreaterThan(before + 1);

  // Who goes to another page no longer asks.
  await page.getByRole('link', { name: 'Devices' }).first().click();
  await page.waitForURL(/\/devices$/);
  await picture.waitFor({ state: 'detached' });
  const left = asked();
  await page.clock.fastForward(10_000);
  await page.getByRole('link', { name: 'Live', exact: true }).waitFor();
  expect(asked()).toBe(left);
  expect(complaints).toEqual([]);
});

test('a screen that cannot be watched says why, and offers to try again', async () => {
  const screen = await connectScreen('Gone');
  const { page } = await rig.openAs('Editor', `/devices/${screen.id}`);
  screen.socket.close();
  await screen.socket.closed;
  await page.getByRole('button', { name: 'Live', exact: true }).click();
  await page.getByText('The screen has no permanent connection now').waitFor();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.getByRole('button', { name: 'Live', exact: true }).waitFor();

  await rig.admin.devices.update(screen.id, { configuration: { screenshots_allowed: false } });
  await page.getByText('The settings of this screen allow no pictures.').waitFor();
  expect(await page.getByRole('button', { name: 'Live', exact: true }).count()).toBe(0);
});

test('who follows the log sees what is added to it', async () => {
  const screen = await connectScreen('Logs');
  const { page, complaints } = await rig.openAs('Editor', `/devices/${screen.id}`);
  await page.getByRole('button', { name: 'Follow the log' }).click();
  const lines = page.getByLabel('Newest lines of the log');
  const shown = async () => ((await lines.textContent()) ?? '').split('\n');
  await expect.poll(async () => (await shown()).length).toBeGreaterThan(3);
  const all = await shown();
  expect(all, 'without a gap, each once').toEqual(all.map((_, index) => `line ${index + 1}`));
  expect(await findAccessibilityProblems(page)).toEqual([]);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('button', { name: 'Follow the log' }).waitFor();
  expect(complaints).toEqual([]);
});

test('a Viewer sees no button to watch a screen', async () => {
  const screen = await connectScreen('Seen');
  const { page } = await rig.openAs('Viewer', `/devices/${screen.id}`);
  await page.getByText('Nobody has taken a picture yet.').waitFor();
  expect(await page.getByRole('button', { name: 'Live', exact: true }).count()).toBe(0);
});
