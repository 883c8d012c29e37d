import type { HeardByStage, Screen, ScreenFacts, WayHint, WayStep } from '../../src/stage-link/messages.ts';
import { WAY_STEPS } from '../../src/stage-link/messages.ts';

export const FACTS: ScreenFacts = {
  server: 'https://signage.a-rather-long-customer-name.example.com:8443/placard',
  player_version: '0.1.0',
  serial: '3d1219c7c4c5404aaa1f6d2a48adfda4-cb2b8fa0',
  timezone: 'America/Argentina/ComodRivadavia',
  now_ms: Date.UTC(2026, 10, 20, 14, 5),
  interfaces: [
    { name: 'docker0', kind: 'other', addresses: ['172.17.0.1'], mac: null, ssid: null },
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

/** The chain as far as this step, which fails with this hint; all of it holds without one. */
export function wayUpTo(failing: WayStep['step'] | null, hint: WayHint | null = null): WayStep[] {
  const at = failing === null ? WAY_STEPS.length : WAY_STEPS.indexOf(failing);
  return WAY_STEPS.map((step, i) => ({
    step,
    state: i < at ? 'ok' : i === at ? 'failed' : 'waiting',
    hint: i === at ? hint : null,
  }));
}

export type PairingScreen = Extract<Screen, { kind: 'pairing' }>;

export const PAIRING: PairingScreen = {
  kind: 'pairing',
  code: 'WMW-MWM',
  verification_url: 'https://signage.a-rather-long-customer-name.example.com:8443/pair',
  verification_url_complete: 'https://signage.a-rather-long-customer-name.example.com:8443/pair?code=WMWMWM',
  expires_at_ms: FACTS.now_ms + 872_000,
  problem: null,
  steps: wayUpTo(null),
  facts: FACTS,
};

/** A code that is still good while the way to the cloud does not hold. */
const failing = (step: WayStep['step'], hint: WayHint): PairingScreen => ({
  ...PAIRING,
  problem: 'cloud.unreachable',
  steps: wayUpTo(step, hint),
});
const withoutCode = {
  code: null,
  verification_url: null,
  verification_url_complete: null,
  expires_at_ms: null,
};

const LONGEST_NAME = 'W'.repeat(200);
const IN_1970 = { ...FACTS, now_ms: 86_400_000 };

/** Every screen that lies over the stage, in its hardest form: long names, long addresses, wide letters. */
export const SCREENS: Readonly<Record<string, Screen>> = {
  pairing: PAIRING,
  'pairing-link': { ...failing('link', 'no_link'), facts: { ...FACTS, interfaces: [] } },
  'pairing-address': failing('address', 'no_address'),
  'pairing-dns': failing('dns', 'name_not_found'),
  'pairing-tls': failing('tls', 'certificate'),
  'pairing-server': failing('server', 'not_placard'),
  'pairing-clock': {
    ...failing('tls', 'clock_wrong'),
    steps: wayUpTo('tls', 'clock_wrong').map((step) =>
      step.step === 'clock' ? { ...step, state: 'failed' as const, hint: 'clock_wrong' as const } : step,
    ),
    facts: IN_1970,
    expires_at_ms: IN_1970.now_ms + 872_000,
  },
  'pairing-disk': { ...PAIRING, ...withoutCode, problem: 'disk.readonly', steps: wayUpTo(null) },
  'pairing-without-code': { ...PAIRING, ...withoutCode, problem: null, steps: [] },
  'pairing-without-code-refused': {
    ...failing('tls', 'connection_refused'),
    ...withoutCode,
  },
  paired: { kind: 'paired', device_name: 'Window to the left of the main entrance, Berlin Mitte' },
  'paired-long': { kind: 'paired', device_name: LONGEST_NAME },
  idle: { kind: 'idle', device_name: 'Window to the left of the main entrance', facts: FACTS },
  'idle-long': { kind: 'idle', device_name: LONGEST_NAME, facts: FACTS },
};

export type Configure = Extract<HeardByStage, { type: 'configure' }>;

export const configure = (change: Partial<Configure> = {}): Configure => ({
  type: 'configure',
  orientation: 'landscape',
  fit: 'contain',
  ground: 'black',
  fade_ms: 0,
  language: 'en',
  ...change,
});
