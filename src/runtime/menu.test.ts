import { describe, expect, test } from 'vitest';
import type { Manifest } from '@placard/protocol';
import type { MenuRequest } from '@placard/protocol/stage';
import { sha256Of, rule, buildManifest } from '../../test/support/manifests.ts';
import { createSimulatedPlayer } from '../../test/support/simulated-player.ts';

const ABC = { playlists: { pl: ['a', 'b', 'c'] } };

function setUpMenu(simulation = createSimulatedPlayer()) {
  const { clock, player, cloud } = simulation;
  return {
    ...simulation,
    ask: async (request: MenuRequest) => {
      const response = player.stage.requestMenu(request);
      await clock.advance(10);
      return response;
    },
    /** The same manifest with this PIN. */
    setPin: async (pin: string | null) => {
      const manifest = buildManifest(ABC);
      const device = { ...manifest.device, menu_pin_hash: pin === null ? null : `hash of ${pin}` };
      const withPin: Manifest = { ...manifest, revision: `pin_${pin}`, device };
      cloud.setManifest(withPin);
      await clock.advance(1_000);
    },
  };
}

const refused = (reason: string, retryInMs = 0) => ({
  kind: 'refused',
  reason,
  retry_in_ms: retryInMs,
  message: '',
});

describe('access', () => {
  test('everything is allowed before pairing', async () => {
    const { clock, player, ask } = setUpMenu();
    player.start();
    await clock.advance(1_000);
    expect(await ask({ kind: 'open' })).toEqual({
      kind: 'opened',
      access: 'all',
      retry_in_ms: 0,
      device_name: null,
      local_orientation: null,
    });
    expect(await ask({ kind: 'reboot' })).toEqual({ kind: 'done' });
    expect(player.machine.reboots).toBe(1);
  });

  test('without a PIN, a paired player is read-only', async () => {
    const { player, pairAndPlay, ask } = setUpMenu();
    await pairAndPlay(ABC);
    expect(await ask({ kind: 'open' })).toMatchObject({ access: 'read_only', device_name: 'Lobby' });
    expect(await ask({ kind: 'unlock', pin: '4711' })).toEqual(refused('read_only'));
    for (const kind of ['save_logs', 'clear_cache', 're_pair', 'restart', 'reboot'] as const) {
      expect(await ask({ kind })).toEqual(refused('read_only'));
    }
    expect(await ask({ kind: 'set_orientation', orientation: 'portrait' })).toEqual(refused('read_only'));
    for (const kind of ['now_playing', 'cache', 'faults', 'network_test'] as const) {
      expect((await ask({ kind })).kind).not.toBe('refused');
    }
    expect(player.machine.reboots).toBe(0);
    expect(player.shellMessages).toEqual([]);
  });

  test('with a PIN, everything is refused until it was entered, and again once the menu is closed', async () => {
    const { clock, pairAndPlay, setPin, ask } = setUpMenu();
    await pairAndPlay(ABC);
    await setPin('4711');
    expect(await ask({ kind: 'open' })).toMatchObject({ access: 'pin' });
    expect(await ask({ kind: 'cache' })).toEqual(refused('pin_needed'));
    expect(await ask({ kind: 'unlock', pin: '4711' })).toEqual({ kind: 'unlocked' });
    expect(await ask({ kind: 'cache' })).toMatchObject({ kind: 'cache' });
    for (let minute = 0; minute < 5; minute++) {
      await clock.advance(60_000);
      expect(await ask({ kind: 'faults' })).toMatchObject({ kind: 'faults' });
    }
    await clock.advance(120_000);
    expect(await ask({ kind: 'faults' })).toEqual(refused('pin_needed'));
    await ask({ kind: 'unlock', pin: '4711' });
    await ask({ kind: 'close' });
    expect(await ask({ kind: 'faults' })).toEqual(refused('pin_needed'));
  });

  test('a page that disconnects locks the menu', async () => {
    const { player, pairAndPlay, setPin, ask } = setUpMenu();
    await pairAndPlay(ABC);
    await setPin('4711');
    await ask({ kind: 'unlock', pin: '4711' });
    player.stage.disconnect();
    player.stage.connect();
    expect(await ask({ kind: 'faults' })).toEqual(refused('pin_needed'));
  });

  test('wrong PINs increase the wait, also across a restart, and a right one resets it', async () => {
    const { clock, player, pairAndPlay, setPin, ask } = setUpMenu();
    await pairAndPlay(ABC);
    await setPin('4711');
    expect(await ask({ kind: 'unlock', pin: '0000' })).toEqual(refused('pin_wrong'));
    expect(await ask({ kind: 'unlock', pin: '0000' })).toEqual(refused('pin_wrong'));
    expect(await ask({ kind: 'unlock', pin: '0000' })).toEqual(refused('pin_wrong', 30_000));
    player.powerCut();
    player.start();
    await clock.advance(5_000);
    expect(await ask({ kind: 'unlock', pin: '4711' })).toMatchObject({ reason: 'locked' });
    await clock.advance(30_000);
    expect(await ask({ kind: 'unlock', pin: '0000' })).toEqual(refused('pin_wrong', 60_000));
    await clock.advance(60_000);
    expect(await ask({ kind: 'unlock', pin: '4711' })).toEqual({ kind: 'unlocked' });
    expect(await ask({ kind: 'unlock', pin: '0000' })).toEqual(refused('pin_wrong'));
  });
});

