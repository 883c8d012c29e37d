import ipaddr from 'ipaddr.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { addressGroup, createClientAddresses, ipv6SiteOf } from './client-address.ts';

test('an IPv4 address is its own group, also when mapped to IPv6 or with a port', () => {
  for (const written of [
    '192.0.2.7',
    '::ffff:192.0.2.7',
    '::ffff:c000:207',
    '192.0.2.7:4711',
    '[::ffff:192.0.2.7]:1',
  ]) {
    expect(addressGroup(written), written).toBe('192.0.2.7');
  }
  expect(addressGroup('192.0.2.8')).not.toBe('192.0.2.7');
});

test('the IPv6 addresses of one /64 network are one group', () => {
  const group = addressGroup('2001:db8:1:2::1');
  expect(group).toBe('2001:db8:1:2::/64');
  for (const same of ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:0DB8:1:2::9%eth0', '[2001:db8:1:2::3]:443']) {
    expect(addressGroup(same), same).toBe(group);
  }
  expect(addressGroup('2001:db8:1:3::1')).not.toBe(group);
});

test('the /64 networks of one /48 are one site', () => {
  const site = ipv6SiteOf(addressGroup('2001:db8:1:2::1'));
  expect(site).toBe('2001:db8:1::/48');
  expect(ipv6SiteOf(addressGroup('2001:db8:1:ffff::9'))).toBe(site);
  expect(ipv6SiteOf(addressGroup('2001:db8:2:2::1'))).not.toBe(site);
  expect([ipv6SiteOf(addressGroup('192.0.2.7')), ipv6SiteOf(addressGroup('nonsense'))]).toEqual([null, null]);
});

test('invalid addresses are one group', () => {
  for (const text of [undefined, '', 'unknown', 'a'.repeat(500)]) {
    expect(addressGroup(text)).toBe('unknown');
  }
});

test('X-Forwarded-For is used only from a trusted proxy', () => {
  const { isTrustedProxy } = createClientAddresses(['10.0.0.0/8', '::1']);
  expect([
    isTrustedProxy('10.1.2.3'),
    isTrustedProxy('::1'),
    isTrustedProxy('192.0.2.1'),
    isTrustedProxy(undefined),
  ]).toEqual([true, true, false, false]);
  expect(createClientAddresses([]).isTrustedProxy('127.0.0.1')).toBe(false);
});

test('the addresses of a fleet whose devices report in turn are each parsed once', () => {
  const parsed = vi.spyOn(ipaddr, 'isValid');
  onTestFinished(() => parsed.mockRestore());
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 50_000; n++) {
      addressGroup(`10.1.${n >> 8}.${n & 255}`);
    }
  }
  expect(parsed.mock.calls.length).toBe(50_000);
});
