import type { FaultCode } from '@placard/protocol';
import { describe, expect, test } from 'vitest';
import type { NetworkInterface } from './ports.ts';
import { checkConnectivity } from './connectivity-check.ts';
import type { NetworkEnvironment } from './connectivity-check.ts';

const ethernet = (...addresses: string[]): NetworkInterface[] => [
  { name: 'eth0', kind: 'wired', mac: null, addresses, ssid: null },
];
const environment: NetworkEnvironment = {
  server: 'https://signs.example.com/base',
  interfaces: ethernet('192.0.2.7'),
  wallMs: Date.UTC(2026, 10, 20),
};
const failed = (code: FaultCode, reason: string | null = null) => ({
  ok: false as const,
  problem: { code, reason },
});

/** `link:ok address:ok dns:name_not_found tls:waiting …` */
const summary = (...args: Parameters<typeof checkConnectivity>) =>
  checkConnectivity(...args)
    .map(({ step, state, hint }) => `${step}:${hint ?? state}`)
    .join(' ');

describe('the connectivity check', () => {
  test('passes completely once the cloud has responded', () => {
    expect(summary({ ok: true }, environment)).toBe('link:ok address:ok dns:ok tls:ok server:ok clock:ok');
  });

  test('covers only the local network before the first attempt', () => {
    expect(summary(null, environment)).toBe(
      'link:ok address:ok dns:waiting tls:waiting server:waiting clock:waiting',
    );
    expect(summary(null, { ...environment, interfaces: null })).toBe(
      'link:waiting address:waiting dns:waiting tls:waiting server:waiting clock:waiting',
    );
  });

  test.each([
    ['no cable', [], 'ENOTFOUND', 'link:no_link address:waiting'],
    ['no address', ethernet('169.254.3.4', 'fe80::1'), 'ENOTFOUND', 'link:ok address:no_address dns:waiting'],
    ['no name', ethernet('192.0.2.7'), 'ENOTFOUND', 'address:ok dns:name_not_found tls:waiting'],
    ['DNS servers that do not respond', ethernet('192.0.2.7'), 'EAI_AGAIN', 'dns:name_not_found'],
    [
      'no server at the port',
      ethernet('192.0.2.7'),
      'ECONNREFUSED',
      'dns:ok tls:connection_refused server:waiting',
    ],
    ['no gateway', ethernet('192.0.2.7'), 'ENETUNREACH', 'tls:no_route'],
    ['silence', ethernet('192.0.2.7'), 'UND_ERR_CONNECT_TIMEOUT', 'tls:no_answer'],
    ['an error of the server', ethernet('192.0.2.7'), null, 'tls:ok server:server_error clock:waiting'],
  ])('%s is reported as the first failed step', (_, interfaces, reason, expected) => {
    expect(summary(failed('cloud.unreachable', reason), { ...environment, interfaces })).toContain(expected);
  });

  test.each([
    ['cloud.not_placard', 'server:not_placard'],
    ['cloud.refused', 'server:refused'],
    ['cloud.busy', 'server:busy'],
  ] as const)('%s is a response of a server, so all steps before it pass', (code, expected) => {
    expect(summary(failed(code), { ...environment, interfaces: [] })).toContain(
      `tls:ok ${expected} clock:waiting`,
    );
  });

  test('a certificate that is not valid yet is attributed to the clock', () => {
    expect(
      summary(failed('cloud.tls', 'CERT_NOT_YET_VALID'), { ...environment, wallMs: Date.UTC(2013, 0, 1) }),
    ).toBe('link:ok address:ok dns:ok tls:clock_wrong server:waiting clock:clock_wrong');
    expect(summary(failed('cloud.tls', 'CERT_HAS_EXPIRED'), environment)).toContain(
      'tls:certificate server:waiting',
    );
  });

  test('a cloud on the same machine needs no network', () => {
    const server = 'http://127.0.0.1:8787';
    expect(
      summary(failed('cloud.unreachable', 'ECONNREFUSED'), { ...environment, server, interfaces: [] }),
    ).toContain('link:ok address:ok dns:ok tls:connection_refused');
  });

  test('a fault outside the network, such as a full disk, fails no step', () => {
    expect(summary(failed('disk.full'), environment)).toContain('address:ok dns:waiting');
  });
});
