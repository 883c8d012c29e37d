import { correction, generate } from 'lean-qr';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Screen } from '@placard/protocol/stage';
import { waitUntil } from '../support/wait-until.ts';
import { checkLayout } from './layout-check.ts';
import { configure, SCREEN_INFO, PAIRING, SCREENS, connectivityStepsUpTo } from './screen-fixtures.ts';
import { DO_NOT_PAINT, imageShowing, plainPicture, startStageRig } from './stage-rig.ts';
import type { StageRig } from './stage-rig.ts';

let rig: StageRig;

beforeAll(async () => {
  rig = await startStageRig({ width: 1920, height: 1080 });
});

afterAll(() => rig.close());

/** Reloads the page, so that tests are independent. These tests read its layout alone, so it is not painted. */
async function freshPage(): Promise<void> {
  const before = rig.messagesOfType('hello').length;
  await rig.page.reload();
  await waitUntil('the new page to say hello', () => rig.messagesOfType('hello').length > before);
  await rig.page.evaluate(DO_NOT_PAINT);
}

let shows = 0;

/** Shows a screen and waits until it is up: another one, recognizable by its name, is shown before it. */
async function show(screen: Screen): Promise<void> {
  shows += 1;
  const before = rig.page.getByText(`before show ${shows}.`);
  rig.send({ type: 'screen', screen: { kind: 'paired', device_name: `before show ${shows}.` } });
  await before.waitFor();
  rig.send({ type: 'screen', screen });
  await before.waitFor({ state: 'detached' });
}

/** Sets the language of the browser. */
async function systemSpeaks(language: string): Promise<void> {
  const devtools = await rig.page.context().newCDPSession(rig.page);
  const userAgent = z.string().parse(await rig.page.evaluate('navigator.userAgent'));
  await devtools.send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: language });
  await freshPage();
}

const SIZES: [number, number][] = [
  [1920, 1080],
  [1080, 1920],
  [3840, 2160],
  [1280, 1024],
  [800, 480],
  [1200, 1200],
  [768, 1024],
  [1920, 540],
];

describe.each(SIZES)('at %i x %i', (width, height) => {
  beforeAll(async () => {
    await rig.page.setViewportSize({ width, height });
    await freshPage();
  });

  test.each(Object.entries(SCREENS))(
    'the %s screen fits, nothing overlaps, and all texts have a contrast of 7 to 1',
    async (_name, screen) => {
      await show(screen);
      const { problems, texts } = await checkLayout(rig.page);
      expect(problems).toEqual([]);
      expect(texts).toBeGreaterThan(2);
    },
  );
});

describe('the layout check', () => {
  beforeAll(async () => {
    await rig.page.setViewportSize({ width: 1920, height: 1080 });
    await freshPage();
  });

  test.each([
    ['a text that stands out too little', '.countdown', 'color: #6b7a90', 'contrast'],
    ['a text that leaves the panel', '.player-info', 'translate: 0 20vh', 'outside'],
    ['a text over another', '.countdown', 'translate: 0 -9vh', 'overlap'],
    ['a text that is cut off', '.instruction', 'width: 20vh; overflow: hidden; white-space: pre', 'cut off'],
  ])('finds %s', async (_, selector, style, problem) => {
    await show(PAIRING);
    expect((await checkLayout(rig.page)).problems).toEqual([]);
    await rig.page.evaluate(`document.querySelector('${selector}').style.cssText = '${style}'`);
    expect((await checkLayout(rig.page)).problems.join()).toContain(problem);
    await rig.page.evaluate(`document.querySelector('${selector}').style.cssText = ''`);
  });
});

