import { describe, expect, test } from 'vitest';
import {
  THREE_IMAGES,
  START_MS,
  createShowing,
  endedEffects,
  createPlaybackDriver,
  stageOrders,
} from '../../../test/support/playback-driver.ts';
import { hasSomethingToShow, shiftUnconfirmedTimes } from './playback.ts';
import { restorePlayback } from './restore-playback.ts';

/** Plays two items, then restarts the state machine from what the disk stores. */
const restarted = (downMs: number) => {
  const m = createPlaybackDriver();
  m.setManifest(THREE_IMAGES);
  m.hello();
  m.showPrepared();
  m.advance(10_000);
  m.showPrepared();
  m.advance(4_000);
  const { current, prepared, positions } = m.state;
  const atMs = m.elapsedMs() + downMs;
  const { state } = restorePlayback(
    {
      unfinishedPlays: {
        prepared: prepared!.showing,
        superseded: [],
        open: [{ showing: current!.showing, startedAtMs: current!.startedAtMs, unconfirmedBootId: null }],
      },
      positions,
      bootId: 'boot-1',
      lastAliveAtMs: START_MS + m.elapsedMs(),
    },
    { wallMs: START_MS + atMs, monoMs: atMs, playId: 'play_x', isTimeUnconfirmed: false },
  );
  const next = createPlaybackDriver({ state, atMs });
  next.setManifest(THREE_IMAGES);
  return { m: next, current: current!.showing, prepared: prepared!.showing };
};

