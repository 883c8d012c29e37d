import { afterEach, describe, expect, test } from 'vitest';
import type { CloudOptions } from '@placard/cloud';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import type { Reply } from './support/client.ts';
import { eventually } from '../../../test/support/eventually.ts';

let cloud: TestCloud;
const open = async (options: Partial<CloudOptions> = {}) => {
  cloud = await startTestCloud({ trustProxies: ['127.0.0.1'], ...options });
};
afterEach(() => cloud.close());

const start = (serial: string, from = '192.0.2.1', more: object = {}): Promise<Reply> =>
  cloud
    .clientFor(null)
    .post(
      '/v1/player/pairing',
      { serial, platform: 'linux', player_version: '1', ...more },
      { 'x-forwarded-for': from },
    );
const poll = ({ data }: Reply) =>
  cloud.clientFor(null).post(`/v1/player/pairing/${data.pairing_id}/token`, { poll_token: data.poll_token });
const confirm = ({ data }: Reply) => cloud.admin.post('/v1/devices/pair', { code: data.code });
const isSame = (one: Reply, other: Reply) =>
  one.data.poll_token === other.data.poll_token && one.data.pairing_id === other.data.pairing_id;

/** The pairing sessions in the database. */
const rows = () =>
  cloud.inDatabase((db) => db.selectFrom('pairings').select(['serial', 'address', 'request']).execute());

describe('an unauthenticated client that starts pairing repeatedly', () => {
  test('can store at most 8 kB of hardware per session, and no secret', async () => {
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
    const [row] = await rows();
    expect(row?.request.length).toBeLessThan(9_000);
    expect(JSON.stringify(row)).not.toContain(secret);
    const { data } = await confirm(first);
    expect(data.hardware).toMatchObject({ model: 'Box', serial: 'SN-1' });
  });

  test('leaves nothing behind after the sessions expire; a code entered too late is reported as expired', async () => {
    await open();
    const late = await start('SN-LATE');
    const taken = await start('SN-TAKEN');
    await confirm(taken);
    for (let i = 0; i < 5; i++) {
      await start(`SN-${i}`);
    }
    cloud.clock.advance(15 * 60_000);
    await eventually(async () => {
      cloud.clock.advance(15_000);
      expect((await rows()).map(({ serial }) => serial)).toEqual(['SN-TAKEN']);
    });
    // The others of several nodes learn it a moment later.
    await eventually(async () =>
      expect((await confirm(late)).error).toMatchObject({ details: { reason: 'expired' } }),
    );
    expect((await poll(late)).error?.code).toBe('PAIRING_EXPIRED');
    expect((await poll(taken)).data, 'confirmed while the player was offline').toMatchObject({
      device_token: expect.any(String),
    });
    cloud.clock.advance(24 * 3_600_000);
    await eventually(async () => {
      cloud.clock.advance(15_000);
      expect(await rows()).toEqual([]);
    });
  });

  test('evicts its own sessions when all are taken, not those of other addresses', async () => {
    await open({ pairingLimits: { waitingSessions: 20 } });
    const others = [await start('SN-A', '198.51.100.1'), await start('SN-B', '198.51.100.2')];
    for (let i = 0; i < 50; i++) {
      expect((await start(`SN-${i}`)).status).toBe(200);
    }
    expect(await rows()).toHaveLength(20);
    for (const other of others) {
      expect((await poll(other)).status).toBe(202);
    }
    expect((await start('SN-C', '198.51.100.3')).status).toBe(200);
  });

  test('from everywhere at once is asked to retry later, and existing sessions stay', async () => {
    await open({ pairingLimits: { waitingSessions: 20, startsInTotal: 30 } });
    const first = await start('SN-0', '198.51.100.0');
    for (let i = 1; i < 20; i++) {
      expect((await start(`SN-${i}`, `198.51.100.${i}`)).status).toBe(200);
    }
    const over = await start('SN-X', '198.51.100.99');
    expect([over.error?.code, over.headers.get('retry-after')]).toEqual(['UNAVAILABLE', '60']);
    expect(isSame(await start('SN-0', '198.51.100.0'), first)).toBe(true);
    expect(await rows()).toHaveLength(20);
    for (let i = 0; i < 9; i++) {
      await start(`SN-X${i}`, `198.51.100.${100 + i}`);
    }
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
    for (let i = 0; i < 60; i++) {
      expect((await start(`SN-${i}`, address(i))).status).toBe(200);
    }
    expect((await start('SN-X', address(61))).error?.code).toBe('RATE_LIMITED');
    expect((await start('SN-X', '2001:db8:0:2::1')).status).toBe(200);
  });

  test('from many IPv6 networks of one site shares one limit and does not block other sites', async () => {
    await open({ pairingLimits: { startsPerIpv6Site: 90 } });
    const older = await start('SN-OLD', '2001:db8:1:ffff::1');
    for (let i = 1; i < 90; i++) {
      expect((await start(`SN-${i}`, `2001:db8:1:${(i % 30).toString(16)}::${i}`)).status).toBe(200);
    }
    expect((await start('SN-X', '2001:db8:1:aaaa::1')).error?.code).toBe('RATE_LIMITED');
    expect(isSame(await start('SN-OLD', '2001:db8:1:ffff::1'), older), 'its code stays').toBe(true);
    expect((await start('SN-X', '2001:db8:2::1')).status).toBe(200);
    expect((await start('SN-X', '192.0.2.1')).status).toBe(200);
  });

  test('does not invalidate other codes: a player at its address still gets its active session', async () => {
    await open();
    const [older, newer] = [
      await start('SN-OLD'),
      await start('SN-NEW', undefined, { screen_secret: 'k'.repeat(43) }),
    ];
    for (let i = 0; i < 70; i++) {
      await start(`SN-${i}`);
    }
    expect((await start('SN-X')).error?.code).toBe('RATE_LIMITED');
    expect(isSame(await start('SN-OLD'), older)).toBe(true);
    expect(isSame(await start('SN-NEW', undefined, { screen_secret: 'k'.repeat(43) }), newer)).toBe(true);
    expect((await start('SN-NEW', undefined, { screen_secret: 'x'.repeat(43) })).error?.code).toBe(
      'RATE_LIMITED',
    );
  });
});

