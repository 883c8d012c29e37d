/**
 * `node test/screenshots/readme.ts`: draws the pictures of the README again into `docs/images`, after `npm run build:page`. The
 * Japanese one needs a Japanese font on this machine (`fonts-noto-cjk`).
 */
import { resolve } from 'node:path';
import sharp from 'sharp';
import { RESPONSES, startFakeMenuRuntime } from '../e2e/fake-menu-runtime.ts';
import { configure, SCREEN_INFO, PAIRING, connectivityStepsUpTo } from '../e2e/screen-fixtures.ts';
import type { PairingScreen } from '../e2e/screen-fixtures.ts';
import { imageShowing, startStageRig } from '../e2e/stage-rig.ts';
import { waitUntil } from '../support/wait-until.ts';

const FOLDER = resolve('docs/images');
const SHORTER_SIDE = 720;

/** A typical shop; the fixtures of the tests are extreme cases instead. */
const pairing: PairingScreen = {
  ...PAIRING,
  code: 'KLP-RTZ',
  verification_url: 'https://signage.example.com/pair',
  verification_url_complete: 'https://signage.example.com/pair?code=KLPRTZ',
  info: {
    ...SCREEN_INFO,
    server: 'https://signage.example.com',
    serial: '10000000f0a3c1d2',
    timezone: 'Europe/Berlin',
    interfaces: [
      {
        name: 'wlan0',
        kind: 'wireless',
        addresses: ['192.168.1.42'],
        mac: 'dc:a6:32:12:34:57',
        ssid: 'Shop',
      },
    ],
  },
};

const rig = await startStageRig({ width: 1920, height: 1080 });
const runtime = startFakeMenuRuntime(rig);
const { page } = rig;
try {
  await page.setViewportSize({ width: 1920, height: 1080 });
  rig.send(configure());
  await showPairing(pairing);
  await save('pairing');
  await showPairing({ ...pairing, steps: connectivityStepsUpTo('dns', 'name_not_found') });
  await page.locator('.problem').waitFor();
  await save('pairing-advice');

  rig.send(configure({ language: 'ja' }));
  rig.send({
    type: 'screen',
    screen: {
      kind: 'idle',
      device_name: '渋谷店 正面入口',
      allows_screenshots: true,
      info: { ...pairing.info, timezone: 'Asia/Tokyo' },
    },
  });
  await page.locator('.idle').waitFor();
  await save('idle-japanese');
  rig.send(configure());

  rig.send({ type: 'screen', screen: { kind: 'stage' } });
  const url = await rig.addSample('sample-morning-1920x1080.jpg');
  rig.send({ type: 'prepare', showing: imageShowing('morning', url, 3_600_000), cut: 'when_ready' });
  await waitUntil('the picture', () => rig.messages.some(({ type }) => type === 'started'));
  await page.locator('#overlay').waitFor({ state: 'hidden' });
  runtime.respondWith('open', { ...RESPONSES.open, device_name: 'Shop window' });
  await page.keyboard.press('Control+Alt+Shift+S');
  await page.locator('.menu-tile').first().waitFor();
  await save('menu');
  await page.locator('.menu-tile').nth(2).click();
  await page.locator('canvas.pattern').waitFor();
  await save('test-pattern');
} finally {
  runtime.stop();
  await rig.close();
}

async function showPairing(screen: PairingScreen): Promise<void> {
  rig.send({ type: 'screen', screen });
  await page.getByLabel(screen.code ?? '').waitFor();
}

async function save(name: string): Promise<void> {
  await sharp(await page.screenshot())
    .resize({ height: SHORTER_SIDE })
    .png({ palette: true, effort: 10 })
    .toFile(resolve(FOLDER, `${name}.png`));
}
