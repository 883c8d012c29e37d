import type { CommandName, DeviceTaskName } from '@placard/protocol';
import { describe, expect, test } from 'vitest';
import { buildManifest, sha256Of } from '../../test/support/manifests.ts';
import type { MemoryCloud } from '../../test/support/memory-cloud.ts';
import { createSimulatedPlayer, lastItem, NOON } from '../../test/support/simulated-player.ts';
import type { FromRuntimeMessage } from './shell-messages.ts';

const command = (name: CommandName | DeviceTaskName, id = 'cmd_1') => ({
  id,
  command: name,
  expires_at: new Date(NOON + 3_600_000).toISOString(),
});
const DAY_MS = 24 * 3_600_000;
const screenshotsWanted = ({ shellMessages }: { shellMessages: readonly FromRuntimeMessage[] }) =>
  shellMessages.filter((message) => message.type === 'screenshot_wanted');
const reportedStatuses = (cloud: MemoryCloud) =>
  cloud.received.commandStatuses.map(({ id, status }) => [id, status.status]);

/** A second command is queued behind the first one; after a power cut the device boots offline with another time. */
async function startWithoutTime(wallMs: number) {
  const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay();
  cloud.sendCommand(command('APP_RESTART', 'cmd_1'));
  cloud.sendCommand(command('REBOOT', 'cmd_2'));
  await clock.advance(2_000);
  cloud.unreachable = true;
  player.powerCut();
  clock.isTimeConfirmed = false;
  clock.setWall(wallMs);
  player.start();
  await clock.advance(10 * 60_000);
  expect(player.machine.reboots).toBe(0);
  return {
    cloud,
    player,
    setTrueTime: async (trueMs: number) => {
      clock.setWall(trueMs);
      clock.isTimeConfirmed = true;
      cloud.unreachable = false;
      await clock.advance(120_000);
    },
  };
}