describe('a session belongs to the player that started it', () => {
  const ownSession = { screen_secret: 'mine'.repeat(11) };
  const theirs = { screen_secret: 'them'.repeat(11) };

  test('the serial and the same address do not give access to it, before or after it is confirmed', async () => {
    await open();
    const screen = await start('SN-1', undefined, ownSession);
    const strangers = async () => [await start('SN-1', undefined, theirs), await start('SN-1')];
    for (const stranger of await strangers()) {
      expect(stranger.data.poll_token).not.toBe(screen.data.poll_token);
      expect(stranger.data.code).not.toBe(screen.data.code);
    }
    const { data } = await confirm(screen);
    for (const stranger of await strangers()) {
      expect((await poll(stranger)).status).toBe(202);
    }
    expect((await poll(screen)).data.device_id).toBe(data.id);
  });

  test('the player gets it again from another network, also after it was confirmed', async () => {
    await open();
    const screen = await start('SN-1', '192.0.2.1', ownSession);
    expect(isSame(await start('SN-1', '198.51.100.7', ownSession), screen)).toBe(true);
    const { data } = await confirm(screen);
    const again = await start('SN-1', '2001:db8::1', ownSession);
    expect((await poll(again)).data.device_id).toBe(data.id);
  });

  test('an older player, without a secret, can pair, but does not get a confirmed session', async () => {
    await open();
    const screen = await start('SN-1');
    expect(isSame(await start('SN-1'), screen)).toBe(true);
    expect(isSame(await start('SN-1', '198.51.100.7'), screen)).toBe(false);
    const { data } = await confirm(screen);
    expect(isSame(await start('SN-1'), screen)).toBe(false);
    expect((await poll(screen)).data.device_id).toBe(data.id);
  });

  test('an invalid secret is rejected', async () => {
    await open();
    const short = await start('SN-1', undefined, { screen_secret: 'short' });
    expect(short.error?.details).toMatchObject([{ path: 'screen_secret' }]);
  });
});

const named = async (more: object) => (await confirm(await start('SN-9', undefined, more))).data.name;

test('the name that a player suggests is used only when it is valid', async () => {
  await open();
  expect(await named({ hostname: ' lobby-left ' })).toBe('lobby-left');
  expect(await named({ hostname: 'x\0\u001B[2J', model: 'Box 3' })).toBe('Box 3');
  expect(await named({ hostname: 'h'.repeat(253) })).toBe('SN-9');
});
