import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startCloud } from '@placard/cloud';
import { chromium } from 'playwright';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createCloudApi } from '../../scripts/start/cloud-api.ts';
import type { CloudApi } from '../../scripts/start/cloud-api.ts';
import { fromRuntimeMessage } from '../../src/runtime/shell-messages.ts';
import type { FromRuntimeMessage } from '../../src/runtime/shell-messages.ts';
import { bundledBrowserCacheDir, unpackBundledBrowser } from '../../src/shells/chromium/bundled-browser.ts';
import { waitUntil } from '../support/wait-until.ts';

const RUNTIME = new URL('../../src/runtime/main.ts', import.meta.url);
const TIMEOUT_MS = 60_000;
const withId = z.object({ id: z.string() });

/** With a real cloud, runtime and page; the tests of this file depend on each other and run in order. */
describe('a technician at a screen', () => {
  let folder: string;
  let cloud: Awaited<ReturnType<typeof startCloud>>;
  let api: CloudApi;
  let runtime: ChildProcess;
  let browser: Browser;
  let page: Page;
  let deviceId: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'placard-menu-'));
    cloud = await startCloud({
      port: 0,
      host: '127.0.0.1',
      dataDir: join(folder, 'cloud'),
      logLevel: 'silent',
    });
    api = createCloudApi(cloud.url, cloud.adminKey ?? '');

    runtime = fork(RUNTIME, {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Commands must not reboot this machine.
      env: { ...process.env, PLACARD_DRY_RUN: '1' },
    });
    const runtimeMessages: FromRuntimeMessage[] = [];
    runtime.on('message', (message) => {
      const known = fromRuntimeMessage.safeParse(message);
      if (known.success) {
        runtimeMessages.push(known.data);
      }
    });
    runtime.send({
      type: 'start',
      config: {
        server: cloud.url,
        dataDir: join(folder, 'player'),
        rendererDir: resolve('dist/renderer'),
        shell: 'headless',
      },
      port: 0,
      session: randomBytes(24).toString('base64url'),
    });
    await waitUntil('the runtime', () => runtimeMessages.some(({ type }) => type === 'ready'), TIMEOUT_MS);
    runtime.send({ type: 'page_wanted' });
    const { url } = await waitUntil('the address of the page', () =>
      runtimeMessages.find((one) => one.type === 'page'),
    );

    const bundled = await unpackBundledBrowser(bundledBrowserCacheDir());
    browser = await chromium.launch({
      executablePath: bundled.executable,
      args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required'],
      env: { ...process.env, ...bundled.env },
    });
    page = await browser.newPage({ locale: 'en-US', viewport: { width: 1280, height: 720 } });
    page.setDefaultTimeout(TIMEOUT_MS);
    await page.goto(url);
  });

  afterAll(async () => {
    await browser?.close();
    const ended = new Promise((end) => runtime.once('exit', end));
    if (runtime.exitCode === null) {
      runtime.send({ type: 'stop' });
      await ended;
    }
    await cloud?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const menu = () => page.locator('#menu');
  const named = (name: string) => menu().getByRole('button', { name, exact: true });
  const shownCode = () => page.locator('.code:visible').getAttribute('aria-label');

  async function openMenu(content: string): Promise<void> {
    await page.keyboard.press('Control+Alt+Shift+S');
    await menu().locator(content).first().waitFor();
  }

  async function closeMenu(): Promise<void> {
    while (await menu().isVisible()) {
      await page.keyboard.press('Escape');
    }
  }

  test('sees every connectivity step succeed, and may do everything before pairing', async () => {
    await page.locator('.code').waitFor();
    await waitUntil(
      'the chain',
      async () => (await page.locator('#overlay .connectivity-step.ok').count()) === 6,
    );
    await openMenu('.menu-tile');
    expect(await menu().locator('.menu-tile:disabled').count()).toBe(0);
    await named('Network test').click();
    await menu().getByText('The connection to the server works.').waitFor();
    await closeMenu();
  });

  test('pairs it, and has read-only access while no PIN is set', async () => {
    const asset = await api.upload(withId, resolve('test/media/sample-morning-1920x1080.jpg'), 'menu');
    const playlist = await api.post(withId, '/v1/playlists', {
      name: 'Mornings',
      mode: 'sequential',
      items: [{ content_id: asset.id, duration: 3_600 }],
    });
    ({ id: deviceId } = await api.post(withId, '/v1/devices/pair', {
      code: await shownCode(),
      name: 'Shop window',
    }));
    await api.post(withId, `/v1/playlists/${playlist.id}/deploy`, {
      targets: [{ type: 'device', id: deviceId }],
    });
    await page.locator('#overlay').waitFor({ state: 'hidden' });
    await openMenu('.menu-tile');
    await menu().getByText('No PIN is set for this screen').waitFor();
    expect(await named('Reboot device').isDisabled()).toBe(true);
    await named('Now playing').click();
    await menu().getByText('Mornings').waitFor();
    expect(await menu().innerText()).toContain(asset.id);
    await closeMenu();
  });

  test('is asked for the PIN once the cloud has set one, in the language of the device', async () => {
    await api.patch(`/v1/devices/${deviceId}`, { configuration: { menu_pin: '471100', language: 'de' } });
    await waitUntil(
      'the language',
      async () => (await page.evaluate('document.documentElement.lang')) === 'de',
      TIMEOUT_MS,
    );
    await openMenu('.pin-pad');
    await page.keyboard.type('471101');
    await page.keyboard.press('Enter');
    await menu().getByText('Falsche PIN.').waitFor();
    await page.keyboard.type('471100');
    await page.keyboard.press('Enter');
    await named('Ausrichtung').click();
    await named('Hochformat').click();
    await page.locator('#frame[data-orientation=portrait]').waitFor();
    await named('Wie in der Cloud').click();
    await page.locator('#frame[data-orientation=landscape]').waitFor();
    await page.keyboard.press('Escape');
    await named('Logs speichern').click();
    await named('Speichern').click();
    const place = await menu().locator('.menu-outcome p').nth(1).innerText();
    expect(place.startsWith(folder)).toBe(true);
    expect(existsSync(place)).toBe(true);
    await closeMenu();
  });

  test('removes its pairing, and sees a new code', async () => {
    await openMenu('.pin-pad');
    await page.keyboard.type('471100');
    await page.keyboard.press('Enter');
    await named('Neu koppeln').click();
    await named('Aufheben').click();
    await menu().waitFor({ state: 'hidden' });
    await page.locator('.code').waitFor();
    expect(await shownCode()).toMatch(/^[A-Z]{3}-[A-Z]{3}$/);
    // Unpaired, it uses the language of its system again.
    await page.getByText('Pair this screen').waitFor();
  });
});
