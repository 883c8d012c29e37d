import { Fault, type HeartbeatRequest, type Manifest } from '@placard/protocol';
import { describe, expect, test, vi } from 'vitest';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { hashOf, rule, sketchManifest, type ManifestSketch } from '../../test/support/manifests.ts';
import { createMemoryCloud } from '../../test/support/memory-cloud.ts';
import { createMemoryMedia } from '../../test/support/memory-media.ts';
import { createMemoryStore } from '../../test/support/memory-store.ts';
import { createPlayerBox } from '../../test/support/player-box.ts';

// Simulated days take seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const NOON = Date.UTC(2026, 10, 20, 12);

function house(options: { fails?: (name: string) => boolean } = {}) {
  const clock = createManualClock(NOON);
  const store = createMemoryStore();
  const media = createMemoryMedia({ index: store, maxCacheBytes: null });
  const cloud = createMemoryCloud({ clock });
  const names = new Map<string, string>();
  const box = createPlayerBox({
    clock,
    store,
    media,
    cloud,
    fails: (showing) => options.fails?.(names.get(showing.url) ?? '') ?? false,
  });
  const publish = (sketch: ManifestSketch, missing: string[] = []): Manifest => {
    const manifest = sketchManifest(sketch);
    for (const asset of manifest.assets) {
      const name = asset.id.slice('asset_'.length);
      names.set(`/media/${hashOf(name)}`, name);
      media.serve(asset.url, missing.includes(name) ? null : Buffer.from(name));
    }
    cloud.setManifest(manifest);
    return manifest;
  };
  return {
    clock,
    store,
    media,
    cloud,
    box,
    publish,
    /** Names of what was on the screen, in order. */
    shown: () => box.stage.shown.map((one) => names.get(one.url)),
    /** Pairs, and waits for the first picture. */
    settle: async (sketch: ManifestSketch = { playlists: { pl: ['a', 'b', 'c'] } }) => {
      publish(sketch);
      box.start();
      await clock.advance(1_000);
      cloud.confirm();
      await clock.advanceUntil(() => box.stage.current !== null, 60_000);
    },
  };
}

const lastOf = <T>(list: readonly T[]): T => list.at(-1)!;
const samplesOf = (beats: HeartbeatRequest[]) => beats.flatMap((beat) => beat.samples);

const command = (name: 'REFRESH' | 'REBOOT' | 'APP_RESTART' | 'UPDATE_CHECK', id = 'cmd_1') => ({
  id,
  command: name,
  expires_at: new Date(NOON + 3_600_000).toISOString(),
});
const told = (cloud: ReturnType<typeof createMemoryCloud>) =>
  cloud.seen.statuses.map(({ id, status }) => [id, status.status]);

describe('pairing', () => {
  test('shows a code, confirms with the name of the device, and plays', async () => {
    const { clock, cloud, box, publish } = house();
    publish({ playlists: { pl: ['a', 'b'] } });
    box.start();
    await clock.advance(1_000);
    expect(box.stage.screen).toMatchObject({ kind: 'pairing', code: 'BCD-FGH', problem: null });
    expect(box.status()).toMatchObject({ state: 'pairing', code: 'BCD-FGH', device_id: null });
    cloud.confirm();
    await clock.advance(6_000);
    expect(box.stage.screen).toEqual({ kind: 'paired', device_name: 'Lobby' });
    await clock.advance(5_000);
    expect(box.stage.screen).toEqual({ kind: 'stage' });
    expect(box.status()).toMatchObject({
      state: 'paired',
      code: null,
      device_id: 'dev_1',
      connection: 'online',
      now_playing: { playlist_id: 'pl', item_id: 'pl/a', content_id: 'asset_a' },
      next: { item_id: 'pl/b' },
      playing_because: { source: 'deployment', schedule_id: null, rule_id: null },
      blocked_by: null,
      faults: [],
    });
  });

  test('an unreachable cloud is told on the screen, and asked again until it is there', async () => {
    const { clock, cloud, box } = house();
    cloud.away = true;
    box.start();
    await clock.advance(30_000);
    expect(box.stage.screen).toMatchObject({ kind: 'pairing', code: null });
    expect(box.stage.screen).toHaveProperty(
      'problem',
      expect.stringContaining('cloud.test refuses the connection'),
    );
    expect(box.status()).toMatchObject({ connection: 'offline', faults: [{ code: 'cloud.unreachable' }] });
    cloud.away = false;
    await clock.advance(60_000);
    expect(box.stage.screen).toMatchObject({ kind: 'pairing', code: 'BCD-FGH', problem: null });
    expect(box.status()).toMatchObject({ faults: [] });
  });

  test('being unpaired erases everything and shows a code again', async () => {
    const { clock, store, media, cloud, box, settle } = house();
    await settle();
    await clock.advance(25_000);
    cloud.unpair();
    await clock.advance(2_000);
    expect(box.stage.screen).toMatchObject({ kind: 'pairing', code: 'BCD-FGH' });
    expect(box.stage.empty).toBe(true);
    expect(store.readIdentity()).toBe(null);
    expect(store.readManifests()).toEqual({ held: null, target: null });
    expect(store.pendingPlays(10)).toEqual([]);
    expect(media.held().size).toBe(0);
    expect(box.status()).toMatchObject({ state: 'pairing', now_playing: null, held_revision: null });
  });

  test('being unpaired while offline is noticed when the cloud is there again', async () => {
    const { clock, store, cloud, box, settle } = house();
    await settle();
    cloud.away = true;
    cloud.unpair();
    await clock.advance(3_600_000);
    expect(store.readIdentity()).not.toBe(null);
    expect(box.stage.current).not.toBe(null);
    cloud.away = false;
    await clock.advance(120_000);
    expect(store.readIdentity()).toBe(null);
    expect(box.stage.screen).toMatchObject({ kind: 'pairing' });
  });
});

