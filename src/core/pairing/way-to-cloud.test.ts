import type { FaultCode } from '@placard/protocol';
import { describe, expect, test } from 'vitest';
import type { NetworkInterface } from '../ports.ts';
import { wayToCloud, type Surroundings } from './way-to-cloud.ts';

const eth = (...addresses: string[]): NetworkInterface[] => [
  { name: 'eth0', kind: 'wired', mac: null, addresses, ssid: null },
];
const around: Surroundings = {
  server: 'https://signs.example.com/base',
  interfaces: eth('192.0.2.7'),
  wallMs: Date.UTC(2026, 10, 20),
};
const failed = (code: FaultCode, reason: string | null = null) => ({
  ok: false as const,
  problem: { code, reason },
});

/** `link:ok address:ok dns:name_not_found tls:waiting …` */
const told = (...args: Parameters<typeof wayToCloud>) =>
  wayToCloud(...args)
    .map(({ step, state, hint }) => `${step}:${hint ?? state}`)
    .join(' ');

describe('the way to the cloud', () => {
  test('holds as a whole once the cloud has answered', () => {
    expect(told({ ok: true }, around)).toBe('link:ok address:ok dns:ok tls:ok server:ok clock:ok');
  });

  test('is known as far as the network card before anything was tried', () => {
    expect(told(null, around)).toBe(
      'link:ok address:ok dns:waiting tls:waiting server:waiting clock:waiting',
    );
    expect(told(null, { ...around, interfaces: null })).toBe(
      'link:waiting address:waiting dns:waiting tls:waiting server:waiting clock:waiting',
    );
  });

  test.each([
    ['no cable', [], 'ENOTFOUND', 'link:no_link address:waiting'],
    ['no address', eth('169.254.3.4', 'fe80::1'), 'ENOTFOUND', 'link:ok address:no_address dns:waiting'],
    ['no name', eth('192.0.2.7'), 'ENOTFOUND', 'address:ok dns:name_not_found tls:waiting'],
    ['name servers that do not answer', eth('192.0.2.7'), 'EAI_AGAIN', 'dns:name_not_found'],
    ['nobody at the port', eth('192.0.2.7'), 'ECONNREFUSED', 'dns:ok tls:connection_refused server:waiting'],
    ['no gateway', eth('192.0.2.7'), 'ENETUNREACH', 'tls:no_way'],
    ['silence', eth('192.0.2.7'), 'UND_ERR_CONNECT_TIMEOUT', 'tls:no_answer'],
    ['an error of the server', eth('192.0.2.7'), null, 'tls:ok server:server_error clock:waiting'],
  ])('%s is told as the first link that does not hold', (_, interfaces, reason, expected) => {
    expect(told(failed('cloud.unreachable', reason), { ...around, interfaces })).toContain(expected);
  });

  test.each([
    ['cloud.not_placard', 'server:not_placard'],
    ['cloud.refused', 'server:refused'],
    ['cloud.busy', 'server:busy'],
  ] as const)('%s is the answer of a server, so all before it holds', (code, expected) => {
    expect(told(failed(code), { ...around, interfaces: [] })).toContain(`tls:ok ${expected} clock:waiting`);
  });

  test('a certificate that cannot be valid yet is blamed on the clock', () => {
    expect(told(failed('cloud.tls', 'CERT_NOT_YET_VALID'), { ...around, wallMs: Date.UTC(2013, 0, 1) })).toBe(
      'link:ok address:ok dns:ok tls:clock_wrong server:waiting clock:clock_wrong',
    );
    expect(told(failed('cloud.tls', 'CERT_HAS_EXPIRED'), around)).toContain('tls:certificate server:waiting');
  });

  test('a cloud on this very box needs no network', () => {
    const server = 'http://127.0.0.1:8787';
    expect(
      told(failed('cloud.unreachable', 'ECONNREFUSED'), { ...around, server, interfaces: [] }),
    ).toContain('link:ok address:ok dns:ok tls:connection_refused');
  });

  test('trouble that is not on the way, as a full disk, blames no link', () => {
    expect(told(failed('disk.full'), around)).toContain('address:ok dns:waiting');
  });
});
