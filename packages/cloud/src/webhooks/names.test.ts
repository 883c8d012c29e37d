import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import { expect, onTestFinished, test } from 'vitest';
import { createAddressGuard } from './address-guard.ts';
import { createNames } from './names.ts';

const [A, AAAA] = [1, 28];
const KNOWN: Record<string, Record<number, string>> = {
  'fast.example.com': { [A]: '8.8.8.8' },
  'six.example.com': { [AAAA]: '2606:4700:4700::1111' },
  'both.example.com': { [A]: '8.8.8.8', [AAAA]: 'fd00::1' },
};

/** A name server that never answers for what begins with `slow`. */
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
    if (labels[0]?.startsWith('slow')) return;
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

test('names whose name server gives no answer hold up no other, and take no thread', async () => {
  const asked: string[] = [];
  const names = createNames({
    servers: [await startNameServer()],
    timeoutMs: 300,
    async system(name) {
      asked.push(name);
      return [{ address: '8.8.4.4', family: 4 }];
    },
  });
  let over = 0;
  const slow = Array.from({ length: 12 }, (_, i) =>
    codeOf(names.addressesOf(`slow${i}.example.com`)).finally(() => (over += 1)),
  );
  expect(await names.addressesOf('fast.example.com')).toEqual([{ address: '8.8.8.8', family: 4 }]);
  expect(await names.addressesOf('six.example.com')).toEqual([
    { address: '2606:4700:4700::1111', family: 6 },
  ]);
  expect(over).toBe(0);
  expect(new Set(await Promise.all(slow))).toEqual(new Set(['EAI_AGAIN']));
  expect(asked).toEqual([]);
});

test('what no name server knows is asked of the system, one name at a time', async () => {
  const servers = [await startNameServer()];
  let [running, most] = [0, 0];
  const names = createNames({
    servers,
    async system() {
      most = Math.max(most, ++running);
      for (let turns = 0; turns < 50; turns++) await setImmediate();
      running -= 1;
      return [{ address: '10.0.0.7', family: 4 }];
    },
  });
  const found = await Promise.all([1, 2, 3, 4].map((i) => names.addressesOf(`box${i}`)));
  expect(found.flat()).toEqual(found.map(() => ({ address: '10.0.0.7', family: 4 })));
  expect(most).toBe(1);
  expect(await codeOf(createNames({ servers, system: null }).addressesOf('box1'))).toBe('ENOTFOUND');
});

test('local names are asked of the system, also when no name server answers', async () => {
  const names = createNames({
    servers: [await startNameServer()],
    timeoutMs: 100,
    system: async () => [{ address: '10.0.0.7', family: 4 }],
  });
  const found = await Promise.all(['slow-box', 'slow-box.local'].map((name) => names.addressesOf(name)));
  expect(found.flat()).toEqual(found.map(() => ({ address: '10.0.0.7', family: 4 })));
  expect(await codeOf(names.addressesOf('slow.example.com'))).toBe('EAI_AGAIN');
});

test('the hosts file comes first', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'placard-names-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const hostsFile = join(folder, 'hosts');
  await writeFile(
    hostsFile,
    '# 10.0.0.1 fast.example.com\r\n10.0.0.2\tother Fast.example.com # here\n\n::1 fast.example.com\nnone box\n',
  );
  const names = createNames({ servers: [await startNameServer()], system: null, hostsFile });
  expect(await names.addressesOf('fast.example.com')).toEqual([
    { address: '10.0.0.2', family: 4 },
    { address: '::1', family: 6 },
  ]);
  expect(await codeOf(names.addressesOf('box'))).toBe('ENOTFOUND');
});

test('of a name every address is looked at, and a connection goes to one that was', async () => {
  const names = createNames({ servers: [await startNameServer()], system: null });
  const resolve = (host: string, allowList: string[] = []) =>
    new Promise((done) => {
      createAddressGuard(allowList, names).lookup(host, {}, (error, address) => done(error?.code ?? address));
    });
  expect(await resolve('fast.example.com')).toBe('8.8.8.8');
  expect(await resolve('both.example.com')).toBe('EADDRNOTALLOWED');
  expect(await resolve('both.example.com', ['fd00::1'])).toBe('8.8.8.8');
});
