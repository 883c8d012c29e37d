import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  waitForAlert,
  alert,
  codeField,
  enterKey,
  keyField,
  pairButton,
  TIMEOUT_MS,
  findProblems,
  startPairRig,
} from './pair-rig.ts';
import { TRANSLATIONS } from '../../packages/console/src/pairing/translations.ts';
import type { Translation } from '../../packages/console/src/pairing/translations.ts';
import type { PairRig, PhoneOptions } from './pair-rig.ts';

let rig: PairRig;
let key: string;
const TEXTS: Record<string, Translation> = TRANSLATIONS;

beforeAll(async () => {
  rig = await startPairRig();
}, TIMEOUT_MS);
afterAll(() => rig?.close());
// A new cloud per test: one for all would reach its limit of requests per minute.
beforeEach(async () => {
  ({ key } = await rig.createKey('Write'));
});

const SMALL = { width: 320, height: 568 };

const LOOKS: [string, PhoneOptions][] = [
  ['in the light', { colorScheme: 'light' }],
  ['in the dark', { colorScheme: 'dark' }],
  ['lying on its side', { viewport: { width: 844, height: 390 } }],
  ['on a small phone', { viewport: SMALL }],
  ['in German', { locale: 'de-AT', viewport: SMALL }],
  ['in French', { locale: 'fr-CA', viewport: SMALL }],
  ['in Spanish', { locale: 'es-MX', viewport: SMALL }],
  ['in Japanese', { locale: 'ja-JP', viewport: SMALL }],
];

describe('the pairing page on a phone', { timeout: 180_000 }, () => {
  test.each(LOOKS)(
    'is readable and usable %s: contrast of 7:1, targets of 48 px, nothing wider than the phone',
    async (name, look) => {
      const says = TEXTS[look.locale?.slice(0, 2) ?? 'en']!;
      const { page, complaints } = await rig.openPhone(`?code=${await rig.startPairing(name)}`, look);
      await page.getByLabel(says.accessKey).waitFor();
      expect(await page.title()).toBe(`${says.title} – Placard`);
      expect(await findProblems(page), 'asking for the key').toEqual([]);
      await enterKey(page, 'plk_nobody-gave-this-one');
      await waitForAlert(page, says.keyUnknown);
      expect(await findProblems(page), 'with an alert').toEqual([]);
      await enterKey(page, key);
      await page.getByText(says.hangsHint).waitFor();
      expect(await alert(page).textContent()).toBe('');
      expect(await findProblems(page), 'the form').toEqual([]);
      await pairButton(page).tap();
      await page.getByRole('heading', { name: `Box ${name}` }).waitFor();
      expect(await findProblems(page), 'paired').toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  test('works from right to left', async () => {
    const { page } = await rig.openPhone('?code=BCD-FGH', { viewport: SMALL });
    await page.evaluate(`document.documentElement.dir = 'rtl'`);
    await enterKey(page, key);
    await pairButton(page).waitFor();
    expect(await findProblems(page)).toEqual([]);
    expect(await codeField(page).inputValue()).toBe('BCD-FGH');
  });

  test.each([
    ['pt-BR', 'en'],
    ['de-CH', 'de'],
    ['constructor', 'en'],
  ])('speaks to a browser of %s in %s', async (locale, language) => {
    const before = `Object.defineProperty(navigator, 'languages', { value: ['${locale}'] })`;
    const { page } = await rig.openPhone('', { before });
    await keyField(page).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe(language);
    expect(await page.getByRole('heading').innerText()).toBe(TEXTS[language]!.title);
  });

  test('says how long to wait in the language of the page', async () => {
    const { page } = await rig.openPhone('', { locale: 'de-DE' });
    await page.route('**/v1/devices/pair', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '130' },
        json: { success: false, error: { code: 'RATE_LIMITED', message: 'Slow down.' } },
      }),
    );
    await enterKey(page, 'plk_any');
    await waitForAlert(page, /3/);
    expect(await alert(page).textContent()).toContain('Nächster Versuch in 3 Minuten.');
  });

  test('says in every language that it needs JavaScript', async () => {
    const page = await fetch(`${rig.url}/pair`).then((response) => response.text());
    for (const [language, { noScript }] of Object.entries(TRANSLATIONS)) {
      expect(page).toContain(`lang="${language}">${noScript}</p>`);
    }
  });

  test('says in every language that a file of the page failed to load, and only then', async () => {
    const { page, context } = await rig.openPhone();
    await keyField(page).waitFor();
    expect(await page.locator('#not-loaded').count()).toBe(0);
    await context.route('**/assets/pair-*.js', (route) => route.abort());
    await page.reload();
    for (const { notLoaded } of Object.values(TRANSLATIONS)) {
      await page.getByText(notLoaded).waitFor();
    }
  });
});