describe('commands', () => {
  test('REFRESH verifies the cache and reports the result', async () => {
    const { clock, media, cloud, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    await clock.advance(1_000);
    media.corrupt(sha256Of('c'));
    cloud.sendCommand(command('REFRESH'));
    await clock.advance(5_000);
    expect(reportedStatuses(cloud)).toEqual([
      ['cmd_1', 'acknowledged'],
      ['cmd_1', 'succeeded'],
    ]);
    expect(lastItem(cloud.received.commandStatuses).status.result).toMatchObject({ verified: 2, damaged: 1 });
    expect(media.cachedHashes().has(sha256Of('c'))).toBe(true);
  });

  test('REFRESH counts unreadable files apart from damaged ones', async () => {
    const { clock, media, cloud, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    await clock.advance(1_000);
    const verify = media.verify.bind(media);
    media.verify = async (sha256, lowPrioritySignal) =>
      sha256 === sha256Of('b') ? null : verify(sha256, lowPrioritySignal);
    cloud.sendCommand(command('REFRESH'));
    await clock.advance(5_000);
    expect(lastItem(cloud.received.commandStatuses).status.result).toMatchObject({
      verified: 2,
      damaged: 0,
      unread: 1,
    });
  });

  test('UPDATE_CHECK reports a result', async () => {
    const { clock, cloud, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    cloud.sendCommand(command('UPDATE_CHECK'));
    await clock.advance(5_000);
    expect(lastItem(cloud.received.commandStatuses).status).toMatchObject({
      status: 'succeeded',
      result: { outcome: 'up_to_date' },
    });
  });

  test('REBOOT reboots once, and success is reported after the boot', async () => {
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    cloud.sendCommand(command('REBOOT'));
    await clock.advance(2_000);
    expect(player.machine.reboots).toBe(1);
    expect(reportedStatuses(cloud)).toEqual([['cmd_1', 'acknowledged']]);
    player.powerCut();
    player.start();
    cloud.sendCommand(command('REBOOT'));
    await clock.advance(5_000);
    expect(player.machine.reboots).toBe(1);
    expect(reportedStatuses(cloud).at(-1)).toEqual(['cmd_1', 'succeeded']);
  });

  test('APP_RESTART asks the shell, and fails when no restart happens', async () => {
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    cloud.sendCommand(command('APP_RESTART'));
    await clock.advance(2_000);
    expect(player.shellMessages).toEqual([{ type: 'restart_wanted' }]);
    await clock.advance(61_000);
    expect(reportedStatuses(cloud).at(-1)).toEqual(['cmd_1', 'failed']);
  });

  test('a command received before an outage is executed, and reported later', async () => {
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    cloud.sendCommand(command('APP_RESTART'));
    cloud.unreachable = true;
    await clock.advance(10_000);
    expect(player.shellMessages).toEqual([{ type: 'restart_wanted' }]);
    player.powerCut();
    player.start();
    await clock.advance(10_000);
    cloud.unreachable = false;
    await clock.advance(120_000);
    expect(reportedStatuses(cloud)).toEqual([['cmd_1', 'succeeded']]);
  });

  test.each(['REBOOT', 'APP_RESTART', 'REFRESH'] as const)(
    '%s is dropped when the device is unpaired meanwhile',
    async (name) => {
      const { clock, database, cloud, player, pairAndPlay } = createSimulatedPlayer();
      await pairAndPlay();
      cloud.sendCommand(command(name));
      cloud.sendCommand(command('UPDATE_CHECK', 'cmd_2'));
      cloud.unpair();
      await clock.advance(2_000);
      expect(database.readIdentity()).toBe(null);
      expect(database.readCommands()).toEqual([]);
      cloud.confirmPairing();
      await clock.advance(10 * 60_000);
      expect(player.status()).toMatchObject({ state: 'paired', connection: 'online' });
    },
  );

  test('the same command by socket and heartbeat is executed once', async () => {
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    for (let i = 0; i < 3; i++) {
      cloud.sendCommand(command('REBOOT'));
    }
    await clock.advance(120_000);
    expect(player.machine.reboots).toBe(1);
  });

  test('two REBOOTs at once reboot once', async () => {
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    cloud.sendCommand(command('REBOOT', 'cmd_1'));
    cloud.sendCommand(command('REBOOT', 'cmd_2'));
    await clock.advance(2_000);
    player.powerCut();
    player.start();
    await clock.advance(120_000);
    expect(player.machine.reboots).toBe(1);
    expect(reportedStatuses(cloud).slice(-2)).toEqual([
      ['cmd_1', 'succeeded'],
      ['cmd_2', 'failed'],
    ]);
  });
});

describe('a device that starts without the time', () => {
  test('does not execute a command that has expired meanwhile', async () => {
    const { cloud, player, setTrueTime } = await startWithoutTime(NOON - 30 * DAY_MS);
    await setTrueTime(NOON + 20 * DAY_MS);
    expect(player.machine.reboots).toBe(0);
    expect(reportedStatuses(cloud).at(-1)).toEqual(['cmd_2', 'failed']);
  });

  test('does not expire a command that is still valid', async () => {
    const { player, setTrueTime } = await startWithoutTime(NOON + 400 * DAY_MS);
    await setTrueTime(NOON + 30 * 60_000);
    expect(player.machine.reboots).toBe(1);
  });

  test('recognizes a repeated command, whatever its clock says', async () => {
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    cloud.sendCommand(command('REFRESH'));
    await clock.advance(5_000);
    cloud.unreachable = true;
    player.powerCut();
    clock.isTimeConfirmed = false;
    clock.setWall(NOON + 400 * DAY_MS);
    player.start();
    await clock.advance(10 * 60_000);
    clock.setWall(NOON + 30 * 60_000);
    clock.isTimeConfirmed = true;
    cloud.unreachable = false;
    const before = cloud.received.commandStatuses.length;
    await clock.advance(120_000);
    cloud.sendCommand(command('REFRESH'));
    await clock.advance(120_000);
    expect(cloud.received.commandStatuses).toHaveLength(before);
  });

  test('SCREENSHOT sends the picture that the shell takes, with what is on the screen', async () => {
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    await clock.advance(1_000);
    cloud.sendCommand(command('SCREENSHOT'));
    await clock.advance(1_000);
    const [wanted] = screenshotsWanted(player);
    expect(wanted).toMatchObject({ maxPixels: 1_920 });
    player.runtime.onScreenshot({ type: 'screenshot', id: wanted!.id, image: '/9j/2Q==' });
    await clock.advance(1_000);
    expect(cloud.received.screenshots).toEqual([
      {
        command_id: 'cmd_1',
        taken_at: expect.any(String),
        current: expect.objectContaining({ playlist_id: 'pl' }),
        image: '/9j/2Q==',
      },
    ]);
    expect(reportedStatuses(cloud)).toEqual([
      ['cmd_1', 'acknowledged'],
      ['cmd_1', 'succeeded'],
    ]);
  });

  test.each(['organization', 'device'] as const)(
    'SCREENSHOT is refused where the %s forbids it, whatever the cloud sends',
    async (by) => {
      const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
      await pairAndPlay();
      const manifest = buildManifest({ revision: 'private', playlists: { pl: ['a', 'b'] } });
      cloud.setManifest({ ...manifest, [by]: { ...manifest[by], screenshots_allowed: false } });
      await clock.advance(60_000);
      cloud.sendCommand(command('SCREENSHOT'));
      await clock.advance(1_000);
      expect(screenshotsWanted(player)).toEqual([]);
      expect(lastItem(cloud.received.commandStatuses)).toMatchObject({
        status: {
          status: 'failed',
          result: { reason: expect.stringContaining('forbidden by the settings') },
        },
      });
    },
  );

  test('LOGS sends logs and status, and holds up no other command', async () => {
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    cloud.sendCommand(command('LOGS'));
    await clock.advance(1_000);
    expect(player.supportBundles).toMatchObject([{ state: 'paired' }]);
    expect(cloud.received.logs).toMatchObject([
      { command_id: 'cmd_1', bundle: Buffer.from('bundle').toString('base64') },
    ]);
    expect(reportedStatuses(cloud)).toEqual([
      ['cmd_1', 'acknowledged'],
      ['cmd_1', 'succeeded'],
    ]);
  });

  test('SCREENSHOT asks for a smaller picture for a cloud that takes no larger ones', async () => {
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
    cloud.protocol = 16;
    await pairAndPlay();
    cloud.sendCommand(command('SCREENSHOT'));
    await clock.advance(1_000);
    expect(screenshotsWanted(player)).toMatchObject([{ maxPixels: 1_280 }]);
  });

  test('SCREENSHOT asks for a smaller picture when the first one is too large', async () => {
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    cloud.sendCommand(command('SCREENSHOT'));
    await clock.advance(1_000);
    const [large] = screenshotsWanted(player);
    player.runtime.onScreenshot({ type: 'screenshot', id: large!.id, image: 'A'.repeat(700_000) });
    await clock.advance(1_000);
    const small = screenshotsWanted(player)[1];
    expect(small).toMatchObject({ maxPixels: 640 });
    player.runtime.onScreenshot({ type: 'screenshot', id: small!.id, image: '/9j/2Q==' });
    await clock.advance(1_000);
    expect(cloud.received.screenshots.map(({ image }) => image)).toEqual(['/9j/2Q==']);
  });

  test('SCREENSHOT fails without a window, or when the shell does not answer, and holds up no other command', async () => {
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    cloud.sendCommand(command('SCREENSHOT', 'cmd_1'));
    cloud.sendCommand(command('SCREENSHOT', 'cmd_2'));
    cloud.sendCommand(command('REFRESH', 'cmd_3'));
    await clock.advance(5_000);
    const [first] = screenshotsWanted(player);
    player.runtime.onScreenshot({ type: 'screenshot', id: first!.id, image: null });
    await clock.advance(1_000);
    expect(reportedStatuses(cloud).slice(-2)).toEqual([
      ['cmd_3', 'succeeded'],
      ['cmd_1', 'failed'],
    ]);
    await clock.advance(15_000);
    expect(lastItem(cloud.received.commandStatuses)).toMatchObject({
      id: 'cmd_2',
      status: {
        status: 'failed',
        result: { reason: 'there is no window to take a picture of, or it draws nothing' },
      },
    });
    expect(cloud.received.screenshots).toEqual([]);
  });
});
