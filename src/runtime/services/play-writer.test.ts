import { describe, expect, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { draftOf } from '../../../test/support/playback-machine.ts';
import { createQuietLog } from '../../../test/support/quiet-log.ts';
import { createTightStore } from '../../../test/support/tight-store.ts';
import { createBoard } from '../board.ts';
import { createPlayWriter } from './play-writer.ts';

const draft = (n: number) => draftOf(`play_${n}`, 'a');

/** A writer in front of a disk that is full until it is freed. */
function writerOn(mostOwed: number) {
  const clock = createManualClock();
  const { store, kept, disk } = createTightStore('together');
  const board = createBoard({ clock });
  const writer = createPlayWriter({ clock, store, board, mostOwed, log: createQuietLog() });
  const startedMs = (n: number) => clock.wall() + n * 10_000;
  return {
    writer,
    board,
    store: kept,
    fill: () => (disk.full = true),
    free: () => (disk.full = false),
    start: (n: number) => {
      const play = `play_${n}`;
      writer.write({ kind: 'prepared', play, write: () => kept.playPrepared(draft(n), null) });
      writer.write({ kind: 'started', play, write: () => kept.playStarted(draft(n), startedMs(n), null) });
    },
    end: (n: number) => {
      const end = { durationMs: 10_000, outcome: 'completed' as const, reason: null };
      writer.write({
        kind: 'ended',
        play: `play_${n}`,
        write: () => kept.playEnded(draft(n), startedMs(n), { ...end, endedAtMs: startedMs(n + 1) }, null),
      });
    },
    reported: () => kept.pendingPlays(100).map((play) => play.id),
  };
}

describe('what the disk does not take', () => {
  test('is written before what comes later, as soon as the disk takes it', () => {
    const { writer, board, store, fill, free, start, end, reported } = writerOn(1_000);
    start(1);
    fill();
    for (let n = 1; n <= 50; n++) {
      end(n);
      start(n + 1);
    }
    expect(writer.settled).toBe(false);
    expect(reported()).toEqual([]);
    expect(store.unfinishedPlays().open.map((play) => play.draft.id)).toEqual(['play_1']);
    expect(board.faults()).toMatchObject([{ code: 'disk.full', facts: { plays_unwritten: 50 } }]);
    free();
    writer.retry();
    expect(writer.settled).toBe(true);
    expect(reported()).toEqual(Array.from({ length: 50 }, (_, index) => `play_${index + 1}`));
    expect(store.unfinishedPlays().open.map((play) => play.draft.id)).toEqual(['play_51']);
    expect(board.faults()).toEqual([]);
    expect(store.readDropped()).toBe(null);
  });

  test('is told beside what others say of the disk, and takes back nothing but its own word', () => {
    const { writer, board, fill, free, start, end } = writerOn(1_000);
    board.raise('disk.full', { asset_ids: ['asset_a'] });
    fill();
    start(1);
    end(1);
    const facts = { asset_ids: ['asset_a'], plays_unwritten: 1 };
    expect(board.faults()).toMatchObject([{ code: 'disk.full', facts }]);
    free();
    writer.retry();
    expect(board.faults()).toMatchObject([{ code: 'disk.full', facts: { asset_ids: ['asset_a'] } }]);
    expect(board.faults()[0]?.facts).not.toHaveProperty('plays_unwritten');
  });

  test('is bounded: the oldest plays are given up and counted, but the one that stands open on disk is closed', () => {
    const { writer, store, fill, free, start, end, reported } = writerOn(30);
    start(1);
    fill();
    for (let n = 1; n <= 50; n++) {
      end(n);
      start(n + 1);
    }
    free();
    writer.retry();
    const found = reported();
    expect(found).toEqual([
      'play_1',
      ...Array.from({ length: found.length - 1 }, (_, n) => `play_${52 - found.length + n}`),
    ]);
    expect(found.length).toBeGreaterThan(8);
    expect(store.readDropped()).toMatchObject({ count: 50 - found.length });
    expect(store.unfinishedPlays().open.map((play) => play.draft.id)).toEqual(['play_51']);
  });

  test('is forgotten with the device that it belongs to', () => {
    const { writer, fill, free, start, end, reported } = writerOn(1_000);
    fill();
    start(1);
    end(1);
    writer.countLost();
    writer.forget();
    free();
    writer.retry();
    expect(reported()).toEqual([]);
    expect(writer.settled).toBe(true);
  });
});
