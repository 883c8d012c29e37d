import { describe, expect, test } from 'vitest';
import { hashOf, rule } from '../../test/support/manifests.ts';
import { house, lastOf, NOON } from '../../test/support/simulated-house.ts';

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

  test('plays of a box that woke in 2013 are told with the right dates once the cloud has said the time', async () => {
    const { clock, cloud, box, settle } = house();
    await settle();
    cloud.away = true;
    await clock.advance(60_000);
    box.powerCut();
    const before = box.stage.shown.length;
    clock.confirmed = false;
    clock.setWall(Date.UTC(2013, 0, 1));
    box.start();
    await clock.advance(25_000);
    // Its time is set by hand, and wrong again; then the runtime dies.
    clock.setWall(Date.UTC(2020, 0, 1));
    await clock.advance(20_000);
    box.kill();
    box.start();
    await clock.advance(15_000);
    const shown = box.stage.shown.slice(before);
    const wrong = clock.wall();
    clock.setWall(NOON + 3_600_000);
    clock.confirmed = true;
    box.runtime.clockStepped();
    cloud.away = false;
    await clock.advance(60_000);
    expect(shown.length).toBeGreaterThan(5);
    const told = shown.map((one) => Date.parse(cloud.seen.plays.get(one.id)?.started_at ?? ''));
    const last = shown.length - 1;
    const truth = NOON + 3_600_000 - (wrong - shown[last]!.atMs);
    expect(told).toEqual(told.map((_, index) => truth - (last - index) * 10_000));
    const ended = [...cloud.seen.plays.values()].filter((play) => Date.parse(play.ended_at) < NOON);
    expect(ended).toEqual([]);
  });

  test('no play is told while nobody has said the time', async () => {
    const { clock, cloud, store, settle } = house();
    clock.confirmed = false;
    await settle();
    await clock.advance(60_000);
    expect(cloud.seen.plays.size).toBe(0);
    expect(store.pendingPlays(10).length).toBeGreaterThan(3);
    clock.confirmed = true;
    await clock.advance(60_000);
    expect(cloud.seen.plays.size).toBeGreaterThan(8);
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
    box.stage.disconnect();
    box.stage.reload();
    box.stage.connect();
    await clock.advance(10_000);
    expect(box.status()).toMatchObject({ faults: [] });
  });
});
