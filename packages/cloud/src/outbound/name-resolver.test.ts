import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { createAddressGuard } from './address-guard.ts';
import { createNameResolver } from './name-resolver.ts';

const [A, AAAA] = [1, 28];
const KNOWN: Record<string, Record<number, string>> = {
  'fast.example.com': { [A]: '8.8.8.8' },
  'six.example.com': { [AAAA]: '2606:4700:4700::1111' },
  'both.example.com': { [A]: '8.8.8.8', [AAAA]: 'fd00::1' },
};

/** A name server that never responds to names starting with `slow`. */
async function startNameServer(): Promise<string> {
  const server = createSocket('udp4', (query, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (let bytes = query[at] ?? 0; bytes > 0; bytes = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + bytes));
      at += 1 + bytes;
    }
    const type = query.readUInt16BE(at + 1);
    const question = query.subarray(12, at + 5);
    const known = KNOWN[labels.join('.')];
    if (labels[0]?.startsWith('slow')) {
      return;
    }
    const found = known?.[type];
    const data = found === undefined ? [] : ipaddr.parse(found).toByteArray();
    const head = [
      query[0] ?? 0,
      query[1] ?? 0,
      0x81,
      known ? 0x80 : 0x83,
      0,
      1,
      0,
      found ? 1 : 0,
      0,
      0,
      0,
      0,
    ];
    const answer = found ? [0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data] : [];
    server.send(Buffer.concat([Buffer.from(head), question, Buffer.from(answer)]), port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${server.address().port}`;
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'found',
    (error: { code?: string }) => error.code,
  );

test('names whose name server does not respond delay no other lookups and block no thread', async () => {
  const asked: string[] = [];
  const resolver = createNameResolver({
    servers: [await startNameServer()],
    timeoutMs: 300,
    async systemLookup(name) {
      asked.push(name);
      return [{ address: '8.8.4.4', family: 4 }];
    },
  });
  let finished = 0;
  const slow = Array.from({ length: 12 }, (_, i) =>
    codeOf(resolver.resolve(`slow${i}.example.com`)).finally(() => (finished += 1)),
  );
  expect(await resolver.resolve('fast.example.com')).toEqual([{ address: '8.8.8.8', family: 4 }]);
  expect(await resolver.resolve('six.example.com')).toEqual([{ address: '2606:4700:4700::1111', family: 6 }]);
  expect(finished).toBe(0);
  expect(new Set(await Promise.all(slow))).toEqual(new Set(['EAI_AGAIN']));
  expect(asked).toEqual([]);
});

test('names unknown to the name servers are resolved by the system, one at a time', async () => {
  const servers = [await startNameServer()];
  let [running, most] = [0, 0];
  const resolver = createNameResolver({
    servers,
    async systemLookup() {
      most = Math.max(most, ++running);
      for (let turns = 0; turns < 50; turns++) {
        await setImmediate();
      }
      running -= 1;
      return [{ address: '10.0.0.7', family: 4 }];
    },
  });
  const found = await Promise.all([1, 2, 3, 4].map((i) => resolver.resolve(`box${i}`)));
  expect(found.flat()).toEqual(found.map(() => ({ address: '10.0.0.7', family: 4 })));
  expect(most).toBe(1);
  expect(await codeOf(createNameResolver({ servers, systemLookup: null }).resolve('box1'))).toBe('ENOTFOUND');
});

test('local names are resolved by the system, even when no name server responds', async () => {
  const resolver = createNameResolver({
    servers: [await startNameServer()],
    timeoutMs: 100,
    systemLookup: async () => [{ address: '10.0.0.7', family: 4 }],
  });
  const found = await Promise.all(['slow-box', 'slow-box.local'].map((name) => resolver.resolve(name)));
  expect(found.flat()).toEqual(found.map(() => ({ address: '10.0.0.7', family: 4 })));
  expect(await codeOf(resolver.resolve('slow.example.com'))).toBe('EAI_AGAIN');
});

test('the hosts file has priority', async () => {
  const folder = tempDir();
  const hostsFile = join(folder, 'hosts');
  await writeFile(
    hostsFile,
    '# 10.0.0.1 fast.example.com\r\n10.0.0.2\tother Fast.example.com # here\n\n::1 fast.example.com\nnone box\n',
  );
  const resolver = createNameResolver({ servers: [await startNameServer()], systemLookup: null, hostsFile });
  expect(await resolver.resolve('fast.example.com')).toEqual([
    { address: '10.0.0.2', family: 4 },
    { address: '::1', family: 6 },
  ]);
  expect(await codeOf(resolver.resolve('box'))).toBe('ENOTFOUND');
});

test('all addresses of a name are checked, and the connection uses a checked one', async () => {
  const resolver = createNameResolver({ servers: [await startNameServer()], systemLookup: null });
  const resolve = (host: string, allowList: string[] = []) =>
    new Promise((done) => {
      createAddressGuard(allowList, resolver).lookup(host, {}, (error, address) =>
        done(error?.code ?? address),
      );
    });
  expect(await resolve('fast.example.com')).toBe('8.8.8.8');
  expect(await resolve('both.example.com')).toBe('EADDRNOTALLOWED');
  expect(await resolve('both.example.com', ['fd00::1'])).toBe('8.8.8.8');
});
