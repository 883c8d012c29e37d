import { FAULTS } from '@placard/protocol';
import { expect, test } from 'vitest';
import { diagnose } from './diagnosis.ts';

const eth = (...addresses: string[]) => [
  { name: 'eth0', kind: 'wired' as const, mac: null, addresses, ssid: null },
];
const around = (interfaces = eth('192.0.2.7'), wallMs = Date.UTC(2026, 10, 20)) => ({
  server: 'https://signs.example.com/base',
  interfaces,
  wallMs,
});
const problem = (code: keyof typeof FAULTS, reason: string | null = null) => ({ code, reason, attempts: 1 });

test.each([
  ['no cable', [], 'ENOTFOUND', 'This box has no network.'],
  ['no address', eth('169.254.3.4', 'fe80::1'), 'ENOTFOUND', 'gives this box no address'],
  ['no name', eth('192.0.2.7'), 'ENOTFOUND', 'The name signs.example.com cannot be found'],
  ['name servers that do not answer', eth('192.0.2.7'), 'EAI_AGAIN', 'cannot be found'],
  ['nobody at the port', eth('192.0.2.7'), 'ECONNREFUSED', 'signs.example.com refuses the connection'],
  ['no gateway', eth('192.0.2.7'), 'ENETUNREACH', 'There is no way from this network'],
  ['silence', eth('192.0.2.7'), 'UND_ERR_CONNECT_TIMEOUT', 'does not answer'],
  ['an error of the server', eth('192.0.2.7'), null, 'does not answer'],
])('%s is told as such', (_, interfaces, reason, sentence) => {
  expect(diagnose(problem('cloud.unreachable', reason), around(interfaces))).toContain(sentence);
});

test('a certificate that cannot be valid yet is blamed on the clock', () => {
  const sentence = diagnose(problem('cloud.tls'), around(eth('192.0.2.7'), Date.UTC(2013, 0, 1)));
  expect(sentence).toContain('believes that it is 2013-01-01');
  expect(diagnose(problem('cloud.tls'), around())).toBe(FAULTS['cloud.tls'].help);
});

test('anything else is told by the sentence of its fault', () => {
  expect(diagnose(problem('cloud.not_placard'), around())).toBe(FAULTS['cloud.not_placard'].help);
});