describe('without the cloud', () => {
  test('what is held plays from the first second, and nothing waits for an answer', async () => {
    const { clock, cloud, box, settle, shown } = house();
    await settle();
    box.powerCut();
    cloud.away = true;
    const before = cloud.seen.calls;
    const count = shown().length;
    box.start();
    await clock.advance(49);
    expect(cloud.seen.calls).toBe(before);
    await clock.advance(2);
    expect(shown().length).toBe(count + 1);
    expect(cloud.seen.calls).toBeGreaterThan(before);
    await clock.advance(3_600_000);
    expect(shown().length).toBeGreaterThan(355);
    expect(box.status()).toMatchObject({ state: 'paired', connection: 'offline' });
  });

  test('plays and samples made meanwhile are delivered once each when it is back', async () => {
    const { clock, store, cloud, box, settle } = house();
    await settle();
    await clock.advance(60_000);
    cloud.away = true;
    await clock.advance(3_600_000);
    expect(box.status()).toMatchObject({ connection: 'offline', faults: [{ code: 'cloud.unreachable' }] });
    cloud.away = false;
    await clock.advance(120_000);
    expect(box.status()).toMatchObject({ connection: 'online', faults: [] });
    const ended = box.stage.shown.filter((one) => one.atMs + 10_000 <= clock.wall() - 10_000);
    expect(ended.map((one) => one.id).filter((id) => !cloud.seen.plays.has(id))).toEqual([]);
    expect(cloud.seen.playsTwice).toBe(0);
    expect(store.pendingPlays(500).length).toBeLessThan(3);
    const measured = samplesOf(cloud.seen.heartbeats).map((sample) => sample.measured_at);
    expect(new Set(measured).size).toBe(measured.length);
    expect(measured.length).toBeGreaterThan(60);
    expect(store.readSamples(10)).toEqual([]);
  });

  test.each([
    ['tells what it has when the cloud is there', false],
    ['gives up what nobody has taken for 30 days, and counts it', true],
  ])('a box that was off for three months %s', async (_, away) => {
    const { clock, cloud, box, settle } = house();
    await settle();
    cloud.away = true;
    await clock.advance(60_000);
    box.powerCut();
    const before = box.stage.shown.map((one) => one.id);
    clock.setWall(NOON + 90 * 24 * 3_600_000);
    cloud.away = away;
    box.start();
    await clock.advance(60_000);
    const dropped = Number(box.status().plays_dropped);
    const told = before.filter((id) => cloud.seen.plays.has(id)).length;
    expect([dropped, told]).toEqual(away ? [before.length, 0] : [0, before.length]);
  });

  test('no reading is taken while the clock is in the past', async () => {
    const { clock, store, cloud, settle } = house();
    await settle();
    clock.setWall(Date.UTC(2013, 0, 1));
    cloud.away = true;
    await clock.advance(600_000);
    expect(store.readSamples(100)).toEqual([]);
  });

  test.each([
    ['a broken server', new Fault('cloud.unreachable', 'later', { status: 500 })],
    ['a log-in page', new Fault('cloud.not_placard', 'later', { status: 200 })],
    ['a refusal', new Fault('cloud.refused', 'later', { status: 403 })],
    ['a certificate that has run out', new Fault('cloud.tls', 'later', { reason: 'CERT_HAS_EXPIRED' })],
    ['a call to slow down', new Fault('cloud.busy', { afterMs: 600_000 }, { status: 429 })],
  ])('%s for hours stops nothing, unpairs nobody, and is over when it is over', async (_, fault) => {
    const { clock, store, cloud, box, settle } = house();
    await settle();
    cloud.failure = fault;
    const [shown, calls] = [box.stage.shown.length, cloud.seen.calls];
    await clock.advance(2 * 3_600_000);
    expect(box.stage.shown.length - shown).toBe(720);
    expect(store.readIdentity()).not.toBe(null);
    expect(box.status()).toMatchObject({ connection: 'offline', faults: [{ code: fault.code }] });
    // Heartbeats, plays and the socket, each about once a minute, and less when asked to.
    expect(cloud.seen.calls - calls).toBeLessThan(fault.code === 'cloud.busy' ? 100 : 900);
    cloud.failure = null;
    await clock.advance(12 * 60_000);
    expect(box.status()).toMatchObject({ connection: 'online', faults: [] });
    expect(cloud.seen.playsTwice).toBe(0);
    expect(store.pendingPlays(500).length).toBeLessThan(3);
  });

  test('blocked sockets leave the heartbeats, and a change still arrives', async () => {
    const { clock, cloud, box, publish, settle } = house();
    cloud.socketsBlocked = true;
    await settle();
    const manifest = publish({ playlists: { pl: ['x'] } });
    await clock.advance(70_000);
    expect(box.status()).toMatchObject({ connection: 'online', held_revision: manifest.revision });
  });
});

