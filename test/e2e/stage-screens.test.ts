import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Screen, ScreenFacts } from '../../src/stage-link/messages.ts';
import { until } from '../support/until.ts';
import { imageShowing, plainPicture, startStageRig, type StageRig } from './stage-rig.ts';

let rig: StageRig;

beforeEach(async () => {
  rig = await startStageRig({ width: 1920, height: 1080 });
});

afterEach(() => rig.close());

const facts: ScreenFacts = {
  server: 'https://signage.a-rather-long-customer-name.example.com:8443/placard',
  player_version: '0.1.0',
  serial: '3d1219c7c4c5404aaa1f6d2a48adfda4-cb2b8fa0',
  timezone: 'America/Argentina/ComodRivadavia',
  now_ms: Date.UTC(2026, 10, 20, 14, 5),
  interfaces: [
    {
      name: 'eth0',
      kind: 'wired',
      addresses: ['192.168.100.124'],
      mac: 'dc:a6:32:12:34:56',
      ssid: null,
    },
    {
      name: 'wlan0',
      kind: 'wireless',
      addresses: ['192.168.107.180'],
      mac: 'dc:a6:32:12:34:57',
      ssid: 'Shopfloor with a long name 2.4',
    },
  ],
};

const pairing: Extract<Screen, { kind: 'pairing' }> = {
  kind: 'pairing',
  code: 'WMW-MWM',
  verification_url: 'https://signage.a-rather-long-customer-name.example.com:8443/pair',
  verification_url_complete: 'https://signage.a-rather-long-customer-name.example.com:8443/pair?code=WMWMWM',
  expires_at_ms: facts.now_ms + 872_000,
  problem:
    'The secure connection failed. Check the date and time of this box, and the certificate of the server.',
  facts,
};

const SCREENS: [string, Screen][] = [
  ['pairing', pairing],
  ['waiting', { ...pairing, code: null, verification_url_complete: null }],
  ['paired', { kind: 'paired', device_name: 'Window to the left of the main entrance, Berlin Mitte' }],
  ['idle', { kind: 'idle', device_name: 'Window to the left of the main entrance', facts }],
];

/** Runs in the page: texts that leave the panel, overlap one another, or stand out too little. */
const FIND_PROBLEMS = `(() => {
  const problems = [];
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const brightestGround = luminance('rgb(29, 43, 72)');
  const boxes = [];
  for (const node of document.querySelectorAll('#overlay *')) {
    const text = [...node.childNodes].filter((child) => child.nodeType === 3).map((child) => child.data.trim()).join('');
    if (!text || !node.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight) problems.push('outside: ' + text);
    const contrast = (luminance(getComputedStyle(node).color) + 0.05) / (brightestGround + 0.05);
    if (contrast < 7) problems.push('contrast ' + contrast.toFixed(1) + ': ' + text);
    for (const other of boxes) {
      const apart = box.right <= other.box.left + 1 || other.box.right <= box.left + 1 ||
        box.bottom <= other.box.top + 1 || other.box.bottom <= box.top + 1;
      if (!apart && !node.contains(other.node) && !other.node.contains(node)) problems.push('overlap: ' + text + ' / ' + other.text);
    }
    boxes.push({ node, box, text });
  }
  return { problems, texts: boxes.length };
})()`;
const found = z.object({ problems: z.array(z.string()), texts: z.number() });

const SIZES: [number, number][] = [
  [1920, 1080],
  [1080, 1920],
  [3840, 2160],
  [1280, 1024],
  [800, 480],
];

describe.each(SIZES)('at %i x %i', (width, height) => {
  it.each(SCREENS)(
    'the %s screen fits, nothing overlaps, and all of it is readable',
    async (_name, screen) => {
      await rig.page.setViewportSize({ width, height });
      rig.send({ type: 'screen', screen });
      await rig.page.locator('#overlay .screen:not(:has-text("Starting"))').waitFor();
      const { problems, texts } = found.parse(await rig.page.evaluate(FIND_PROBLEMS));
      expect(problems).toEqual([]);
      expect(texts).toBeGreaterThan(2);
    },
  );
});

describe('the pairing screen', () => {
  it('shows code, address, countdown, clock with zone, and what a technician asks for', async () => {
    rig.send({ type: 'screen', screen: pairing });
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
      facts.serial,
      '0.1.0',
      'The secure connection failed.',
    ]) {
      expect(shown).toContain(fact);
    }
  });

  it('counts down and takes a new code without leaving', async () => {
    rig.send({ type: 'screen', screen: pairing });
    await rig.page.getByLabel('WMW-MWM').waitFor();
    const before = await rig.page.locator('.countdown').innerText();
    await until('the next second', async () => (await rig.page.locator('.countdown').innerText()) !== before);
    rig.send({ type: 'screen', screen: { ...pairing, code: 'BCD-FGH', problem: null } });
    await rig.page.getByLabel('BCD-FGH').waitFor();
    expect(await rig.page.locator('.problem').isVisible()).toBe(false);
  });

  it('turns with the stage', async () => {
    rig.send({ type: 'screen', screen: pairing });
    rig.send({ type: 'configure', orientation: 'portrait' });
    const code = rig.page.getByLabel('WMW-MWM');
    await until('the code upright', async () => {
      const box = await code.boundingBox();
      return box && box.height > 2 * box.width;
    });
    expect(found.parse(await rig.page.evaluate(FIND_PROBLEMS)).problems).toEqual([]);
  });

  it('leaves only when the first picture is on the screen', async () => {
    rig.send({ type: 'screen', screen: pairing });
    await rig.page.getByLabel('WMW-MWM').waitFor();
    rig.send({ type: 'screen', screen: { kind: 'stage' } });
    const red = await rig.addMedia('red.png', await plainPicture('png', '#c03030'));
    rig.send({ type: 'prepare', showing: imageShowing('red', red, 60_000), cut: 'on_command' });
    await until('the picture ready', () => rig.said.some(({ type }) => type === 'ready'));
    expect(await rig.page.getByLabel('WMW-MWM').isVisible()).toBe(true);
    rig.send({ type: 'cut', showing_id: 'red' });
    await rig.page.locator('#overlay').waitFor({ state: 'hidden' });
    expect(rig.said.some(({ type }) => type === 'started')).toBe(true);
  });
});
