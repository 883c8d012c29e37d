import { describe, expect, test } from 'vitest';
import type { Manifest } from '@placard/protocol';
import type { MenuRequest } from '../stage-link/messages.ts';
import { hashOf, rule, sketchManifest } from '../../test/support/manifests.ts';
import { house } from '../../test/support/simulated-house.ts';

const ABC = { playlists: { pl: ['a', 'b', 'c'] } };

function menu(home = house()) {
  const { clock, box, cloud } = home;
  return {
    ...home,
    ask: async (request: MenuRequest) => {
      const answer = box.stage.ask(request);
      await clock.advance(10);
      return answer;
    },
    /** The same manifest with this PIN. */
    setPin: async (pin: string | null) => {
      const manifest = sketchManifest(ABC);
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

describe('who may do what', () => {
  test('before pairing everything is allowed', async () => {
    const { clock, box, ask } = menu();
    box.start();
    await clock.advance(1_000);
    expect(await ask({ kind: 'open' })).toEqual({
      kind: 'opened',
      access: 'all',
      retry_in_ms: 0,
      device_name: null,
      local_orientation: null,
    });
    expect(await ask({ kind: 'reboot' })).toEqual({ kind: 'done' });
    expect(box.machine.reboots).toBe(1);
  });

  test('a paired screen without a PIN may only be read', async () => {
    const { box, settle, ask } = menu();
    await settle(ABC);
    expect(await ask({ kind: 'open' })).toMatchObject({ access: 'read_only', device_name: 'Lobby' });
    expect(await ask({ kind: 'unlock', pin: '4711' })).toEqual(refused('read_only'));
    for (const kind of ['save_logs', 'clear_cache', 're_pair', 'restart', 'reboot'] as const) {
      expect(await ask({ kind })).toEqual(refused('read_only'));
    }
    expect(await ask({ kind: 'set_orientation', orientation: 'portrait' })).toEqual(refused('read_only'));
    for (const kind of ['now_playing', 'cache', 'faults', 'network_test'] as const) {
      expect((await ask({ kind })).kind).not.toBe('refused');
    }
    expect(box.machine.reboots).toBe(0);
    expect(box.toShell).toEqual([]);
  });

  test('with a PIN nothing is told before it was typed in, and again once the menu was left', async () => {
    const { clock, settle, setPin, ask } = menu();
    await settle(ABC);
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

  test('a page that leaves locks the menu', async () => {
    const { box, settle, setPin, ask } = menu();
    await settle(ABC);
    await setPin('4711');
    await ask({ kind: 'unlock', pin: '4711' });
    box.stage.disconnect();
    box.stage.connect();
    expect(await ask({ kind: 'faults' })).toEqual(refused('pin_needed'));
  });

  test('wrong PINs have to wait longer and longer, also over a restart, and a right one ends that', async () => {
    const { clock, box, settle, setPin, ask } = menu();
    await settle(ABC);
    await setPin('4711');
    expect(await ask({ kind: 'unlock', pin: '0000' })).toEqual(refused('pin_wrong'));
    expect(await ask({ kind: 'unlock', pin: '0000' })).toEqual(refused('pin_wrong'));
    expect(await ask({ kind: 'unlock', pin: '0000' })).toEqual(refused('pin_wrong', 30_000));
    box.powerCut();
    box.start();
    await clock.advance(5_000);
    expect(await ask({ kind: 'unlock', pin: '4711' })).toMatchObject({ reason: 'locked' });
    await clock.advance(30_000);
    expect(await ask({ kind: 'unlock', pin: '0000' })).toEqual(refused('pin_wrong', 60_000));
    await clock.advance(60_000);
    expect(await ask({ kind: 'unlock', pin: '4711' })).toEqual({ kind: 'unlocked' });
    expect(await ask({ kind: 'unlock', pin: '0000' })).toEqual(refused('pin_wrong'));
  });
});

describe('what it tells', () => {
  test('the way to the cloud, as it is now', async () => {
    const { cloud, settle, ask } = menu();
    await settle(ABC);
    expect(await ask({ kind: 'network_test' })).toMatchObject({
      kind: 'network',
      server: 'http://cloud.test',
      round_trip_ms: 20,
      clock_off_ms: 0,
      interfaces: [{ name: 'eth0' }],
    });
    cloud.away = true;
    const answer = await ask({ kind: 'network_test' });
    expect(answer).toMatchObject({ round_trip_ms: null });
    expect(answer.kind === 'network' && answer.steps.find((step) => step.state === 'failed')).toMatchObject({
      hint: 'connection_refused',
    });
  });

  test('what is on the screen, what follows, and why', async () => {
    const { clock, settle, ask } = menu();
    await settle({ ...ABC, rules: [rule('rule_1', 'pl', '00:00', '24:00')], timezone: 'Europe/Berlin' });
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

  test('the reason of a picture that is kept is its own', async () => {
    const { clock, settle, publish, ask } = menu();
    await settle(ABC);
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

  test('the cache', async () => {
    const { settle, ask } = menu();
    await settle(ABC);
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

const unlocked = async () => {
  const home = menu();
  await home.settle(ABC);
  await home.setPin('4711');
  await home.ask({ kind: 'unlock', pin: '4711' });
  return home;
};

describe('what it does', () => {
  test('logs and status are written, and where is told', async () => {
    const { box, ask } = await unlocked();
    expect(await ask({ kind: 'save_logs' })).toEqual({ kind: 'logs_saved', places: ['/data/support/logs'] });
    expect(box.bundles).toMatchObject([{ state: 'paired', device_id: 'dev_1' }]);
  });

  test('the picture is turned on this box, whatever the cloud says, and over a restart', async () => {
    const { clock, box, ask } = await unlocked();
    expect(box.stage.configured).toMatchObject({ orientation: 'landscape' });
    await ask({ kind: 'set_orientation', orientation: 'portrait' });
    expect(box.stage.configured).toMatchObject({ orientation: 'portrait' });
    expect(box.status()).toMatchObject({ orientation: { shown: 'portrait', set_here: true } });
    box.powerCut();
    box.start();
    await clock.advance(1_000);
    expect(box.stage.configured).toMatchObject({ orientation: 'portrait' });
    expect(await ask({ kind: 'open' })).toMatchObject({ local_orientation: 'portrait' });
    await ask({ kind: 'unlock', pin: '4711' });
    await ask({ kind: 'set_orientation', orientation: null });
    expect(box.stage.configured).toMatchObject({ orientation: 'landscape' });
  });

  test('a cleared cache is filled again, and the screen shows a picture all the while', async () => {
    const { clock, box, media, cloud, ask } = await unlocked();
    await clock.advance(1_000);
    media.serve('http://cdn.test/c.png', null);
    expect(await ask({ kind: 'clear_cache' })).toEqual({ kind: 'done' });
    expect([...media.held()].toSorted()).toEqual(['a', 'b'].map(hashOf).toSorted());
    await clock.advance(60_000);
    expect(box.stage.empty).toBe(false);
    media.serve('http://cdn.test/c.png', Buffer.from('c'));
    await clock.advanceUntil(() => media.held().has(hashOf('c')), 600_000);
    await clock.advanceUntil(() => box.stage.current === `/media/${hashOf('c')}`, 60_000);
    cloud.away = true;
    await clock.advance(60_000);
    await ask({ kind: 'unlock', pin: '4711' });
    expect(await ask({ kind: 'clear_cache' })).toEqual(refused('cloud_away'));
    expect(media.held().size).toBe(3);
  });

  test('what was kept of a cleared cache is looked at again', async () => {
    const { clock, media, box, ask } = await unlocked();
    const shown = [...media.held()].find((sha256) => box.stage.current === `/media/${sha256}`)!;
    media.damage(shown);
    await ask({ kind: 'clear_cache' });
    await clock.advance(5_000);
    expect(await media.verify(shown)).toBe(true);
  });

  test('pairing anew erases the device and shows a code', async () => {
    const { clock, store, cloud, box, ask } = await unlocked();
    cloud.unpair();
    cloud.away = true;
    await ask({ kind: 're_pair' });
    cloud.away = false;
    await clock.advance(5_000);
    expect(box.stage.screen).toMatchObject({ kind: 'pairing', code: 'BCD-FGH' });
    expect(store.readIdentity()).toBe(null);
    expect(await ask({ kind: 'open' })).toMatchObject({ access: 'all' });
  });

  test('a restart is asked of the shell, and what the system refuses is told in its own words', async () => {
    const { box, ask } = await unlocked();
    await ask({ kind: 'restart' });
    expect(box.toShell).toEqual([{ type: 'restart_wanted' }]);
    box.machine.reboot = () => Promise.reject(new Error('Interactive authentication required.'));
    expect(await ask({ kind: 'reboot' })).toEqual({
      ...refused('not_possible'),
      message: 'Interactive authentication required.',
    });
  });
});
