import type {
  ParsedToStageMessage,
  Screen,
  ScreenInfo,
  ConnectivityHint,
  ConnectivityStep,
} from '@placard/protocol/stage';
import { CONNECTIVITY_STEPS } from '@placard/protocol/stage';

export const SCREEN_INFO: ScreenInfo = {
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

/** The connectivity steps, up to one that fails with this hint; all succeed if `failing` is null. */
export function connectivityStepsUpTo(
  failing: ConnectivityStep['step'] | null,
  hint: ConnectivityHint | null = null,
): ConnectivityStep[] {
  const at = failing === null ? CONNECTIVITY_STEPS.length : CONNECTIVITY_STEPS.indexOf(failing);
  return CONNECTIVITY_STEPS.map((step, i) => ({
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
  expires_at_ms: SCREEN_INFO.now_ms + 872_000,
  problem: null,
  steps: connectivityStepsUpTo(null),
  info: SCREEN_INFO,
};

/** A valid code while the connectivity check fails. */
const failing = (step: ConnectivityStep['step'], hint: ConnectivityHint): PairingScreen => ({
  ...PAIRING,
  problem: 'cloud.unreachable',
  steps: connectivityStepsUpTo(step, hint),
});
const withoutCode = {
  code: null,
  verification_url: null,
  verification_url_complete: null,
  expires_at_ms: null,
};

const LONGEST_NAME = 'W'.repeat(200);
const IN_1970 = { ...SCREEN_INFO, now_ms: 86_400_000 };

/** Every screen that is shown over the stage, in its most difficult form: long names, long addresses, wide letters. */
export const SCREENS: Readonly<Record<string, Screen>> = {
  pairing: PAIRING,
  'pairing-link': { ...failing('link', 'no_link'), info: { ...SCREEN_INFO, interfaces: [] } },
  'pairing-address': failing('address', 'no_address'),
  'pairing-dns': failing('dns', 'name_not_found'),
  'pairing-tls': failing('tls', 'certificate'),
  'pairing-server': failing('server', 'not_placard'),
  'pairing-clock': {
    ...failing('tls', 'clock_wrong'),
    steps: connectivityStepsUpTo('tls', 'clock_wrong').map((step) =>
      step.step === 'clock' ? { ...step, state: 'failed' as const, hint: 'clock_wrong' as const } : step,
    ),
    info: IN_1970,
    expires_at_ms: IN_1970.now_ms + 872_000,
  },
  'pairing-disk': {
    ...PAIRING,
    ...withoutCode,
    problem: 'disk.readonly',
    steps: connectivityStepsUpTo(null),
  },
  'pairing-without-code': { ...PAIRING, ...withoutCode, problem: null, steps: [] },
  'pairing-without-code-refused': {
    ...failing('tls', 'connection_refused'),
    ...withoutCode,
  },
  paired: { kind: 'paired', device_name: 'Window to the left of the main entrance, Berlin Mitte' },
  'paired-long': { kind: 'paired', device_name: LONGEST_NAME },
  idle: {
    kind: 'idle',
    device_name: 'Window to the left of the main entrance',
    allows_screenshots: true,
    info: SCREEN_INFO,
  },
  'idle-long': { kind: 'idle', device_name: LONGEST_NAME, allows_screenshots: false, info: SCREEN_INFO },
};

export type Configure = Extract<ParsedToStageMessage, { type: 'configure' }>;

export const configure = (change: Partial<Configure> = {}): Configure => ({
  type: 'configure',
  orientation: 'landscape',
  fit: 'contain',
  background: 'black',
  fade_ms: 0,
  language: 'en',
  ...change,
});
