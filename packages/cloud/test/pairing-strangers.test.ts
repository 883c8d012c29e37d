import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import type { CloudOptions } from '@placard/cloud';
import { startTestCloud } from './support/cloud.ts';
import type { TestCloud } from './support/cloud.ts';
import type { Reply } from './support/client.ts';
import { eventually } from './support/eventually.ts';

let cloud: TestCloud;
const open = async (options: Partial<CloudOptions> = {}) => {
  cloud = await startTestCloud({ trustProxies: ['127.0.0.1'], ...options });
};
afterEach(() => cloud.close());

const start = (serial: string, from = '192.0.2.1', more: object = {}): Promise<Reply> =>
  cloud
    .as(null)
    .post(
      '/v1/player/pairing',
      { serial, platform: 'linux', player_version: '1', ...more },
      { 'x-forwarded-for': from },
    );
const poll = ({ data }: Reply) =>
  cloud.as(null).post(`/v1/player/pairing/${data.pairing_id}/token`, { poll_token: data.poll_token });
const confirm = ({ data }: Reply) => cloud.admin.post('/v1/devices/pair', { code: data.code });
const isSame = (one: Reply, other: Reply) =>
  one.data.poll_token === other.data.poll_token && one.data.pairing_id === other.data.pairing_id;

/** What lies in the database of the sessions. */
function rows(): { serial: string; address: string; request: string }[] {
  const db = new Sqlite(join(cloud.dataDir, 'cloud.sqlite'), { readonly: true });
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return db.prepare('select serial, address, request from pairings').all() as ReturnType<typeof rows>;
  } finally {
    db.close();
  }
}

describe('a stranger who starts pairing again and again', () => {
  test('stores no more than 8 kB of hardware each time, and no secret', async () => {
    await open();
    const secret = 's'.repeat(43);
    const hardware = {
      model: 'Box',
      network_interfaces: Array.from({ length: 64 }, (_, n) => ({
        name: `eth${n}`,
        kind: 'wired',
        mac: null,
        addresses: Array.from({ length: 16 }, () => 'x'.repeat(100)),
        ssid: null,
      })),
    };
    const first = await start('SN-1', '192.0.2.1', { hardware, screen_secret: secret });
    expect(first.status).toBe(200);
    const [row] = rows();
    expect(row?.request.length).toBeLessThan(9_000);
    expect(JSON.stringify(row)).not.toContain(secret);
    const { data } = await confirm(first);
    expect(data.hardware).toMatchObject({ model: 'Box', serial: 'SN-1' });
  });

  test('leaves nothing behind when the sessions are over; who types the code a moment late is told why', async () => {
    await open();
    const late = await start('SN-LATE');
    const taken = await start('SN-TAKEN');
    await confirm(taken);
    for (let i = 0; i < 5; i++) await start(`SN-${i}`);
    cloud.clock.advance(15 * 60_000);
    await eventually(() => {
      cloud.clock.advance(15_000);
      expect(rows().map(({ serial }) => serial)).toEqual(['SN-TAKEN']);
    });
    expect((await confirm(late)).error).toMatchObject({ details: { reason: 'expired' } });
    expect((await poll(late)).error?.code).toBe('PAIRING_EXPIRED');
    expect((await poll(taken)).data, 'confirmed while its screen was away').toMatchObject({
      device_token: expect.any(String),
    });
    cloud.clock.advance(24 * 3_600_000);
    await eventually(() => {
      cloud.clock.advance(15_000);
      expect(rows()).toEqual([]);
    });
  });

  test('pushes out its own sessions when there is no more room, and no screen of anybody else', async () => {
    await open({ pairingLimits: { waiting: 20 } });
    const others = [await start('SN-A', '198.51.100.1'), await start('SN-B', '198.51.100.2')];
    for (let i = 0; i < 50; i++) expect((await start(`SN-${i}`)).status).toBe(200);
    expect(rows()).toHaveLength(20);
    for (const other of others) expect((await poll(other)).status).toBe(202);
    expect((await start('SN-C', '198.51.100.3')).status).toBe(200);
  });

  test('from everywhere at once is told to come back, and the sessions that are there stay', async () => {
    await open({ pairingLimits: { waiting: 20, starts: 30 } });
    const first = await start('SN-0', '198.51.100.0');
    for (let i = 1; i < 20; i++) expect((await start(`SN-${i}`, `198.51.100.${i}`)).status).toBe(200);
    const over = await start('SN-X', '198.51.100.99');
    expect([over.error?.code, over.headers.get('retry-after')]).toEqual(['UNAVAILABLE', '60']);
    expect(isSame(await start('SN-0', '198.51.100.0'), first)).toBe(true);
    expect(rows()).toHaveLength(20);
    for (let i = 0; i < 9; i++) await start(`SN-X${i}`, `198.51.100.${100 + i}`);
    expect((await start('SN-Y', '198.51.100.120')).error?.code, 'the limit of all addresses').toBe(
      'RATE_LIMITED',
    );
  });

  test.each([
    ['one IPv4 address', () => '203.0.113.9'],
    ['one IPv4 address, written as IPv6', (n: number) => (n % 2 ? '203.0.113.9' : '::ffff:203.0.113.9')],
    ['one IPv6 network', (n: number) => `2001:db8:0:1:${n.toString(16)}::${n}`],
  ])('from %s is limited after 60', async (_, address) => {
    await open();
    for (let i = 0; i < 60; i++) expect((await start(`SN-${i}`, address(i))).status).toBe(200);
    expect((await start('SN-X', address(61))).error?.code).toBe('RATE_LIMITED');
    expect((await start('SN-X', '2001:db8:0:2::1')).status).toBe(200);
  });

  test('from many IPv6 networks of one site is limited together, and shuts nobody else out', async () => {
    await open({ pairingLimits: { startsPerSite: 90 } });
    const older = await start('SN-OLD', '2001:db8:1:ffff::1');
    for (let i = 1; i < 90; i++)
      expect((await start(`SN-${i}`, `2001:db8:1:${(i % 30).toString(16)}::${i}`)).status).toBe(200);
    expect((await start('SN-X', '2001:db8:1:aaaa::1')).error?.code).toBe('RATE_LIMITED');
    expect(isSame(await start('SN-OLD', '2001:db8:1:ffff::1'), older), 'its code stays').toBe(true);
    expect((await start('SN-X', '2001:db8:2::1')).status).toBe(200);
    expect((await start('SN-X', '192.0.2.1')).status).toBe(200);
  });

  test('takes no code off the wall: a screen at its address still gets its live session', async () => {
    await open();
    const [older, newer] = [
      await start('SN-OLD'),
      await start('SN-NEW', undefined, { screen_secret: 'k'.repeat(43) }),
    ];
    for (let i = 0; i < 70; i++) await start(`SN-${i}`);
    expect((await start('SN-X')).error?.code).toBe('RATE_LIMITED');
    expect(isSame(await start('SN-OLD'), older)).toBe(true);
    expect(isSame(await start('SN-NEW', undefined, { screen_secret: 'k'.repeat(43) }), newer)).toBe(true);
    expect((await start('SN-NEW', undefined, { screen_secret: 'x'.repeat(43) })).error?.code).toBe(
      'RATE_LIMITED',
    );
  });
});

