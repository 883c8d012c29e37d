import { describe, expect, test } from 'vitest';
import { hashOf } from '../../test/support/manifests.ts';
import type { MemoryCloud } from '../../test/support/memory-cloud.ts';
import { house, lastOf, NOON } from '../../test/support/simulated-house.ts';

const command = (name: 'REFRESH' | 'REBOOT' | 'APP_RESTART' | 'UPDATE_CHECK', id = 'cmd_1') => ({
  id,
  command: name,
  expires_at: new Date(NOON + 3_600_000).toISOString(),
});
const DAY_MS = 24 * 3_600_000;
const told = (cloud: MemoryCloud) => cloud.seen.statuses.map(({ id, status }) => [id, status.status]);

/** A second command waits behind the first one; the power goes, and the box comes up offline at another time. */
async function startedAt(wallMs: number) {
  const { clock, cloud, box, settle } = house();
  await settle();
  cloud.command(command('APP_RESTART', 'cmd_1'));
  cloud.command(command('REBOOT', 'cmd_2'));
  await clock.advance(2_000);
  cloud.away = true;
  box.powerCut();
  clock.confirmed = false;
  clock.setWall(wallMs);
  box.start();
  await clock.advance(10 * 60_000);
  expect(box.machine.reboots).toBe(0);
  return {
    cloud,
    box,
    hearTheTime: async (trueMs: number) => {
      clock.setWall(trueMs);
      clock.confirmed = true;
      cloud.away = false;
      await clock.advance(120_000);
    },
  };
}

describe('commands', () => {
  test('REFRESH verifies the cache and tells what it found', async () => {
    const { clock, media, cloud, settle } = house();
    await settle();
    await clock.advance(1_000);
    media.damage(hashOf('c'));
    cloud.command(command('REFRESH'));
    await clock.advance(5_000);
    expect(told(cloud)).toEqual([
      ['cmd_1', 'acknowledged'],
      ['cmd_1', 'succeeded'],
    ]);
    expect(lastOf(cloud.seen.statuses).status.result).toMatchObject({ verified: 2, damaged: 1 });
    expect(media.held().has(hashOf('c'))).toBe(true);
  });

  test('REFRESH tells files that could not be read apart from those that are damaged', async () => {
    const { clock, media, cloud, settle } = house();
    await settle();
    await clock.advance(1_000);
    const verify = media.verify.bind(media);
    media.verify = async (sha256, gently) => (sha256 === hashOf('b') ? null : verify(sha256, gently));
    cloud.command(command('REFRESH'));
    await clock.advance(5_000);
    expect(lastOf(cloud.seen.statuses).status.result).toMatchObject({ verified: 2, damaged: 0, unread: 1 });
  });

  test('UPDATE_CHECK answers', async () => {
    const { clock, cloud, settle } = house();
    await settle();
    cloud.command(command('UPDATE_CHECK'));
    await clock.advance(5_000);
    expect(lastOf(cloud.seen.statuses).status).toMatchObject({
      status: 'succeeded',
      result: { outcome: 'up_to_date' },
    });
  });

  test('REBOOT acts once, and the boot after it tells that it happened', async () => {
    const { clock, cloud, box, settle } = house();
    await settle();
    cloud.command(command('REBOOT'));
    await clock.advance(2_000);
    expect(box.machine.reboots).toBe(1);
    expect(told(cloud)).toEqual([['cmd_1', 'acknowledged']]);
    box.powerCut();
    box.start();
    cloud.command(command('REBOOT'));
    await clock.advance(5_000);
    expect(box.machine.reboots).toBe(1);
    expect(told(cloud).at(-1)).toEqual(['cmd_1', 'succeeded']);
  });

  test('APP_RESTART asks the shell, and says when nothing came of it', async () => {
    const { clock, cloud, box, settle } = house();
    await settle();
    cloud.command(command('APP_RESTART'));
    await clock.advance(2_000);
    expect(box.toShell).toEqual([{ type: 'restart_wanted' }]);
    await clock.advance(61_000);
    expect(told(cloud).at(-1)).toEqual(['cmd_1', 'failed']);
  });

  test('one that came while the cloud went away is done, and told later', async () => {
    const { clock, cloud, box, settle } = house();
    await settle();
    cloud.command(command('APP_RESTART'));
    cloud.away = true;
    await clock.advance(10_000);
    expect(box.toShell).toEqual([{ type: 'restart_wanted' }]);
    box.powerCut();
    box.start();
    await clock.advance(10_000);
    cloud.away = false;
    await clock.advance(120_000);
    expect(told(cloud)).toEqual([['cmd_1', 'succeeded']]);
  });

  test.each(['REBOOT', 'APP_RESTART', 'REFRESH'] as const)(
    '%s of a device that is unpaired meanwhile is forgotten with it',
    async (name) => {
      const { clock, store, cloud, box, settle } = house();
      await settle();
      cloud.command(command(name));
      cloud.command(command('UPDATE_CHECK', 'cmd_2'));
      cloud.unpair();
      await clock.advance(2_000);
      expect(store.readIdentity()).toBe(null);
      expect(store.readCommands()).toEqual([]);
      cloud.confirm();
      await clock.advance(10 * 60_000);
      expect(box.status()).toMatchObject({ state: 'paired', connection: 'online' });
    },
  );

  test('the same one by socket and heartbeat is done once', async () => {
    const { clock, cloud, box, settle } = house();
    await settle();
    for (let i = 0; i < 3; i++) cloud.command(command('REBOOT'));
    await clock.advance(120_000);
    expect(box.machine.reboots).toBe(1);
  });

  test('two reboots at once are one', async () => {
    const { clock, cloud, box, settle } = house();
    await settle();
    cloud.command(command('REBOOT', 'cmd_1'));
    cloud.command(command('REBOOT', 'cmd_2'));
    await clock.advance(2_000);
    box.powerCut();
    box.start();
    await clock.advance(120_000);
    expect(box.machine.reboots).toBe(1);
    expect(told(cloud).slice(-2)).toEqual([
      ['cmd_1', 'succeeded'],
      ['cmd_2', 'failed'],
    ]);
  });
});

describe('a box that starts without the time', () => {
  test('does not run a command that has expired meanwhile', async () => {
    const { cloud, box, hearTheTime } = await startedAt(NOON - 30 * DAY_MS);
    await hearTheTime(NOON + 20 * DAY_MS);
    expect(box.machine.reboots).toBe(0);
    expect(told(cloud).at(-1)).toEqual(['cmd_2', 'failed']);
  });

  test('does not let a command expire that is good yet', async () => {
    const { box, hearTheTime } = await startedAt(NOON + 400 * DAY_MS);
    await hearTheTime(NOON + 30 * 60_000);
    expect(box.machine.reboots).toBe(1);
  });

  test('knows a command that comes again, whatever its clock says', async () => {
    const { clock, cloud, box, settle } = house();
    await settle();
    cloud.command(command('REFRESH'));
    await clock.advance(5_000);
    cloud.away = true;
    box.powerCut();
    clock.confirmed = false;
    clock.setWall(NOON + 400 * DAY_MS);
    box.start();
    await clock.advance(10 * 60_000);
    clock.setWall(NOON + 30 * 60_000);
    clock.confirmed = true;
    cloud.away = false;
    const before = cloud.seen.statuses.length;
    await clock.advance(120_000);
    cloud.command(command('REFRESH'));
    await clock.advance(120_000);
    expect(cloud.seen.statuses).toHaveLength(before);
  });
});