describe('information', () => {
  test('runs the connectivity check', async () => {
    const { cloud, pairAndPlay, ask } = setUpMenu();
    await pairAndPlay(ABC);
    expect(await ask({ kind: 'network_test' })).toMatchObject({
      kind: 'network',
      server: 'http://cloud.test',
      round_trip_ms: 20,
      clock_offset_ms: 0,
      interfaces: [{ name: 'eth0' }],
    });
    cloud.unreachable = true;
    const response = await ask({ kind: 'network_test' });
    expect(response).toMatchObject({ round_trip_ms: null });
    expect(
      response.kind === 'network' && response.steps.find((step) => step.state === 'failed'),
    ).toMatchObject({
      hint: 'connection_refused',
    });
  });

  test('shows the current and the next item, and why', async () => {
    const { clock, pairAndPlay, ask } = setUpMenu();
    await pairAndPlay({ ...ABC, rules: [rule('rule_1', 'pl', '00:00', '24:00')], timezone: 'Europe/Berlin' });
    await clock.advance(1_000);
    expect(await ask({ kind: 'now_playing' })).toMatchObject({
      kind: 'playing',
      now: { content_id: 'asset_a', item_id: 'pl/a', playlist_name: 'pl' },
      next: { content_id: 'asset_b' },
      because: { source: 'schedule', schedule_name: 'Week' },
      connection: 'online',
      timezone: 'Europe/Berlin',
    });
  });

  test('explains a kept item by its own schedule', async () => {
    const { clock, pairAndPlay, publish, ask } = setUpMenu();
    await pairAndPlay(ABC);
    publish({
      playlists: { ...ABC.playlists, empty: [] },
      rules: [rule('rule_1', 'empty', '00:00', '24:00')],
    });
    await clock.advance(15_000);
    expect(await ask({ kind: 'now_playing' })).toMatchObject({
      because: { source: 'deployment', schedule_name: null },
    });
    expect(await ask({ kind: 'faults' })).toMatchObject({ faults: [{ code: 'playback.nothing_playable' }] });
  });

  test('shows the cache', async () => {
    const { pairAndPlay, ask } = setUpMenu();
    await pairAndPlay(ABC);
    expect(await ask({ kind: 'cache' })).toEqual({
      kind: 'cache',
      cache_bytes: 3,
      max_cache_bytes: null,
      free_bytes: null,
      files: 3,
      assets_missing: 0,
    });
  });
});

const setUpUnlockedMenu = async () => {
  const simulation = setUpMenu();
  await simulation.pairAndPlay(ABC);
  await simulation.setPin('4711');
  await simulation.ask({ kind: 'unlock', pin: '4711' });
  return simulation;
};

