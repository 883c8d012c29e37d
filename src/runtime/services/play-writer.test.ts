import { describe, expect, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createShowing } from '../../../test/support/playback-driver.ts';
import { createRecordingLog } from '../../../test/support/recording-log.ts';
import { createFullDiskDatabase } from '../../../test/support/full-disk-database.ts';
import { createPlayerState } from '../base/player-state.ts';
import { createPlayWriter } from './play-writer.ts';

const showingOf = (n: number) => createShowing(`play_${n}`, 'a');

/** A writer with a disk that can be filled and freed. */
function createTestWriter(maxQueued: number) {
  const clock = createManualClock();
  const { database, stored, disk } = createFullDiskDatabase('transaction');
  const playerState = createPlayerState({ clock });
  const writer = createPlayWriter({ clock, database, playerState, maxQueued, log: createRecordingLog() });
  const startedMs = (n: number) => clock.wallMs() + n * 10_000;
  return {
    writer,
    playerState,
    database: stored,
    fill: () => (disk.full = true),
    free: () => (disk.full = false),
    start: (n: number) => {
      const playId = `play_${n}`;
      writer.write({ kind: 'prepared', playId, write: () => stored.savePreparedShowing(showingOf(n), null) });
      writer.write({
        kind: 'started',
        playId,
        write: () => stored.savePlayStart(showingOf(n), startedMs(n), null),
      });
    },
    end: (n: number) => {
      const end = { durationMs: 10_000, outcome: 'completed' as const, reason: null };
      writer.write({
        kind: 'ended',
        playId: `play_${n}`,
        write: () =>
          stored.savePlayEnd(showingOf(n), startedMs(n), { ...end, endedAtMs: startedMs(n + 1) }, null),
      });
    },
    reported: () => stored.readPendingPlays(100).map((play) => play.id),
  };
}

describe('writes that the disk rejects', () => {
  test('are done before later ones, as soon as the disk accepts writes', () => {
    const { writer, playerState, database, fill, free, start, end, reported } = createTestWriter(1_000);
    start(1);
    fill();
    for (let n = 1; n <= 50; n++) {
      end(n);
      start(n + 1);
    }
    expect(writer.isFlushed).toBe(false);
    expect(reported()).toEqual([]);
    expect(database.readUnfinishedPlays().open.map((play) => play.showing.id)).toEqual(['play_1']);
    expect(playerState.faults()).toMatchObject([{ code: 'disk.full', facts: { plays_unwritten: 50 } }]);
    free();
    writer.flush();
    expect(writer.isFlushed).toBe(true);
    expect(reported()).toEqual(Array.from({ length: 50 }, (_, index) => `play_${index + 1}`));
    expect(database.readUnfinishedPlays().open.map((play) => play.showing.id)).toEqual(['play_51']);
    expect(playerState.faults()).toEqual([]);
    expect(database.readDroppedPlays()).toBe(null);
  });

  test('raise a fault beside those of other sources, and clear only their own', () => {
    const { writer, playerState, fill, free, start, end } = createTestWriter(1_000);
    playerState.raise('disk.full', { asset_ids: ['asset_a'] });
    fill();
    start(1);
    end(1);
    const facts = { asset_ids: ['asset_a'], plays_unwritten: 1 };
    expect(playerState.faults()).toMatchObject([{ code: 'disk.full', facts }]);
    free();
    writer.flush();
    expect(playerState.faults()).toMatchObject([{ code: 'disk.full', facts: { asset_ids: ['asset_a'] } }]);
    expect(playerState.faults()[0]?.facts).not.toHaveProperty('plays_unwritten');
  });

  test('are bounded: the oldest plays are dropped and counted, but a play open on disk is closed', () => {
    const { writer, database, fill, free, start, end, reported } = createTestWriter(30);
    start(1);
    fill();
    for (let n = 1; n <= 50; n++) {
      end(n);
      start(n + 1);
    }
    free();
    writer.flush();
    const found = reported();
    expect(found).toEqual([
      'play_1',
      ...Array.from({ length: found.length - 1 }, (_, n) => `play_${52 - found.length + n}`),
    ]);
    expect(found.length).toBeGreaterThan(8);
    expect(database.readDroppedPlays()).toMatchObject({ count: 50 - found.length });
    expect(database.readUnfinishedPlays().open.map((play) => play.showing.id)).toEqual(['play_51']);
  });

  test('are discarded when the device is unpaired', () => {
    const { writer, fill, free, start, end, reported } = createTestWriter(1_000);
    fill();
    start(1);
    end(1);
    writer.countLostPlay();
    writer.discard();
    free();
    writer.flush();
    expect(reported()).toEqual([]);
    expect(writer.isFlushed).toBe(true);
  });
});