test('a screen that changes to another playlist tells the cloud within seconds', async () => {
  const { clock, cloud, settle } = house();
  await settle();
  await clock.advance(6_000);
  expect(lastOf(cloud.seen.heartbeats)).toMatchObject({
    samples: [],
    state: { current: { playlist_id: 'pl' }, applied_manifest_revision: expect.stringMatching(/^rev_/) },
  });
});

describe('a new manifest', () => {
  test('is pushed, downloaded and only then shown', async () => {
    const { clock, box, publish, settle, shown } = house();
    await settle();
    const next = publish({ playlists: { pl: ['x', 'y'] } });
    await clock.advance(1_000);
    expect(box.status()).toMatchObject({ held_revision: next.revision, target_revision: next.revision });
    await clock.advance(20_000);
    expect(shown()).toEqual(['a', 'x', 'y', 'x']);
  });

  test('of which a file is gone plays without it, and says so', async () => {
    const { clock, box, publish, settle, shown } = house();
    await settle();
    const next = publish({ playlists: { pl: ['x', 'gone', 'y'] } }, ['gone']);
    await clock.advance(40_000);
    expect(box.status()).toMatchObject({
      held_revision: next.revision,
      faults: [{ code: 'asset.gone', facts: { asset_ids: ['asset_gone'] } }],
    });
    expect(shown().slice(-3)).not.toContain('gone');
    expect(new Set(shown().slice(-3))).toEqual(new Set(['x', 'y']));
  });

  test('of which nothing can be had does not take over, and says why', async () => {
    const { clock, box, publish, settle, shown } = house();
    await settle();
    const held = box.status().held_revision;
    publish({ playlists: { pl: ['gone'] } }, ['gone']);
    await clock.advance(60_000);
    expect(box.status()).toMatchObject({ held_revision: held, blocked_by: 'asset.gone' });
    expect(new Set(shown().slice(-3))).toEqual(new Set(['a', 'b', 'c']));
  });
});

