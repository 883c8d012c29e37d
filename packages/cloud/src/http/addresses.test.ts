import { expect, test } from 'vitest';
import { addressGroup, createAddresses, siteOf } from './addresses.ts';

test('an IPv4 address counts for itself, also one written as IPv6 or with a port', () => {
  for (const written of [
    '192.0.2.7',
    '::ffff:192.0.2.7',
    '::ffff:c000:207',
    '192.0.2.7:4711',
    '[::ffff:192.0.2.7]:1',
  ])
    expect(addressGroup(written), written).toBe('192.0.2.7');
  expect(addressGroup('192.0.2.8')).not.toBe('192.0.2.7');
});

test('the IPv6 addresses of one /64 count together, those of another do not', () => {
  const group = addressGroup('2001:db8:1:2::1');
  expect(group).toBe('2001:db8:1:2::/64');
  for (const same of ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:0DB8:1:2::9%eth0', '[2001:db8:1:2::3]:443'])
    expect(addressGroup(same), same).toBe(group);
  expect(addressGroup('2001:db8:1:3::1')).not.toBe(group);
});

test('the /64 networks of one /48 are one site', () => {
  const site = siteOf(addressGroup('2001:db8:1:2::1'));
  expect(site).toBe('2001:db8:1::/48');
  expect(siteOf(addressGroup('2001:db8:1:ffff::9'))).toBe(site);
  expect(siteOf(addressGroup('2001:db8:2:2::1'))).not.toBe(site);
  expect([siteOf(addressGroup('192.0.2.7')), siteOf(addressGroup('nonsense'))]).toEqual([null, null]);
});

test('what is no address counts as one', () => {
  for (const text of [undefined, '', 'unknown', 'a'.repeat(500)]) expect(addressGroup(text)).toBe('unknown');
});

test('a proxy is believed when it is trusted', () => {
  const { isProxy } = createAddresses(['10.0.0.0/8', '::1']);
  expect([isProxy('10.1.2.3'), isProxy('::1'), isProxy('192.0.2.1'), isProxy(undefined)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(createAddresses([]).isProxy('127.0.0.1')).toBe(false);
});
