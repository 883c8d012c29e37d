import { expect, test } from 'vitest';
import { createAddressGuard } from './address-guard.ts';

test.each(['8.8.8.8', '93.184.216.34', '2606:4700:4700::1111', '::ffff:8.8.8.8'])(
  '%s is public',
  (address) => {
    expect(createAddressGuard().allows(address)).toBe(true);
  },
);

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.1.1',
  '127.0.0.1',
  '127.255.255.255',
  '168.63.129.16',
  '169.254.169.254',
  '172.31.0.1',
  '192.0.0.1',
  '192.0.2.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '100::1',
  '2001:db8::1',
  '2002:7f00:1::',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  'nonsense',
])('%s is not public', (address) => {
  expect(createAddressGuard().allows(address)).toBe(false);
});

test('only public addresses and those on the allow list are allowed', () => {
  const guard = createAddressGuard(['10.0.0.0/24', '::1']);
  expect([guard.allows('10.0.0.9'), guard.allows('::ffff:10.0.0.9'), guard.allows('::1')]).toEqual([
    true,
    true,
    true,
  ]);
  expect([guard.allows('10.0.1.1'), guard.allows('127.0.0.1'), guard.allows('::2')]).toEqual([
    false,
    false,
    false,
  ]);
});

const resolve = (host: string, allowList: string[] = []) =>
  new Promise((done) => {
    createAddressGuard(allowList).lookup(host, { all: true }, (error, addresses) =>
      done(error?.code ?? addresses),
    );
  });

test('host names are checked when they are resolved', async () => {
  expect(await resolve('localhost')).toBe('EADDRNOTALLOWED');
  expect(await resolve('localhost', ['127.0.0.0/8', '::1'])).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/) }),
    ]),
  );
});
