import { describe, expect, test } from 'vitest';
import { sha256Of, rule } from '../../test/support/manifests.ts';
import { createSimulatedPlayer, lastItem, NOON } from '../../test/support/simulated-player.ts';

describe('playing', () => {
  test('a rule boundary takes effect within 250 ms, in the time zone of the organization', async () => {
    const { clock, player, pairAndPlay, shownNames } = createSimulatedPlayer();
    await pairAndPlay({
      playlists: { day: ['a', 'b', 'c'], noon: ['x', 'y'] },
      basePlaylistId: 'day',
      timezone: 'Europe/Berlin',
      rules: [rule('rule_1', 'noon', '13:05', '13:06')],
    });
    await clock.advance(6 * 60_000);
    const first = player.stage.shown.find((_, index) => shownNames()[index] === 'x')!;
    expect(first.atMs - (NOON + 5 * 60_000)).toBeGreaterThanOrEqual(0);
    expect(first.atMs - (NOON + 5 * 60_000)).toBeLessThanOrEqual(250);
    const back = player.stage.shown.filter((one) => one.atMs >= NOON + 6 * 60_000)[0]!;
    expect(back.atMs - (NOON + 6 * 60_000)).toBeLessThanOrEqual(250);
  });

  test('a clock correction takes effect at once, forwards and backwards', async () => {
    const { clock, player, pairAndPlay, shownNames } = createSimulatedPlayer();
    await pairAndPlay({
      playlists: { day: ['a', 'b'], night: ['x', 'y'] },
      basePlaylistId: 'day',
      rules: [rule('rule_1', 'night', '22:00', '23:00')],
    });
    await clock.advance(3_000);
    clock.setWall(Date.UTC(2026, 10, 20, 22, 30));
    player.runtime.onClockCorrected();
    await clock.advance(100);
    expect(lastItem(shownNames())).toBe('x');
    clock.setWall(NOON + 5_000);
    player.runtime.onClockCorrected();
    await clock.advance(100);
    expect(['a', 'b']).toContain(lastItem(shownNames()));
    expect(player.status()).toMatchObject({ playing_because: { source: 'deployment' } });
  });

  test('plays of a device that booted in 2013 are reported with correct dates once the cloud has sent the time', async () => {
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    cloud.unreachable = true;
    await clock.advance(60_000);
    player.powerCut();
    const before = player.stage.shown.length;
    clock.isTimeConfirmed = false;
    clock.setWall(Date.UTC(2013, 0, 1));
    player.start();
    await clock.advance(25_000);
    // The time is set by hand, to a wrong value; then the runtime is killed.
    clock.setWall(Date.UTC(2020, 0, 1));
    await clock.advance(20_000);
    player.kill();
    player.start();
    await clock.advance(15_000);
    const shown = player.stage.shown.slice(before);
    const wrong = clock.wallMs();
    clock.setWall(NOON + 3_600_000);
    clock.isTimeConfirmed = true;
    player.runtime.onClockCorrected();
    cloud.unreachable = false;
    await clock.advance(60_000);
    expect(shown.length).toBeGreaterThan(5);
    const reportedStarts = shown.map((one) => Date.parse(cloud.received.plays.get(one.id)?.started_at ?? ''));
    const last = shown.length - 1;
    const truth = NOON + 3_600_000 - (wrong - shown[last]!.atMs);
    expect(reportedStarts).toEqual(reportedStarts.map((_, index) => truth - (last - index) * 10_000));
    const ended = [...cloud.received.plays.values()].filter((play) => Date.parse(play.ended_at) < NOON);
    expect(ended).toEqual([]);
  });

  test('no play is reported while the time is unconfirmed', async () => {
    const { clock, cloud, database, pairAndPlay } = createSimulatedPlayer();
    clock.isTimeConfirmed = false;
    await pairAndPlay();
    await clock.advance(60_000);
    expect(cloud.received.plays.size).toBe(0);
    expect(database.readPendingPlays(10).length).toBeGreaterThan(3);
    clock.isTimeConfirmed = true;
    await clock.advance(60_000);
    expect(cloud.received.plays.size).toBeGreaterThan(8);
  });

  test('a clock jump is noticed within half a minute', async () => {
    const { clock, pairAndPlay, shownNames } = createSimulatedPlayer();
    await pairAndPlay({
      playlists: { day: [['a', 600]], night: [['x', 600]] },
      basePlaylistId: 'day',
      rules: [rule('rule_1', 'night', '22:00', '23:00')],
    });
    clock.setWall(Date.UTC(2026, 10, 20, 22, 30));
    await clock.advance(31_000);
    expect(lastItem(shownNames())).toBe('x');
  });

  test('an item that fails is skipped, reported and retried', async () => {
    const { clock, cloud, player, pairAndPlay, shownNames } = createSimulatedPlayer({
      shouldFail: (name) => name === 'b',
    });
    await pairAndPlay();
    await clock.advance(40_000);
    expect(shownNames()).not.toContain('b');
    expect([...cloud.received.plays.values()]).toContainEqual(
      expect.objectContaining({ content_id: 'asset_b', outcome: 'failed', reason: 'decode_failed' }),
    );
    expect(player.status()).toMatchObject({
      faults: [{ code: 'playback.decode_failed', facts: { content_ids: ['asset_b'] } }],
    });
  });

  test('a file damaged on the disk is deleted, downloaded again and shown', async () => {
    let broken = true;
    const { clock, media, pairAndPlay, shownNames } = createSimulatedPlayer({
      shouldFail: (name) => name === 'c' && broken,
    });
    await pairAndPlay();
    media.corrupt(sha256Of('c'));
    await clock.advance(12_000);
    expect(shownNames()).toEqual(['a', 'b']);
    broken = false;
    await clock.advance(30_000);
    expect(shownNames()).toContain('c');
    expect(await media.verify(sha256Of('c'))).toBe(true);
  });

  test('a page that stops sending beats is replaced', async () => {
    const { clock, player, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    await clock.advance(5_000);
    expect(player.shellMessages).toEqual([]);
    player.stage.freeze();
    await clock.advance(17_000);
    expect(player.shellMessages).toEqual([{ type: 'stage_lost' }]);
    expect(player.status()).toMatchObject({ faults: [{ code: 'stage.lost' }] });
    player.stage.disconnect();
    player.stage.reload();
    player.stage.connect();
    await clock.advance(10_000);
    expect(player.status()).toMatchObject({ faults: [] });
  });
});