describe('a session belongs to the screen that made it', () => {
  const mine = { screen_secret: 'mine'.repeat(11) };
  const theirs = { screen_secret: 'them'.repeat(11) };

  test('who knows the serial and stands behind the same address does not get into it, before or after it is confirmed', async () => {
    await open();
    const screen = await start('SN-1', undefined, mine);
    const strangers = async () => [await start('SN-1', undefined, theirs), await start('SN-1')];
    for (const stranger of await strangers()) {
      expect(stranger.data.poll_token).not.toBe(screen.data.poll_token);
      expect(stranger.data.code).not.toBe(screen.data.code);
    }
    const { data } = await confirm(screen);
    for (const stranger of await strangers()) expect((await poll(stranger)).status).toBe(202);
    expect((await poll(screen)).data.device_id).toBe(data.id);
  });

  test('the screen itself gets it again from another network, also once it is confirmed', async () => {
    await open();
    const screen = await start('SN-1', '192.0.2.1', mine);
    expect(isSame(await start('SN-1', '198.51.100.7', mine), screen)).toBe(true);
    const { data } = await confirm(screen);
    const again = await start('SN-1', '2001:db8::1', mine);
    expect((await poll(again)).data.device_id).toBe(data.id);
  });

  test('an older player, without a secret, pairs as before, and gets no session that was confirmed', async () => {
    await open();
    const screen = await start('SN-1');
    expect(isSame(await start('SN-1'), screen)).toBe(true);
    expect(isSame(await start('SN-1', '198.51.100.7'), screen)).toBe(false);
    const { data } = await confirm(screen);
    expect(isSame(await start('SN-1'), screen)).toBe(false);
    expect((await poll(screen)).data.device_id).toBe(data.id);
  });

  test('a secret that is none is refused', async () => {
    await open();
    const short = await start('SN-1', undefined, { screen_secret: 'short' });
    expect(short.error?.details).toMatchObject([{ path: 'screen_secret' }]);
  });
});

const named = async (more: object) => (await confirm(await start('SN-9', undefined, more))).data.name;

test('what a screen calls itself becomes its name only when it is one', async () => {
  await open();
  expect(await named({ hostname: ' lobby-left ' })).toBe('lobby-left');
  expect(await named({ hostname: 'x\0\u001B[2J', model: 'Box 3' })).toBe('Box 3');
  expect(await named({ hostname: 'h'.repeat(253) })).toBe('SN-9');
});
