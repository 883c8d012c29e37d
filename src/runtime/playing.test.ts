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