describe('the pairing screen', () => {
  beforeAll(freshPage);

  test('shows code, address, countdown, clock with zone, and what a technician needs', async () => {
    await show(PAIRING);
    await rig.page.getByLabel('WMW-MWM').waitFor();
    const shown = await rig.page.locator('#overlay').innerText();
    for (const fact of [
      'signage.a-rather-long-customer-name.example.com:8443/pair',
      '14:3',
      '11:05',
      'America/Argentina',
      '192.168.100.124 (cable)',
      'Shopfloor with a long name',
      'dc:a6:32:12:34:57',
      SCREEN_INFO.serial,
      '0.1.0',
    ]) {
      expect(shown).toContain(fact);
    }
    expect(shown, 'of a network inside the device').not.toContain('172.17.0.1');
  });

  test('shows every connectivity step, with advice for the one that fails', async () => {
    await show({ ...PAIRING, steps: connectivityStepsUpTo('dns', 'name_not_found') });
    const labels = await rig.page
      .locator('.connectivity-step')
      .evaluateAll((steps) => steps.map((step) => step.getAttribute('aria-label')));
    expect(labels).toEqual([
      'Network: OK',
      'Address: OK',
      'DNS: failed',
      'TLS: not checked yet',
      'Server: not checked yet',
      'Clock: not checked yet',
    ]);
    expect(await rig.page.locator('.problem').innerText()).toBe(
      'The name signage.a-rather-long-customer-name.example.com:8443 cannot be resolved. Check the server address and the DNS of this network.',
    );
    await show({ ...PAIRING, steps: connectivityStepsUpTo(null) });
    expect(await rig.page.locator('.problem').isVisible()).toBe(false);
  });

  test('shows other faults when all connectivity steps succeed', async () => {
    await show({ ...PAIRING, problem: 'disk.full' });
    expect(await rig.page.locator('.problem').innerText()).toContain('The disk is full.');
  });

  test('counts down and shows a new code in place', async () => {
    await show(PAIRING);
    await rig.page.getByLabel('WMW-MWM').waitFor();
    const before = await rig.page.locator('.countdown').innerText();
    await waitUntil(
      'the next second',
      async () => (await rig.page.locator('.countdown').innerText()) !== before,
    );
    const root = await rig.page.locator('#overlay .screen').elementHandle();
    rig.send({ type: 'screen', screen: { ...PAIRING, code: 'BCD-FGH' } });
    await rig.page.getByLabel('BCD-FGH').waitFor();
    expect(await root?.evaluate((screen) => screen.isConnected)).toBe(true);
  });

  test('shows no countdown in the past', async () => {
    await show({ ...PAIRING, expires_at_ms: SCREEN_INFO.now_ms - 1 });
    await rig.page.getByLabel('WMW-MWM').waitFor();
    expect(await rig.page.locator('.countdown').innerText()).toBe('');
  });

  test('shows a QR code of the whole address, and another one for a new code', async () => {
    for (const url of [PAIRING.verification_url_complete!, 'https://signs.example.com/pair?code=BCDFGH']) {
      await show({ ...PAIRING, verification_url_complete: url });
      const wanted = generate(url, { minCorrectionLevel: correction.M });
      const dark = await rig.page.evaluate(`(() => {
        const canvas = document.querySelector('.qr');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return Array.from({ length: canvas.width * canvas.height }, (_, i) => data[i * 4] < 128);
      })()`);
      const { size } = wanted;
      const [card, modules] = [
        await rig.page.locator('.qr-card').boundingBox(),
        await rig.page.locator('.qr').boundingBox(),
      ];
      expect((modules!.x - card!.x) / (modules!.width / size), 'modules of quiet').toBeCloseTo(4, 1);
      expect(modules!.height).toBeCloseTo(modules!.width, 1);
      expect(dark).toEqual(
        Array.from({ length: size * size }, (_, i) => wanted.get(i % size, Math.floor(i / size))),
      );
    }
  });

  test('uses the language of the system, whatever the device is set to', async () => {
    await systemSpeaks('fr-CA');
    rig.send(configure({ language: 'de' }));
    await show(PAIRING);
    await rig.page.getByText('Associer cet écran').waitFor();
    await systemSpeaks('pt-BR');
    await show(PAIRING);
    await rig.page.getByText('Pair this screen').waitFor();
    expect(await rig.page.evaluate('document.documentElement.lang')).toBe('en');
    rig.send(configure());
  });

  test('rotates with the stage', async () => {
    await show(PAIRING);
    rig.send(configure({ orientation: 'portrait' }));
    const code = rig.page.getByLabel('WMW-MWM');
    await waitUntil('the code upright', async () => {
      const box = await code.boundingBox();
      return box && box.height > 2 * box.width;
    });
    expect((await checkLayout(rig.page)).problems).toEqual([]);
    rig.send(configure());
  });

  test('is hidden only when the first picture is on the screen', async () => {
    await show(PAIRING);
    await rig.page.getByLabel('WMW-MWM').waitFor();
    rig.send({ type: 'screen', screen: { kind: 'stage' } });
    const red = await rig.addMedia('red.png', await plainPicture('png', '#c03030'));
    rig.send({ type: 'prepare', showing: imageShowing('red', red, 60_000), cut: 'on_command' });
    await waitUntil('the picture ready', () => rig.messagesOfType('ready', 'red').length > 0);
    expect(await rig.page.getByLabel('WMW-MWM').isVisible()).toBe(true);
    rig.send({ type: 'cut', showing_id: 'red' });
    await rig.page.locator('#overlay').waitFor({ state: 'hidden' });
    await waitUntil('its report', () => rig.messagesOfType('started', 'red').length > 0);
  });
});