describe('playing', () => {
  test('a rule boundary cuts within 250 ms, by the clock of the organization', async () => {
    const { clock, box, settle, shown } = house();
    await settle({
      playlists: { day: ['a', 'b', 'c'], noon: ['x', 'y'] },
      base: 'day',
      timezone: 'Europe/Berlin',
      rules: [rule('rule_1', 'noon', '13:05', '13:06')],
    });
    await clock.advance(6 * 60_000);
    const first = box.stage.shown.find((_, index) => shown()[index] === 'x')!;
    expect(first.atMs - (NOON + 5 * 60_000)).toBeGreaterThanOrEqual(0);
    expect(first.atMs - (NOON + 5 * 60_000)).toBeLessThanOrEqual(250);
    const back = box.stage.shown.filter((one) => one.atMs >= NOON + 6 * 60_000)[0]!;
    expect(back.atMs - (NOON + 6 * 60_000)).toBeLessThanOrEqual(250);
  });

  test('a clock that is corrected is followed at once, forwards and back', async () => {
    const { clock, box, settle, shown } = house();
    await settle({
      playlists: { day: ['a', 'b'], night: ['x', 'y'] },
      base: 'day',
      rules: [rule('rule_1', 'night', '22:00', '23:00')],
    });
    await clock.advance(3_000);
    clock.setWall(Date.UTC(2026, 10, 20, 22, 30));
    box.runtime.clockStepped();
    await clock.advance(100);
    expect(lastOf(shown())).toBe('x');
    clock.setWall(NOON + 5_000);
    box.runtime.clockStepped();
    await clock.advance(100);
    expect(['a', 'b']).toContain(lastOf(shown()));
    expect(box.status()).toMatchObject({ playing_because: { source: 'deployment' } });
  });

  test('a clock that jumps unseen is noticed within half a minute', async () => {
    const { clock, settle, shown } = house();
    await settle({
      playlists: { day: [['a', 600]], night: [['x', 600]] },
      base: 'day',
      rules: [rule('rule_1', 'night', '22:00', '23:00')],
    });
    clock.setWall(Date.UTC(2026, 10, 20, 22, 30));
    await clock.advance(31_000);
    expect(lastOf(shown())).toBe('x');
  });

  test('an item that fails is passed over, reported and looked at again', async () => {
    const { clock, cloud, box, settle, shown } = house({ fails: (name) => name === 'b' });
    await settle();
    await clock.advance(40_000);
    expect(shown()).not.toContain('b');
    expect([...cloud.seen.plays.values()]).toContainEqual(
      expect.objectContaining({ content_id: 'asset_b', outcome: 'failed', reason: 'decode_failed' }),
    );
    expect(box.status()).toMatchObject({
      faults: [{ code: 'playback.decode_failed', facts: { content_ids: ['asset_b'] } }],
    });
  });

  test('bytes that were damaged on the disk are thrown away, fetched again and shown', async () => {
    let broken = true;
    const { clock, media, settle, shown } = house({ fails: (name) => name === 'c' && broken });
    await settle();
    media.damage(hashOf('c'));
    await clock.advance(12_000);
    expect(shown()).toEqual(['a', 'b']);
    broken = false;
    await clock.advance(30_000);
    expect(shown()).toContain('c');
    expect(await media.verify(hashOf('c'))).toBe(true);
  });

  test('a page that stops beating is replaced', async () => {
    const { clock, box, settle } = house();
    await settle();
    await clock.advance(5_000);
    expect(box.toShell).toEqual([]);
    box.stage.freeze();
    await clock.advance(17_000);
    expect(box.toShell).toEqual([{ type: 'stage_lost' }]);
    expect(box.status()).toMatchObject({ faults: [{ code: 'stage.lost' }] });
  });
});

describe('a death of the runtime', () => {
  test('leaves the picture up, and the same play goes on', async () => {
    const { clock, store, cloud, box, settle, shown } = house();
    await settle();
    await clock.advance(4_000);
    const playing = lastOf(box.stage.shown);
    box.kill();
    await clock.advance(3_000);
    expect(box.stage.current).toBe(playing.url);
    box.start();
    await clock.advance(20_000);
    expect(shown()).toEqual(['a', 'b', 'c']);
    expect(cloud.seen.plays.get(playing.id)).toMatchObject({ outcome: 'completed', duration_ms: 10_000 });
    expect(store.unfinishedPlays().open).toHaveLength(1);
  });

  test('together with the page closes the play at the last known time and goes on with the next item', async () => {
    const { clock, cloud, box, settle, shown } = house();
    await settle();
    await clock.advance(4_000);
    const playing = lastOf(box.stage.shown);
    box.powerCut();
    await clock.advance(3_600_000);
    box.start();
    await clock.advance(10_000);
    expect(shown().slice(0, 2)).toEqual(['a', 'b']);
    const play = cloud.seen.plays.get(playing.id)!;
    expect(play.outcome).toBe('interrupted');
    expect(play.duration_ms).toBeLessThanOrEqual(5_000);
  });

  test('stops in order within five seconds', async () => {
    const { clock, box, settle } = house();
    await settle();
    let stopped = false;
    const stopping = box.stop().then(() => (stopped = true));
    await clock.advance(1_000);
    expect(stopped).toBe(true);
    await stopping;
  });
});

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
});
