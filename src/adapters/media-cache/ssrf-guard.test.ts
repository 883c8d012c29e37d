import { createServer } from 'node:http';
import { Fault } from '@placard/protocol';
import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { kindOfAddress } from './address-kind.ts';
import { createSsrfGuard, NOT_ALLOWED } from './ssrf-guard.ts';

const NAMES: Record<string, string[]> = {
  'cloud.public': ['93.184.215.14'],
  'cloud.lan': ['192.168.7.2'],
  'cdn.public': ['93.184.215.15', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'files.lan': ['10.1.2.3'],
  'two.faced': ['93.184.215.15', '127.0.0.1'],
  localhost: ['127.0.0.1'],
};

/** Resolves the names above instead of real ones. */
async function resolve(hostname: string) {
  const found = NAMES[hostname];
  if (!found) {
    throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
  }
  return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}

const resolved = (server: string, hostname: string) =>
  new Promise<string>((done) => {
    createSsrfGuard({ server, resolve }).lookup(hostname, { all: true }, (error, addresses) =>
      done(error ? String(error.code) : JSON.stringify(addresses)),
    );
  });

test.each([
  ['8.8.8.8', 'public'],
  ['2606:4700::1', 'public'],
  ['127.8.0.1', 'loopback'],
  ['::1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['10.0.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['172.32.0.1', 'public'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'private'],
  ['fd12::1', 'private'],
  ['169.254.1.1', 'link_local'],
  ['fe80::1%eth0', 'link_local'],
  ['169.254.169.254', 'metadata'],
  ['fd00:ec2::254', 'metadata'],
  ['0.0.0.0', 'reserved'],
  ['::', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['ff02::1', 'reserved'],
  ['64:ff9b::7f00:1', 'reserved'],
])('%s is %s', (address, kind) => {
  expect(kindOfAddress(address)).toBe(kind);
});

test.each([
  ['http://cloud.public', 'cdn.public', true],
  ['http://cloud.public', 'files.lan', false],
  ['http://cloud.public', 'two.faced', false],
  ['http://cloud.public', 'localhost', false],
  ['http://cloud.lan', 'cdn.public', true],
  ['http://cloud.lan', 'files.lan', true],
  ['http://cloud.lan', 'localhost', false],
  ['http://localhost:8787', 'localhost', true],
  ['http://localhost:8787', 'files.lan', true],
  ['http://192.168.7.2:8787', 'files.lan', true],
  // The address of the cloud is unknown, so only public addresses are allowed.
  ['http://cloud.unknown', 'files.lan', false],
])('a cloud at %s: files from %s allowed: %s', async (server, hostname, allowed) => {
  expect(await resolved(server, hostname)).toMatch(allowed ? /address/ : NOT_ALLOWED);
});

test.each([
  ['http://cloud.public', 'http://127.0.0.1:6379/a', false],
  ['http://cloud.public', 'http://[::1]/a', false],
  ['http://cloud.public', 'http://192.168.0.1/a', false],
  ['http://cloud.public', 'http://169.254.169.254/latest/meta-data', false],
  ['http://cloud.lan', 'http://169.254.169.254/latest/meta-data', false],
  ['http://localhost:8787', 'http://169.254.169.254/latest/meta-data', false],
  ['http://cloud.public', 'http://93.184.215.15/a', true],
  ['http://cloud.lan', 'http://192.168.0.1/a', true],
  ['http://127.0.0.1:8787', 'http://127.0.0.1:8787/cdn/a', true],
  ['http://cloud.public', 'file:///etc/passwd', false],
])('a cloud at %s: the address %s allowed: %s', async (server, url, allowed) => {
  const refused: unknown = await createSsrfGuard({ server, resolve })
    .check(url)
    .catch((error: unknown) => (error instanceof Fault ? error.code : error));
  expect(refused).toBe(allowed ? undefined : 'asset.not_allowed');
});

test('does not connect to a host name that resolves to a forbidden address', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.end('secret');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const ssrfGuard = createSsrfGuard({ server: 'http://cloud.public', resolve });
  const dispatcher = new Agent({ connect: { lookup: ssrfGuard.lookup } });
  onTestFinished(() => dispatcher.destroy());
  await expect(request(`http://localhost:${port}/`, { dispatcher })).rejects.toMatchObject({
    code: NOT_ALLOWED,
  });
  expect(asked).toBe(0);
});