describe('after a restart', () => {
  test('a page that still shows the current item continues the same play', () => {
    const { m, current, prepared } = restarted(2_000);
    m.hello({ showing_id: current.id, ago_ms: 6_000 });
    const effects = m.takeEffects();
    expect(endedEffects(effects)).toEqual([]);
    expect(stageOrders(effects)).toMatchObject([
      { type: 'prepare', cut: 'after_current', showing: { id: prepared.id } },
    ]);
    m.advance(4_000);
    m.showPrepared();
    expect(m.itemNames()).toEqual(['c', 'a']);
    expect(endedEffects(m.takeEffects())).toMatchObject([
      { showing: { id: current.id }, end: { durationMs: 10_000, outcome: 'completed' } },
    ]);
  });

  test('a prepared item whose file is no longer known is nothing to show, so that nothing waits for its picture', () => {
    const { m } = restarted(2_000);
    expect(hasSomethingToShow(m.state)).toBe(true);
    m.setManifest(THREE_IMAGES, ['a', 'b', 'c']);
    expect(hasSomethingToShow(m.state)).toBe(false);
    m.hello();
    expect(stageOrders(m.takeEffects())).toEqual([]);
    expect(hasSomethingToShow(m.state)).toBe(false);
    m.setManifest(THREE_IMAGES);
    expect(stageOrders(m.takeEffects())).toMatchObject([{ type: 'prepare', cut: 'when_ready' }]);
    expect(hasSomethingToShow(m.state)).toBe(true);
  });

  test('a page that has moved on to the prepared item is followed', () => {
    const { m, current, prepared } = restarted(8_000);
    m.hello({ showing_id: prepared.id, ago_ms: 2_000 });
    const effects = m.takeEffects();
    expect(effects).toContainEqual(
      expect.objectContaining({ kind: 'started', startedAtMs: START_MS + 20_000 }),
    );
    m.advance(m.waitMs());
    expect(endedEffects(m.takeEffects())).toMatchObject([
      { showing: { id: current.id }, end: { durationMs: 10_000, outcome: 'completed' } },
    ]);
    expect(m.itemNames()).toEqual(['c', 'a']);
  });

  test('a finished showing whose last picture the page still holds counts as completed', () => {
    const { m, current } = restarted(60_000);
    m.hello({ showing_id: current.id, ago_ms: 64_000 });
    expect(endedEffects(m.takeEffects())).toMatchObject([
      {
        showing: { id: current.id },
        end: { durationMs: 10_000, endedAtMs: START_MS + 20_000, outcome: 'completed' },
      },
    ]);
  });

  test('a page that has moved on to a superseded showing is followed too', () => {
    const { state } = restorePlayback(
      {
        unfinishedPlays: {
          prepared: createShowing('play_new', 'b'),
          superseded: [createShowing('play_old', 'c')],
          open: [{ showing: createShowing('play_on', 'a'), startedAtMs: START_MS, unconfirmedBootId: null }],
        },
        positions: {},
        bootId: 'boot-1',
        lastAliveAtMs: START_MS,
      },
      { wallMs: START_MS + 12_000, monoMs: 12_000, playId: 'play_x', isTimeUnconfirmed: false },
    );
    const m = createPlaybackDriver({ state, atMs: 12_000 });
    m.setManifest(THREE_IMAGES);
    m.hello({ showing_id: 'play_old', ago_ms: 2_000 });
    expect(m.state.current?.showing.id).toBe('play_old');
    m.advance(m.waitMs());
    expect(endedEffects(m.takeEffects())).toMatchObject([
      { showing: { id: 'play_on' }, end: { outcome: 'completed' } },
    ]);
  });

  test('a repeated report of a known showing does not count as a lost play', () => {
    const { m, current, prepared } = restarted(8_000);
    m.hello({ showing_id: prepared.id, ago_ms: 2_000 });
    m.reportFromStage({ type: 'started', showing_id: current.id, ago_ms: 12_000 });
    m.reportFromStage({ type: 'started', showing_id: prepared.id, ago_ms: 2_000 });
    expect(m.takeEffects().filter((effect) => effect.kind === 'play_lost')).toEqual([]);
    expect(m.state.current?.showing.id).toBe(prepared.id);
  });

  test('an unknown showing that started under an earlier process counts as a lost play', () => {
    const { m, prepared } = restarted(40_000);
    m.hello({ showing_id: 'play_unknown', ago_ms: 2_000 });
    m.reportFromStage({ type: 'started', showing_id: prepared.id, ago_ms: 30_000 });
    m.takeEffects();
    m.reportFromStage({ type: 'started', showing_id: 'play_never_written', ago_ms: 20_000 });
    expect(m.takeEffects()).toContainEqual({ kind: 'play_lost' });
  });

  test('after a power cut the play is closed as interrupted at the last known time', () => {
    const { m, current, prepared } = restarted(3_600_000);
    m.hello();
    const effects = m.takeEffects();
    expect(endedEffects(effects)).toMatchObject([
      {
        showing: { id: current.id },
        end: { endedAtMs: START_MS + 14_000, durationMs: 4_000, outcome: 'interrupted' },
      },
    ]);
    expect(stageOrders(effects)).toMatchObject([
      { type: 'prepare', cut: 'when_ready', showing: { id: prepared.id } },
    ]);
  });

  test('a crash during a transition closes the older play', () => {
    const { current, prepared } = restarted(0);
    const { state, effects } = restorePlayback(
      {
        unfinishedPlays: {
          prepared: null,
          superseded: [],
          open: [
            { showing: current, startedAtMs: START_MS, unconfirmedBootId: null },
            { showing: prepared, startedAtMs: START_MS + 10_000, unconfirmedBootId: null },
          ],
        },
        positions: {},
        bootId: 'boot-1',
        lastAliveAtMs: START_MS,
      },
      { wallMs: START_MS + 11_000, monoMs: 0, playId: 'play_x', isTimeUnconfirmed: false },
    );
    expect(state.current?.showing).toBe(prepared);
    expect(endedEffects(effects)).toMatchObject([
      { showing: current, end: { durationMs: 10_000, outcome: 'completed' } },
    ]);
  });

  test('an open play long before a newer one gets no duration', () => {
    const { effects } = restorePlayback(
      {
        unfinishedPlays: {
          prepared: null,
          superseded: [],
          open: [
            { showing: createShowing('play_old', 'a'), startedAtMs: START_MS, unconfirmedBootId: null },
            {
              showing: createShowing('play_new', 'b'),
              startedAtMs: START_MS + 3_600_000,
              unconfirmedBootId: null,
            },
          ],
        },
        positions: {},
        bootId: 'boot-1',
        lastAliveAtMs: START_MS + 3_600_000,
      },
      { wallMs: START_MS + 3_601_000, monoMs: 0, playId: 'play_x', isTimeUnconfirmed: false },
    );
    expect(endedEffects(effects)).toMatchObject([
      {
        showing: { id: 'play_old' },
        end: { endedAtMs: START_MS, durationMs: 0, outcome: 'interrupted', reason: 'power_lost' },
      },
    ]);
  });

  test('a play interrupted by a power cut is never longer than its duration', () => {
    const { state } = restorePlayback(
      {
        unfinishedPlays: {
          prepared: null,
          superseded: [],
          open: [{ showing: createShowing('play_old', 'a'), startedAtMs: START_MS, unconfirmedBootId: null }],
        },
        positions: {},
        bootId: 'boot-1',
        lastAliveAtMs: START_MS + 600_000,
      },
      { wallMs: START_MS + 700_000, monoMs: 700_000, playId: 'play_x', isTimeUnconfirmed: false },
    );
    const m = createPlaybackDriver({ state, atMs: 700_000 });
    m.hello();
    expect(endedEffects(m.takeEffects())).toMatchObject([
      { end: { endedAtMs: START_MS + 10_000, durationMs: 10_000, outcome: 'completed', reason: null } },
    ]);
  });

  test('a reloaded page gets the next item at once', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    const first = m.showPrepared();
    m.advance(3_000);
    m.reportFromStage({ type: 'beat', frames: 60, dropped_frames: 0 });
    m.send({ kind: 'page_gone' });
    m.advance(5_000);
    m.takeEffects();
    m.hello();
    const effects = m.takeEffects();
    expect(endedEffects(effects)).toMatchObject([
      { showing: { id: first }, end: { durationMs: 3_000, outcome: 'interrupted', reason: 'page_lost' } },
    ]);
    expect(stageOrders(effects)).toMatchObject([{ type: 'prepare', cut: 'when_ready' }]);
  });

  test('nothing is due while the page is gone, however long it has been preparing', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    m.send({ kind: 'page_gone' });
    m.advance(10 * 60_000);
    expect(m.state.prepared).toMatchObject({ isSent: true, isReady: false });
    expect(m.waitMs()).toBe(30_000);
  });

  test('a page that was lost right after a cut closes both plays', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    const first = m.showPrepared();
    m.advance(10_000);
    const second = m.state.prepared!.showing.id;
    m.reportFromStage({ type: 'started', showing_id: second, ago_ms: 0 });
    m.send({ kind: 'page_gone' });
    m.advance(1_000);
    m.takeEffects();
    m.hello();
    expect(endedEffects(m.takeEffects()).map(({ showing }) => showing.id)).toEqual([second, first]);
  });
});

const shown = (id: string, isTimeUnconfirmed: boolean) => ({
  showing: createShowing(id, 'a'),
  startedAtMs: START_MS,
  startedAtMonoMs: 0,
  isTimeUnconfirmed,
  finished: false,
});

test('a clock correction shifts exactly the times that the wrong clock has set', () => {
  const { state } = restorePlayback(
    {
      unfinishedPlays: { prepared: null, superseded: [], open: [] },
      positions: {},
      bootId: 'boot-1',
      lastAliveAtMs: START_MS,
    },
    { wallMs: START_MS, monoMs: 0, playId: 'play_x', isTimeUnconfirmed: true },
  );
  const unconfirmed = { ...state, current: shown('now', true), outgoing: shown('before', true) };
  const shifted = { startedAtMs: START_MS + 3_600_000, isTimeUnconfirmed: false };
  expect(shiftUnconfirmedTimes(unconfirmed, 3_600_000, true)).toMatchObject({
    current: shifted,
    outgoing: shifted,
    lastAliveAtMs: START_MS + 3_600_000,
  });
  const confirmed = { ...state, current: shown('now', false) };
  expect(shiftUnconfirmedTimes(confirmed, 3_600_000, true).current).toEqual(confirmed.current);
});
