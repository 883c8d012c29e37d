import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright';
import {
  codeField,
  enterKey,
  findProblems,
  nameField,
  pairButton,
  startPairRig,
  TIMEOUT_MS,
  waitForAlert,
} from './pair-rig.ts';
import type { PairRig } from './pair-rig.ts';

let rig: PairRig;
beforeAll(async () => {
  rig = await startPairRig();
}, TIMEOUT_MS);
afterAll(() => rig?.close());

/** A phone whose detector reports the texts of `qrCodes` in turn, the last one again and again; its camera shows a canvas. */
const withCamera = (qrCodes: readonly string[], { denied = false } = {}) => `
  window.cameras = [];
  window.BarcodeDetector = class {
    static async getSupportedFormats() { return ['qr_code']; }
    left = ${JSON.stringify(qrCodes)};
    async detect() {
      const rawValue = this.left.length > 1 ? this.left.shift() : this.left[0];
      return rawValue === undefined ? [] : [{ rawValue }];
    }
  };
  navigator.mediaDevices.getUserMedia = async () => {
    if (${denied}) throw new DOMException('Permission denied', 'NotAllowedError');
    const canvas = document.createElement('canvas');
    canvas.getContext('2d').fillRect(0, 0, 10, 10);
    const stream = canvas.captureStream(10);
    window.cameras.push(...stream.getTracks());
    return stream;
  };`;
const cameraStates = (page: Page) => page.evaluate('window.cameras.map((track) => track.readyState)');

async function openForm(before: string) {
  const opened = await rig.openPhone('', { before });
  await enterKey(opened.page, (await rig.createKey('Write')).key);
  await pairButton(opened.page).waitFor();
  return opened;
}

describe('the pairing page on a phone with a camera', { timeout: 180_000 }, () => {
  test('takes the code from the QR code of the screen, and turns the camera off', async () => {
    const code = await rig.startPairing('SN-camera');
    const { page, complaints } = await openForm(withCamera([`${rig.url}/pair?code=${code}`]));
    await page.getByRole('button', { name: 'Scan the QR code' }).tap();
    await nameField(page).and(page.locator(':focus')).waitFor();
    expect(await codeField(page).inputValue()).toBe(code);
    await expect.poll(() => cameraStates(page)).toEqual(['ended']);
    await pairButton(page).tap();
    await page.getByRole('heading', { name: 'Box SN-camera' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('says that another QR code is none of a screen, and looks on', async () => {
    const { page } = await openForm(withCamera(['https://example.com/menu']));
    await page.getByRole('button', { name: 'Scan the QR code' }).tap();
    await waitForAlert(page, 'not that of a waiting screen');
    expect(await codeField(page).inputValue()).toBe('');
    expect(await cameraStates(page)).toEqual(['live']);
    expect(await findProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close the camera' }).tap();
    await page.getByRole('button', { name: 'Scan the QR code' }).waitFor();
    await expect.poll(() => cameraStates(page)).toEqual(['ended']);
  });

  test('says what to do when the camera is refused', async () => {
    const { page, complaints } = await openForm(withCamera([], { denied: true }));
    await page.getByRole('button', { name: 'Scan the QR code' }).tap();
    await waitForAlert(page, 'Allow it in the settings of the browser, or type the code');
    await page.getByRole('button', { name: 'Scan the QR code' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('has no button for the camera in a browser that cannot find QR codes', async () => {
    const { page } = await openForm('delete window.BarcodeDetector;');
    expect(await page.getByRole('button', { name: 'Scan the QR code' }).count()).toBe(0);
  });
});
