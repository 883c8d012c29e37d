import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startProgram } from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  waitForAlert,
  alert,
  codeField,
  enterKey,
  keyField,
  nameField,
  pairButton,
  TIMEOUT_MS,
  startPairRig,
  withId,
} from './pair-rig.ts';
import type { PairRig } from './pair-rig.ts';

const device = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  store_id: z.string().nullable(),
  orientation: z.string(),
});

let rig: PairRig;

beforeAll(async () => {
  rig = await startPairRig();
}, TIMEOUT_MS);
afterAll(() => rig?.close());

describe('the pairing page on a phone', { timeout: 180_000 }, () => {
  test('pairs a waiting screen: code from the QR code, name, store, orientation, and the status of the screen', async () => {
    const store = await rig.admin.post(withId, '/v1/stores', { name: 'Market Square', city: 'Bremen' });
    await rig.admin.post(withId, '/v1/stores', { name: 'Airport' });
    const { key } = await rig.createKey('Write');
    const data = join(rig.folder, 'player');
    const player = startProgram(
      `src/shells/main.ts --server ${rig.url} --data ${data} --shell headless`.split(' '),
    );
    onTestFinished(async () => {
      player.signal('SIGTERM');
      const hard = setTimeout(() => player.signal('SIGKILL'), 20_000);
      await player.ended;
      clearTimeout(hard);
    });
    const status = async () =>
      z
        .object({ state: z.string(), code: z.string().nullable(), device_id: z.string().nullable() })
        .parse(JSON.parse(await readFile(join(data, 'status.json'), 'utf8')));
    const code = await waitUntil('the screen to show a code', async () => (await status()).code, TIMEOUT_MS);

    const { page, asked, complaints } = await rig.openPhone(`?code=${code}`);
    await page.getByText(code).waitFor();
    await enterKey(page, key);
    await pairButton(page).waitFor();
    expect(await codeField(page).inputValue()).toBe(code);
    await nameField(page).fill('Counter left');
    expect(await page.getByLabel('Store').locator('option').allTextContents()).toEqual([
      'No store',
      'Airport',
      'Market Square, Bremen',
    ]);
    await page.getByLabel('Store').selectOption({ label: 'Market Square, Bremen' });
    await page.getByRole('radio', { name: 'Portrait', exact: true }).tap();
    await pairButton(page).tap();

    await page.getByRole('heading', { name: 'Counter left' }).waitFor();
    await page.getByRole('status').filter({ hasText: 'shows this name now' }).waitFor();
    const paired = await waitUntil(
      'the screen to be paired',
      async () => (await status()).device_id,
      TIMEOUT_MS,
    );
    expect(await rig.admin.get(device, `/v1/devices/${paired}`)).toMatchObject({
      name: 'Counter left',
      status: 'online',
      store_id: store.id,
      orientation: 'portrait',
    });

    expect(complaints).toEqual([]);
    expect(asked.filter((address) => address.includes(key))).toEqual([]);
    expect(
      asked.filter((request) => !request.includes(` ${rig.url}/`) && !request.includes(' data:')),
    ).toEqual([]);
    const kept = z
      .object({ session: z.string(), others: z.string() })
      .parse(
        await page.evaluate(
          `({ session: JSON.stringify(sessionStorage), others: JSON.stringify(localStorage) + document.cookie + location })`,
        ),
      );
    expect(kept.session).toContain(key);
    expect(kept.others).not.toContain(key);

    // The next screen of the same visit: the key is not requested again.
    const next = await rig.startPairing('SN-next');
    await page.getByRole('button', { name: 'Pair another screen' }).tap();
    await codeField(page).fill(next.toLowerCase().replace('-', ''));
    expect(await codeField(page).inputValue(), 'written as on the screen').toBe(next);
    await pairButton(page).tap();
    await page.getByRole('heading', { name: 'Box SN-next' }).waitFor();
    await page.reload();
    await pairButton(page).waitFor();
    expect(await page.getByLabel('Access key').isVisible()).toBe(false);
    expect(await codeField(page).inputValue(), 'of a code that is used nothing is left').toBe('');
  });

  test('explains why a key is rejected, and asks for another one', async () => {
    const { page, complaints } = await rig.openPhone(`?code=${await rig.startPairing('SN-keys')}`);
    await enterKey(page, 'plk_nobody-gave-this-one');
    await waitForAlert(page, 'not valid');
    expect(await page.getByLabel('Access key').getAttribute('aria-invalid')).toBe('true');
    await enterKey(page, 'schlüssel mit leerzeichen');
    await waitForAlert(page, 'no spaces');
    await enterKey(page, (await rig.createKey('Read')).key);
    await waitForAlert(page, 'Write scope');
    await enterKey(page, (await rig.createKey('Write')).key);
    await pairButton(page).tap();
    await page.getByRole('heading', { name: 'Box SN-keys' }).waitFor();
    expect(await alert(page).textContent()).toBe('');
    expect(complaints).toEqual([]);
  });

  test('says whether a code is wrong, used or expired, and when there were too many wrong ones', async () => {
    const { page } = await rig.openPhone();
    await enterKey(page, (await rig.createKey('Write')).key);
    const tryCode = async (code: string, words: string) => {
      await codeField(page).fill(code);
      await pairButton(page).tap();
      await waitForAlert(page, words);
      expect(await codeField(page).getAttribute('aria-invalid')).toBe('true');
    };
    await tryCode('BCD', 'six letters');
    await tryCode('ZZZ-ZZZ', 'No screen shows this code');

    const used = await rig.startPairing('SN-used');
    await rig.admin.post(withId, '/v1/devices/pair', { code: used });
    await tryCode(used, 'already been used');

    const old = await rig.startPairing('SN-old');
    rig.advanceTime(15 * 60_000);
    await tryCode(old, 'has expired');

    for (const wrong of ['ZZZ-ZZX', 'ZZZ-ZXZ', 'ZZZ-XZZ', 'ZZX-ZZZ', 'ZXZ-ZZZ']) {
      await codeField(page).fill(wrong);
      await Promise.all([
        page.waitForResponse((response) => response.url().endsWith('/v1/devices/pair')),
        pairButton(page).tap(),
      ]);
      await pairButton(page).waitFor();
    }
    await codeField(page).fill(await rig.startPairing('SN-locked'));
    await pairButton(page).tap();
    await waitForAlert(page, /cannot pair for \d+ minutes/);
  });

  test('reports a missing network, and a lost response does not count as a second attempt', async () => {
    const { page, context } = await rig.openPhone(`?code=${await rig.startPairing('SN-offline')}`);
    const { key } = await rig.createKey('Write');
    await context.setOffline(true);
    await enterKey(page, key);
    await waitForAlert(page, 'cannot be reached');
    await context.setOffline(false);
    await enterKey(page, key);
    await pairButton(page).waitFor();
    expect(await alert(page).textContent()).toBe('');

    await page.route('**/v1/devices/pair', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await pairButton(page).tap();
    await waitForAlert(page, 'cannot be reached');
    await page.unroute('**/v1/devices/pair');
    await pairButton(page).tap();
    await page.getByRole('heading', { name: 'Box SN-offline' }).waitFor();
  });

  test('never sends an impossible code, because the cloud would count it as a guess', async () => {
    const { page, asked } = await rig.openPhone();
    await enterKey(page, (await rig.createKey('Write')).key);
    const tryCode = async (typed: string, field: string, words: string) => {
      await codeField(page).fill(typed);
      expect(await codeField(page).inputValue()).toBe(field);
      await pairButton(page).tap();
      await waitForAlert(page, words);
    };
    await tryCode('bco 1gh', 'BCO-1GH', 'No code contains “O 1”');
    await tryCode('BÇD-FGH', 'BÇD-FGH', 'No code contains “Ç”');
    await tryCode(' -b c d f g- ', 'BCD-FG', 'six letters');
    expect(asked.filter((request) => request.includes('"code"'))).toEqual([]);

    // Full-width letters of a Japanese keyboard are accepted.
    const code = await rig.startPairing('SN-wide');
    const wide = Array.from(code.replace('-', ''), (sign) =>
      String.fromCodePoint(sign.codePointAt(0)! + 0xfee0),
    );
    await codeField(page).fill(wide.join('').toLowerCase());
    expect(await codeField(page).inputValue()).toBe(code);
    await pairButton(page).tap();
    await page.getByRole('heading', { name: 'Box SN-wide' }).waitFor();
  });

  test('moves from the code to the name, and pairs once however often it is submitted', async () => {
    const { page, asked } = await rig.openPhone(`?code=${await rig.startPairing('SN-twice')}`);
    await enterKey(page, (await rig.createKey('Write')).key);
    // A key pressed before this form is shown goes to the form for the API key.
    await codeField(page).waitFor();
    await codeField(page).press('Enter');
    await page.keyboard.type('Twice');
    expect(await nameField(page).inputValue()).toBe('Twice');
    const pairings = () => asked.filter((request) => request.includes('/v1/devices/pair {"code"'));
    expect(pairings()).toEqual([]);

    const held = Promise.withResolvers<void>();
    await page.route('**/v1/devices/pair', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.keyboard.press('Enter');
    await page.locator('#pair[aria-busy=true]').waitFor();
    await page.keyboard.press('Enter');
    await pairButton(page).dispatchEvent('click');
    held.resolve();
    await page.getByRole('heading', { name: 'Twice' }).waitFor();
    expect(pairings()).toHaveLength(1);
  });

  test('asks for another key when the one it has was revoked, and keeps the completed form', async () => {
    const code = await rig.startPairing('SN-revoked');
    const { page } = await rig.openPhone(`?code=${code}`);
    const revoked = await rig.createKey('Write');
    await enterKey(page, revoked.key);
    await nameField(page).fill('Cashier');
    await rig.admin.remove(`/v1/api-keys/${revoked.id}`);
    await pairButton(page).tap();
    await waitForAlert(page, 'was revoked');
    await page.getByText(code).waitFor();
    await enterKey(page, (await rig.createKey('Write')).key);
    expect(await nameField(page).inputValue()).toBe('Cashier');
    await pairButton(page).tap();
    await page.getByRole('heading', { name: 'Cashier' }).waitFor();

    await page.evaluate(`sessionStorage.setItem('placard-key', '${revoked.key}')`);
    await page.reload();
    await waitForAlert(page, 'was revoked');
    await keyField(page).waitFor();
  });

  test('works where the browser blocks storage', async () => {
    const { page, complaints } = await rig.openPhone(`?code=${await rig.startPairing('SN-private')}`, {
      before: `Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('', 'SecurityError'); } })`,
    });
    await enterKey(page, (await rig.createKey('Write')).key);
    await pairButton(page).tap();
    await page.getByRole('heading', { name: 'Box SN-private' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test.each(['null', '{}', '<html>Log in to our Wi-Fi</html>'])(
    'treats the response %s as one of a proxy',
    async (body) => {
      const { page, complaints } = await rig.openPhone();
      await page.route('**/v1/devices/pair', (route) => route.fulfill({ body }));
      await enterKey(page, 'plk_any');
      await waitForAlert(page, 'cannot be reached');
      expect(complaints).toEqual([]);
    },
  );
});
