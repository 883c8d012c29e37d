import { describe, expect, test } from 'vitest';
import { receive } from '../../src/core/commands/journal.ts';
import type { PlayDraft } from '../../src/core/playback/plays.ts';
import type { Store } from '../../src/core/ports.ts';
import { hashOf, sketchManifest } from '../support/manifests.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { openStore } from '../support/open-store.ts';
import { tempDir } from '../support/temp-dir.ts';

/** A store, and the same store after a restart of the player. */
interface Subject {
  store: Store;
  readonly reopen: () => Store;
}

function sqlite(): Subject {
  const dir = tempDir();
  let store = openStore(dir);
  return {
    store,
    reopen() {
      store.close();
      store = openStore(dir);
      return store;
    },
  };
}

function memory(): Subject {
  const store = createMemoryStore();
  return { store, reopen: () => store };
}

const NOON = Date.UTC(2026, 10, 20, 12);
const draft = (id: string, more: Partial<PlayDraft> = {}): PlayDraft => ({
  id: `play_${id.padStart(26, '0')}`,
  playlistId: 'pl_1',
  itemId: `item_${id}`,
  contentId: `asset_${id}`,
  sha256: hashOf(id),
  scheduleId: null,
  ruleId: null,
  kind: 'image',
  durationMs: 10_000,
  videoEndMs: null,
  ...more,
});
const completed = (endedAtMs: number) => ({
  endedAtMs,
  durationMs: 10_000,
  outcome: 'completed' as const,
  reason: null,
});

const sample = (minute: number, cpu: number) => ({
  measured_at: new Date(NOON + minute * 60_000).toISOString(),
  cpu_percent: cpu,
  memory_percent: null,
  disk_percent: null,
  temperature_celsius: null,
  wifi_signal_dbm: null,
});
const wire = (id: string) => ({
  id,
  command: 'REFRESH' as const,
  expires_at: '2030-01-01T00:00:00.000Z',
});