describe('actions', () => {
  test('logs and status are saved, and their location is returned', async () => {
    const { player, ask } = await setUpUnlockedMenu();
    expect(await ask({ kind: 'save_logs' })).toEqual({ kind: 'logs_saved', places: ['/data/support/logs'] });
    expect(player.supportBundles).toMatchObject([{ state: 'paired', device_id: 'dev_1' }]);
  });

  test('the local orientation overrides that of the cloud, also after a restart', async () => {
    const { clock, player, ask } = await setUpUnlockedMenu();
    expect(player.stage.lastConfigure).toMatchObject({ orientation: 'landscape' });
    await ask({ kind: 'set_orientation', orientation: 'portrait' });
    expect(player.stage.lastConfigure).toMatchObject({ orientation: 'portrait' });
    expect(player.status()).toMatchObject({ orientation: { shown: 'portrait', set_here: true } });
    player.powerCut();
    player.start();
    await clock.advance(1_000);
    expect(player.stage.lastConfigure).toMatchObject({ orientation: 'portrait' });
    expect(await ask({ kind: 'open' })).toMatchObject({ local_orientation: 'portrait' });
    await ask({ kind: 'unlock', pin: '4711' });
    await ask({ kind: 'set_orientation', orientation: null });
    expect(player.stage.lastConfigure).toMatchObject({ orientation: 'landscape' });
  });

  test('a cleared cache is filled again while the screen keeps showing pictures', async () => {
    const { clock, player, media, cloud, ask } = await setUpUnlockedMenu();
    await clock.advance(1_000);
    media.setDownload('http://cdn.test/c.png', null);
    expect(await ask({ kind: 'clear_cache' })).toEqual({ kind: 'done' });
    expect([...media.cachedHashes()].toSorted()).toEqual(['a', 'b'].map(sha256Of).toSorted());
    await clock.advance(60_000);
    expect(player.stage.isEmpty).toBe(false);
    media.setDownload('http://cdn.test/c.png', Buffer.from('c'));
    await clock.advanceUntil(() => media.cachedHashes().has(sha256Of('c')), 600_000);
    await clock.advanceUntil(() => player.stage.current === `/media/${sha256Of('c')}`, 60_000);
    cloud.unreachable = true;
    await clock.advance(60_000);
    await ask({ kind: 'unlock', pin: '4711' });
    expect(await ask({ kind: 'clear_cache' })).toEqual(refused('cloud_unreachable'));
    expect(media.cachedHashes().size).toBe(3);
  });

  test('files preserved by clearing the cache are verified again', async () => {
    const { clock, media, player, ask } = await setUpUnlockedMenu();
    const shown = [...media.cachedHashes()].find((sha256) => player.stage.current === `/media/${sha256}`)!;
    media.corrupt(shown);
    await ask({ kind: 'clear_cache' });
    await clock.advance(5_000);
    expect(await media.verify(shown)).toBe(true);
  });

  test('pairing again erases the device and shows a code', async () => {
    const { clock, database, cloud, player, ask } = await setUpUnlockedMenu();
    cloud.unpair();
    cloud.unreachable = true;
    await ask({ kind: 're_pair' });
    cloud.unreachable = false;
    await clock.advance(5_000);
    expect(player.stage.screen).toMatchObject({ kind: 'pairing', code: 'BCD-FGH' });
    expect(database.readIdentity()).toBe(null);
    expect(await ask({ kind: 'open' })).toMatchObject({ access: 'all' });
  });

  test('a restart is requested from the shell, and an error of the system is returned as it is', async () => {
    const { player, ask } = await setUpUnlockedMenu();
    await ask({ kind: 'restart' });
    expect(player.shellMessages).toEqual([{ type: 'restart_wanted' }]);
    player.machine.reboot = () => Promise.reject(new Error('Interactive authentication required.'));
    expect(await ask({ kind: 'reboot' })).toEqual({
      ...refused('not_possible'),
      message: 'Interactive authentication required.',
    });
  });
});