describe('written from right to left', () => {
  beforeAll(freshPage);

  test.each(Object.entries(SCREENS))('the %s screen fits', async (_name, screen) => {
    await show(screen);
    await rig.page.evaluate(`document.documentElement.dir = 'rtl'`);
    expect((await checkLayout(rig.page)).problems).toEqual([]);
  });

  test('the layout is mirrored, and the code keeps its order', async () => {
    await show(PAIRING);
    await rig.page.evaluate(`document.documentElement.dir = 'rtl'`);
    const left = async (selector: string) => (await rig.page.locator(selector).first().boundingBox())!.x;
    expect(await left('.brand')).toBeGreaterThan(await left('.clock'));
    expect(await left('.pair')).toBeGreaterThan(await left('.scan'));
    expect(await rig.page.locator('.code').innerText()).toBe('W\nM\nW\nM\nW\nM');
    expect(await left('.code-letter:first-child')).toBeLessThan(await left('.code-letter:last-child'));
  });
});

/** Shows the idle screen as it is after this many minutes, and returns the position of its text. */
async function idleAt(minutes: number): Promise<{ x: number; y: number }> {
  await rig.page.evaluate(`for (const moving of document.querySelector('.drift').getAnimations()) {
    moving.pause();
    moving.currentTime = ${minutes} * 60_000;
  }`);
  expect((await checkLayout(rig.page)).problems).toEqual([]);
  const box = await rig.page.locator('.idle-note').boundingBox();
  return { x: box!.x, y: box!.y };
}

describe('the idle screen', () => {
  beforeAll(freshPage);

  test.each(['idle', 'idle-long'])('moves slowly and stays on the panel: %s', async (name) => {
    await show(SCREENS[name]!);
    const places = [];
    for (const minutes of [0, 10, 20, 31, 44, 60]) {
      places.push(await idleAt(minutes));
    }
    for (const one of ['x', 'y'] as const) {
      const values = places.map((place) => place[one]);
      // More than the width of any stroke of a letter.
      expect(Math.max(...values) - Math.min(...values)).toBeGreaterThan(100);
      expect(new Set(values).size).toBeGreaterThan(3);
    }
  });

  test('uses the language of the device, also when that changes meanwhile', async () => {
    await show(SCREENS['idle']!);
    for (const [language, text] of [
      ['de', 'Zurzeit ist nichts geplant'],
      ['fr', 'Rien n’est programmé pour le moment'],
      ['es', 'No hay nada programado en este momento'],
      ['ja', '現在、予定はありません'],
      ['en', 'Nothing is scheduled right now'],
    ] as const) {
      rig.send(configure({ language }));
      await rig.page.getByText(text).waitFor();
      expect(await rig.page.evaluate('document.documentElement.lang')).toBe(language);
      expect((await checkLayout(rig.page)).problems).toEqual([]);
    }
  });
});

test.each([
  ['idle', 'Screenshots of this screen can be taken remotely'],
  ['idle-long', 'No screenshots of this screen are taken'],
])('the idle screen says whether screenshots of it can be taken: %s', async (name, text) => {
  await freshPage();
  await show(SCREENS[name]!);
  expect(await rig.page.locator('.idle-screenshots').innerText()).toBe(text);
});

describe('the start screen', () => {
  test('shows that the player is starting, until the first message', async () => {
    await freshPage();
    await rig.page.locator('.starting').waitFor();
    expect((await checkLayout(rig.page)).problems).toEqual([]);
    expect(await rig.page.locator('#overlay').innerText()).toContain('Starting');
  });
});

describe('the confirmation', () => {
  test('shows the name of the device, in its language', async () => {
    await freshPage();
    rig.send(configure({ language: 'ja' }));
    await show({ kind: 'paired', device_name: 'ベルリン中央口' });
    await rig.page.getByRole('heading', { name: 'ベルリン中央口' }).waitFor();
    expect(await rig.page.locator('.paired-title').innerText()).toBe('ペアリング完了');
    rig.send(configure());
  });
});
