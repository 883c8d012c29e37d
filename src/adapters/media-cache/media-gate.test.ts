import { createServer } from 'node:http';
import { Fault } from '@placard/protocol';
import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { kindOfAddress } from './address-kind.ts';
import { createMediaGate, NOT_ALLOWED } from './media-gate.ts';

const NAMES: Record<string, string[]> = {
  'cloud.public': ['93.184.215.14'],
  'cloud.house': ['192.168.7.2'],
  'cdn.public': ['93.184.215.15', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'files.house': ['10.1.2.3'],
  'two.faced': ['93.184.215.15', '127.0.0.1'],
  localhost: ['127.0.0.1'],
};

/** The names above instead of the world's. */
async function resolve(hostname: string) {
  const found = NAMES[hostname];
  if (!found) throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
  return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}

const resolved = (server: string, hostname: string) =>
  new Promise<string>((done) => {
    createMediaGate({ server, resolve }).lookup(hostname, { all: true }, (error, addresses) =>
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
  ['http://cloud.public', 'files.house', false],
  ['http://cloud.public', 'two.faced', false],
  ['http://cloud.public', 'localhost', false],
  ['http://cloud.house', 'cdn.public', true],
  ['http://cloud.house', 'files.house', true],
  ['http://cloud.house', 'localhost', false],
  ['http://localhost:8787', 'localhost', true],
  ['http://localhost:8787', 'files.house', true],
  ['http://192.168.7.2:8787', 'files.house', true],
  // Nobody knows where the cloud is: nothing but the outside is allowed.
  ['http://cloud.unknown', 'files.house', false],
])('of a cloud at %s files come from %s: %s', async (server, hostname, allowed) => {
  expect(await resolved(server, hostname)).toMatch(allowed ? /address/ : NOT_ALLOWED);
});

test.each([
  ['http://cloud.public', 'http://127.0.0.1:6379/a', false],
  ['http://cloud.public', 'http://[::1]/a', false],
  ['http://cloud.public', 'http://192.168.0.1/a', false],
  ['http://cloud.public', 'http://169.254.169.254/latest/meta-data', false],
  ['http://cloud.house', 'http://169.254.169.254/latest/meta-data', false],
  ['http://localhost:8787', 'http://169.254.169.254/latest/meta-data', false],
  ['http://cloud.public', 'http://93.184.215.15/a', true],
  ['http://cloud.house', 'http://192.168.0.1/a', true],
  ['http://127.0.0.1:8787', 'http://127.0.0.1:8787/cdn/a', true],
  ['http://cloud.public', 'file:///etc/passwd', false],
])('of a cloud at %s the address %s is allowed: %s', async (server, url, allowed) => {
  const refused: unknown = await createMediaGate({ server, resolve })
    .check(url)
    .catch((error: unknown) => (error instanceof Fault ? error.code : error));
  expect(refused).toBe(allowed ? undefined : 'asset.not_allowed');
});

test('a connection is not made to where a name leads that is not allowed', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.end('secret');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const gate = createMediaGate({ server: 'http://cloud.public', resolve });
  const dispatcher = new Agent({ connect: { lookup: gate.lookup } });
  onTestFinished(() => dispatcher.destroy());
  await expect(request(`http://localhost:${port}/`, { dispatcher })).rejects.toMatchObject({
    code: NOT_ALLOWED,
  });
  expect(asked).toBe(0);
});