describe.each([
  ['SQLite', sqlite],
  ['memory', memory],
])('the %s store', (_, make) => {
  test('keeps the identity, and forgets the device with all that came with it', () => {
    const { store, reopen } = make();
    expect(store.readIdentity()).toBe(null);
    store.saveIdentity({ deviceId: 'dev_1', deviceToken: 'secret' });
    store.saveTarget(sketchManifest({ playlists: { pl: ['a'] } }));
    store.playEnded(draft('1'), NOON, completed(NOON + 10_000), null);
    store.saveCommand(
      receive([], { id: 'cmd_1', command: 'REFRESH', expires_at: '2030-01-01T00:00:00.000Z' }, NOON)!,
    );
    const again = reopen();
    expect(again.readIdentity()).toEqual({ deviceId: 'dev_1', deviceToken: 'secret' });
    again.forgetDevice();
    const after = reopen();
    expect(after.readIdentity()).toBe(null);
    expect(after.readManifests()).toEqual({ held: null, target: null });
    expect(after.pendingPlays(10)).toEqual([]);
    expect(after.readCommands()).toEqual([]);
  });

  test('keeps the pairing session until it is told to let go', () => {
    const { store, reopen } = make();
    const session = {
      pairingId: 'pair_1',
      pollToken: 'secret',
      code: 'BCD-FGH',
      verificationUrl: 'http://cloud.test/pair',
      verificationUrlComplete: 'http://cloud.test/pair?code=BCD-FGH',
      expiresAtMs: NOON,
      intervalMs: 5_000,
    };
    store.savePairing(session);
    expect(reopen().readPairing()).toEqual(session);
    const again = reopen();
    again.savePairing(null);
    expect(again.readPairing()).toBe(null);
  });

  test('the target takes the place of what is held, whole', () => {
    const { store, reopen } = make();
    const first = sketchManifest({ revision: 'r1', playlists: { pl: ['a'] } });
    const second = sketchManifest({ revision: 'r2', playlists: { pl: ['b'] } });
    store.saveTarget(first);
    expect(store.readManifests()).toEqual({ held: null, target: first });
    store.promoteTarget();
    store.saveTarget(second);
    expect(reopen().readManifests()).toEqual({ held: first, target: second });
    const again = reopen();
    again.promoteTarget();
    expect(again.readManifests()).toEqual({ held: second, target: null });
    again.promoteTarget();
    expect(again.readManifests()).toEqual({ held: second, target: null });
  });

  test('a play goes from prepared to open to closed, and leaves when it is confirmed', () => {
    const { store, reopen } = make();
    const one = draft('1');
    store.playPrepared(one, { playlistId: 'pl_1', position: { round: 0, last: 'item_1', index: 0 } });
    expect(reopen().unfinishedPlays()).toEqual({ prepared: one, superseded: [], open: [] });
    const again = reopen();
    expect(again.readPositions()).toEqual({ pl_1: { round: 0, last: 'item_1', index: 0 } });
    again.playStarted(one, NOON, null);
    expect(reopen().unfinishedPlays()).toEqual({
      prepared: null,
      superseded: [],
      open: [{ draft: one, startedAtMs: NOON, guess: null }],
    });
    const third = reopen();
    third.playEnded(one, NOON, completed(NOON + 10_000), null);
    expect(third.unfinishedPlays()).toEqual({ prepared: null, superseded: [], open: [] });
    expect(reopen().pendingPlays(10)).toEqual([
      {
        id: one.id,
        content_id: 'asset_1',
        playlist_id: 'pl_1',
        schedule_id: null,
        rule_id: null,
        started_at: '2026-11-20T12:00:00.000Z',
        ended_at: '2026-11-20T12:00:10.000Z',
        duration_ms: 10_000,
        outcome: 'completed',
        reason: null,
      },
    ]);
    const last = reopen();
    last.confirmPlays([one.id]);
    expect(last.pendingPlays(10)).toEqual([]);
  });

  test('only one play is prepared at a time, and its position can be taken back', () => {
    const { store } = make();
    store.playPrepared(draft('1'), { playlistId: 'pl_1', position: { round: 0, last: 'item_1' } });
    store.playPrepared(draft('2'), { playlistId: 'pl_1', position: { round: 0, last: 'item_2' } });
    expect(store.unfinishedPlays().prepared?.itemId).toBe('item_2');
    store.playPrepared(null, { playlistId: 'pl_1', position: null });
    expect(store.unfinishedPlays().prepared).toBe(null);
    expect(store.readPositions()).toEqual({});
  });

  test('a play that was replaced and started nevertheless is kept', () => {
    const { store } = make();
    store.playPrepared(draft('1'), null);
    store.playPrepared(draft('2'), null);
    expect(store.unfinishedPlays()).toMatchObject({ superseded: [{ itemId: 'item_1' }] });
    store.playStarted(draft('1'), NOON, null);
    expect(store.unfinishedPlays()).toMatchObject({
      prepared: { itemId: 'item_2' },
      superseded: [],
      open: [{ draft: { itemId: 'item_1' } }],
    });
  });

  test('a play is closed once; what comes later does not change it', () => {
    const { store } = make();
    store.playStarted(draft('1'), NOON, null);
    store.playEnded(draft('1'), NOON, completed(NOON + 10_000), null);
    store.playEnded(
      draft('1'),
      NOON,
      { ...completed(NOON + 99_000), outcome: 'failed', reason: 'late' },
      null,
    );
    store.playStarted(draft('1'), NOON + 50_000, null);
    expect(store.pendingPlays(10)).toMatchObject([{ outcome: 'completed', duration_ms: 10_000 }]);
    expect(store.unfinishedPlays().open).toEqual([]);
  });

  test('plays that were dated by a wrong clock are dated anew, those of this boot alone', () => {
    const { store, reopen } = make();
    const T2013 = Date.UTC(2013, 0, 1);
    store.playEnded(draft('1'), T2013, completed(T2013 + 10_000), 'boot-1');
    store.playEnded(draft('2'), T2013, completed(T2013 + 10_000), 'boot-0');
    store.playEnded(draft('3'), NOON, completed(NOON + 10_000), null);
    store.playStarted(draft('4'), T2013 + 10_000, 'boot-1');
    store.correctPlays('boot-1', 3_600_000, false);
    const again = reopen();
    expect(again.unfinishedPlays().open).toMatchObject([{ startedAtMs: T2013 + 3_610_000, guess: 'boot-1' }]);
    again.correctPlays('boot-1', NOON - T2013 - 3_600_000, true);
    again.correctPlays('boot-1', 99_000, true);
    const dates = again.pendingPlays(10).map((play) => [play.content_id, play.started_at, play.ended_at]);
    expect(Object.fromEntries(dates.map(([id, ...rest]) => [id, rest]))).toEqual({
      asset_1: ['2026-11-20T12:00:00.000Z', '2026-11-20T12:00:10.000Z'],
      asset_2: ['2013-01-01T00:00:00.000Z', '2013-01-01T00:00:10.000Z'],
      asset_3: ['2026-11-20T12:00:00.000Z', '2026-11-20T12:00:10.000Z'],
    });
    expect(again.unfinishedPlays().open).toMatchObject([{ startedAtMs: NOON + 10_000, guess: null }]);
  });

  test('waiting plays come oldest first, in batches, and old ones are dropped by count', () => {
    const { store } = make();
    for (const [index, id] of ['3', '1', '2'].entries()) {
      store.playEnded(draft(id), NOON, completed(NOON + index * 1_000), null);
    }
    store.playStarted(draft('9'), NOON, null);
    expect(store.pendingPlays(2).map((play) => play.content_id)).toEqual(['asset_3', 'asset_1']);
    expect(store.dropPlaysBefore(NOON + 1_500)).toBe(2);
    expect(store.pendingPlays(10).map((play) => play.content_id)).toEqual(['asset_2']);
    expect(store.unfinishedPlays().open).toHaveLength(1);
  });

  test('a sample is there once for its instant', () => {
    const { store, reopen } = make();
    store.saveSample(sample(1, 1));
    store.saveSample(sample(0, 2));
    store.saveSample(sample(1, 3));
    expect(
      reopen()
        .readSamples(10)
        .map((one) => one.cpu_percent),
    ).toEqual([2, 3]);
    const again = reopen();
    expect(again.readSamples(1)).toHaveLength(1);
    again.deleteSamples([sample(0, 0).measured_at]);
    expect(again.readSamples(10).map((one) => one.cpu_percent)).toEqual([3]);
  });

  test('commands are kept until they are reported and old', () => {
    const { store, reopen } = make();
    const first = receive([], wire('cmd_1'), NOON)!;
    store.saveCommand(first);
    store.saveCommand(receive([], wire('cmd_2'), NOON + 1)!);
    store.saveCommand({ ...first, stage: 'succeeded', told: 'succeeded', result: { ok: true } });
    const again = reopen();
    expect(again.readCommands().map((entry) => [entry.id, entry.stage])).toEqual([
      ['cmd_1', 'succeeded'],
      ['cmd_2', 'received'],
    ]);
    again.forgetCommandsBefore(NOON + 60_000);
    expect(again.readCommands().map((entry) => entry.id)).toEqual(['cmd_2']);
  });

  test('knows what was set on this box, also when the device is forgotten', () => {
    const { store, reopen } = make();
    expect(store.readLocal()).toEqual({ orientation: null, pinAttempts: { wrong: 0, lastAtMs: 0 } });
    const local = { orientation: 'portrait' as const, pinAttempts: { wrong: 3, lastAtMs: NOON } };
    store.saveLocal(local);
    const again = reopen();
    expect(again.readLocal()).toEqual(local);
    again.forgetDevice();
    expect(reopen().readLocal()).toEqual(local);
  });

  test('knows the last good time', () => {
    const { store, reopen } = make();
    expect(store.readLastGoodTime()).toBe(null);
    store.saveLastGoodTime(NOON);
    expect(reopen().readLastGoodTime()).toBe(NOON);
  });

  test('unnamed media are those in no manifest, least recently shown first', () => {
    const { store, reopen } = make();
    for (const name of ['a', 'b', 'c', 'd']) {
      store.putMedia({ sha256: hashOf(name), size: 1, contentType: 'image/png' });
    }
    store.saveTarget(sketchManifest({ playlists: { pl: ['a'] } }));
    store.promoteTarget();
    store.saveTarget(sketchManifest({ playlists: { pl: ['b'] } }));
    store.mediaShown(hashOf('c'), NOON);
    expect(
      reopen()
        .unnamedMedia()
        .map((row) => row.sha256),
    ).toEqual([hashOf('d'), hashOf('c')]);
    const again = reopen();
    again.promoteTarget();
    expect(again.unnamedMedia().map((row) => row.sha256)).toContain(hashOf('a'));
    expect(['a', 'b', 'c'].map((name) => again.isNamed(hashOf(name)))).toEqual([false, true, false]);
    again.removeMedia(hashOf('d'));
    expect(
      again
        .listMedia()
        .map((row) => row.sha256)
        .toSorted(),
    ).toEqual(['a', 'b', 'c'].map(hashOf).toSorted());
  });
});
