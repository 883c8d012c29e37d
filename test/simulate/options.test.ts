import { expect, test } from 'vitest';
import { readAdminKey, readOptions, UsageError } from './options.ts';
import { listAddresses } from './source-addresses.ts';

const SERVER = ['--server', 'http://127.0.0.1:8787/'];

test('the command line is read', () => {
  expect(
    readOptions([...SERVER, '--server', 'https://b.example', '--devices', '100', '--calm']),
  ).toMatchObject({
    command: 'run',
    servers: ['http://127.0.0.1:8787', 'https://b.example'],
    devices: 100,
    sockets: 100,
    rampSeconds: 60,
    hasDisturbances: false,
    audit: true,
  });
  expect(readOptions(['audit', ...SERVER, '--ledger', 'x'])).toMatchObject({ command: 'audit', ledger: 'x' });
  expect(readOptions(['--help'])).toBeNull();
});

test.each([
  [['--devices', '5'], 'Name the cloud'],
  [SERVER, 'Say how many devices'],
  [[...SERVER, '--devices', 'many'], '--devices: give a number'],
  [[...SERVER, '--devices', '5', '--media', 'some'], '--media: choose one of'],
  [['--server', 'ftp://x', '--devices', '5'], 'is not an address'],
  [['--server', 'http://u:p@x', '--devices', '5'], 'leave out the user name'],
  [[...SERVER, '--devices', '5', '--source-addresses', '10.0.0.0/8'], '--source-addresses'],
  [[...SERVER, '--devices', '5', '--admin-key', 'x'], '--admin-key'],
  [['start', ...SERVER], '“start” is not known'],
])('%j is refused', (args, message) => {
  expect(() => readOptions(args)).toThrow(UsageError);
  expect(() => readOptions(args)).toThrow(message);
});

test('the Admin key is read from the environment', () => {
  expect(readAdminKey({ PLACARD_ADMIN_KEY: 'plk_1' })).toBe('plk_1');
  expect(() => readAdminKey({ PLACARD_ADMIN_KEY: '' })).toThrow('PLACARD_ADMIN_KEY');
});

test('the addresses of a network are listed', () => {
  expect(listAddresses('127.1.0.6/30')).toEqual(['127.1.0.4', '127.1.0.5', '127.1.0.6', '127.1.0.7']);
  expect(listAddresses('127.1.0.0/16')).toHaveLength(65_536);
  expect(listAddresses('localhost')).toBeNull();
});
