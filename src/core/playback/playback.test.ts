import { describe, expect, test } from 'vitest';
import {
  hashOf,
  rule,
  sketchManifest,
  videoAsset,
  type ManifestSketch,
} from '../../../test/support/manifests.ts';
import { playbackWaitMs } from './decide.ts';
import { stepPlayback } from './playback.ts';
import type { PlayDraft } from './plays.ts';
import { programmeOf } from './programme.ts';
import { bootPlayback, type PlaybackEffect, type PlaybackEvent, type PlaybackState } from './state.ts';
import type { StageReport } from './stage.ts';

const START = Date.UTC(2026, 10, 20, 12, 0, 0);

/** Drives the machine by hand and collects what it orders. */
function machine(options: { state?: PlaybackState; atMs?: number } = {}) {
  let monoMs = options.atMs ?? 0;
  let plays = options.state ? 100 : 0;
  const now = () => ({ wallMs: START + monoMs, monoMs, playId: `play_${++plays}` });
  let state =
    options.state ??
    bootPlayback(
      { unfinished: { prepared: null, superseded: [], open: [] }, positions: {}, aliveMs: 0 },
      now(),
    ).state;
  const effects: PlaybackEffect[] = [];
  const send = (event: PlaybackEvent) => {
    const [next, more] = stepPlayback(state, event, now());
    state = next;
    effects.push(...more);
    return more;
  };
  const self = {
    get state() {
      return state;
    },
    send,
    stage: (report: StageReport) => send({ kind: 'stage', report }),
    hello: (current: { id: string; agoMs: number } | null = null, prepared: string | null = null) =>
      send({ kind: 'stage', report: { type: 'hello', current, prepared } }),
    wait(ms: number) {
      monoMs += ms;
      return send({ kind: 'tick' });
    },
    at: () => monoMs,
    waitMs: () => playbackWaitMs(state, now()),
    hold(sketch: ManifestSketch, missing: string[] = []) {
      const manifest = sketchManifest(sketch);
      send({ kind: 'programme', programme: programmeOf(manifest), deviceId: 'dev_1' });
      return send({
        kind: 'media',
        held: new Set(
          manifest.assets.filter((one) => !missing.includes(one.id.slice(6))).map((one) => one.sha256),
        ),
      });
    },
    /** The page makes ready what is prepared and cuts to it. */
    show() {
      const { prepared, current } = state;
      if (!prepared) throw new Error('nothing is prepared');
      const { id } = prepared.draft;
      self.stage({ type: 'ready', id });
      if (current && !current.through) {
        const shownMs = monoMs - current.startedMono;
        self.stage({
          type: 'ended',
          id: current.draft.id,
          agoMs: 0,
          shownMs,
          outcome: 'completed',
          reason: null,
        });
      }
      self.stage({ type: 'started', id, agoMs: 0 });
      return id;
    },
    /** Name of the item that is on the screen, and of the one that is prepared. */
    names: () => [
      state.current?.draft.itemId.split('/')[1] ?? null,
      state.prepared?.draft.itemId.split('/')[1] ?? null,
    ],
    take: () => effects.splice(0),
  };
  return self;
}

const draftOf = (id: string, name: string): PlayDraft => ({
  id,
  playlistId: 'pl',
  itemId: `pl/${name}`,
  contentId: `asset_${name}`,
  sha256: hashOf(name),
  scheduleId: null,
  ruleId: null,
  kind: 'image',
  durationMs: 10_000,
  videoEndMs: null,
});

const orders = (effects: PlaybackEffect[]) =>
  effects.flatMap((effect) => (effect.kind === 'order' ? [effect.order] : []));
const ends = (effects: PlaybackEffect[]) =>
  effects.flatMap((effect) => (effect.kind === 'ended' ? [effect] : []));

/** Shows items until the clock stands at this many milliseconds. */
const playUntil = (m: ReturnType<typeof machine>, untilMs: number) => {
  while (m.at() + 10_000 <= untilMs) {
    m.wait(10_000);
    if (m.state.prepared?.cut !== 'on_command') m.show();
  }
  m.wait(untilMs - m.at());
};

const ABC: ManifestSketch = { playlists: { pl: ['a', 'b', 'c'] } };

describe('one playlist', () => {
  test('the first item is prepared when a page and a programme are there, and cuts as soon as it is ready', () => {
    const m = machine();
    m.hold(ABC);
    expect(orders(m.take())).toEqual([]);
    m.hello();
    expect(orders(m.take())).toMatchObject([
      {
        type: 'prepare',
        cut: 'when_ready',
        showing: { kind: 'image', url: `/media/${hashOf('a')}`, duration_ms: 10_000 },
      },
    ]);
  });

  test('one item is always prepared behind the one on the screen, round and round', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    const seen: unknown[] = [];
    for (let i = 0; i < 7; i++) {
      m.show();
      seen.push(m.names());
      m.wait(10_000);
    }
    expect(seen).toEqual([
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
      ['a', 'b'],
    ]);
    expect(orders(m.take()).slice(1)).toSatisfy((list: { type: string; cut: string }[]) =>
      list.every((order) => order.type === 'prepare' && order.cut === 'after_current'),
    );
  });

  test('every showing opens one play and closes it with the time that the page measured', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    const first = m.show();
    m.take();
    m.wait(10_000);
    const second = m.show();
    const effects = m.take();
    expect(ends(effects)).toMatchObject([
      {
        draft: { id: first, contentId: 'asset_a' },
        startedAtMs: START,
        end: { endedAtMs: START + 10_000, durationMs: 10_000, outcome: 'completed', reason: null },
      },
    ]);
    expect(effects).toContainEqual(expect.objectContaining({ kind: 'started', startedAtMs: START + 10_000 }));
    expect(m.state.current?.draft.id).toBe(second);
  });

  test('a report of the end that comes after the next start still counts', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    const first = m.show();
    m.wait(10_000);
    const next = m.state.prepared!.draft.id;
    m.stage({ type: 'started', id: next, agoMs: 0 });
    m.take();
    m.stage({ type: 'ended', id: first, agoMs: 5, shownMs: 9_998, outcome: 'completed', reason: null });
    expect(ends(m.take())).toMatchObject([{ draft: { id: first }, end: { durationMs: 9_998 } }]);
    m.stage({ type: 'ended', id: first, agoMs: 5, shownMs: 9_998, outcome: 'completed', reason: null });
    expect(ends(m.take())).toEqual([]);
  });

  test('a showing whose end is never reported is closed by what is known', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    const first = m.show();
    m.wait(10_000);
    m.stage({ type: 'started', id: m.state.prepared!.draft.id, agoMs: 0 });
    m.take();
    m.wait(m.waitMs());
    expect(ends(m.take())).toMatchObject([
      { draft: { id: first }, end: { durationMs: 10_000, outcome: 'completed' } },
    ]);
  });

  test('an item that is missing is passed over, and taken when it has arrived', () => {
    const m = machine();
    m.hold(ABC, ['b']);
    m.hello();
    m.show();
    expect(m.names()).toEqual(['a', 'c']);
    m.send({ kind: 'media', held: new Set(['a', 'b', 'c'].map(hashOf)) });
    m.wait(10_000);
    m.show();
    m.wait(10_000);
    m.show();
    expect(m.names()).toEqual(['a', 'b']);
  });

  test('a video without a length of its own runs to its natural end', () => {
    const m = machine();
    m.hold({ playlists: { pl: [['film', null]] }, assets: [videoAsset('film', 12.5)] });
    m.hello();
    expect(orders(m.take())).toMatchObject([
      { showing: { kind: 'video', duration_ms: null, video_end_ms: 12_500 } },
    ]);
  });
});

describe('what cannot be shown', () => {
  test('an item that fails is reported, looked at and passed over, and tried again later', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    m.show();
    m.take();
    m.stage({ type: 'failed', id: m.state.prepared!.draft.id, reason: 'decode_failed' });
    const effects = m.take();
    expect(ends(effects)).toMatchObject([
      { draft: { contentId: 'asset_b' }, end: { outcome: 'failed', reason: 'decode_failed', durationMs: 0 } },
    ]);
    expect(effects).toContainEqual({ kind: 'suspect', sha256: hashOf('b'), reason: 'decode_failed' });
    expect(m.names()).toEqual(['a', 'c']);
    m.wait(10_000);
    m.show();
    expect(m.names()).toEqual(['c', 'a']);
    m.wait(30_000);
    m.show();
    expect(m.names()).toEqual(['a', 'b']);
  });

  test('the wait doubles with every failure, up to half an hour', () => {
    const m = machine();
    m.hold({ playlists: { pl: ['a'] } });
    m.hello();
    const waits: number[] = [];
    for (let i = 0; i < 9; i++) {
      m.stage({ type: 'failed', id: m.state.prepared!.draft.id, reason: 'decode_failed' });
      const before = m.at();
      while (!m.state.prepared) m.wait(m.waitMs());
      waits.push((m.at() - before) / 1_000);
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1_800, 1_800, 1_800]);
  });

  test('when all fail the last picture stays and the player says so', () => {
    const m = machine();
    m.hold({ playlists: { pl: ['a', 'b'] } });
    m.hello();
    m.show();
    for (let i = 0; i < 2; i++) {
      m.stage({ type: 'failed', id: m.state.prepared!.draft.id, reason: 'decode_failed' });
    }
    expect(m.state).toMatchObject({ prepared: null, picture: true, starved: true });
    expect(orders(m.take()).some((order) => order.type === 'clear')).toBe(false);
    m.wait(30_001);
    expect(m.state).toMatchObject({ starved: false, prepared: { draft: { contentId: 'asset_b' } } });
  });

  test('fresh bytes for a failed item are tried at once', () => {
    const m = machine();
    m.hold({ playlists: { pl: ['a'] } });
    m.hello();
    m.stage({ type: 'failed', id: m.state.prepared!.draft.id, reason: 'not_found' });
    m.send({ kind: 'media', held: new Set() });
    expect(m.state.prepared).toBe(null);
    m.send({ kind: 'media', held: new Set([hashOf('a')]) });
    expect(m.state.prepared?.draft.contentId).toBe('asset_a');
  });

  test('a video that stalls on the screen is a failed play, and the next one takes over', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    const first = m.show();
    m.take();
    m.stage({ type: 'ended', id: first, agoMs: 0, shownMs: 4_000, outcome: 'failed', reason: 'stalled' });
    expect(ends(m.take())).toMatchObject([
      { end: { outcome: 'failed', reason: 'stalled', durationMs: 4_000 } },
    ]);
    expect(m.state.failures[hashOf('a')]).toMatchObject({ attempts: 1 });
    expect(m.names()).toEqual(['a', 'b']);
  });

  test('a page that never answers has failed after a minute', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    m.take();
    m.wait(60_001);
    expect(ends(m.take())).toMatchObject([{ end: { outcome: 'failed', reason: 'timeout' } }]);
    expect(m.names()).toEqual([null, 'b']);
  });
});

describe('a rule boundary', () => {
  const BOUNDARY: ManifestSketch = {
    playlists: { day: ['a', 'b'], noon: ['x', 'y'] },
    base: 'day',
    rules: [rule('rule_1', 'noon', '12:01', '12:02')],
  };
  test('the next playlist is made ready before it and cut to on it', () => {
    const m = machine();
    m.hold(BOUNDARY);
    m.hello();
    m.show();
    playUntil(m, 50_000);
    expect(m.names()).toEqual(['b', 'x']);
    expect(m.state.prepared).toMatchObject({
      cut: 'on_command',
      draft: { scheduleId: 'sch_1', ruleId: 'rule_1' },
    });
    m.take();
    expect(m.waitMs()).toBe(10_000);
    m.wait(10_000);
    expect(orders(m.take())).toEqual([{ type: 'cut', showing_id: m.state.prepared!.draft.id }]);
    m.show();
    expect(m.names()).toEqual(['x', 'y']);
  });

  test('a long showing is cut off on the boundary, and says why', () => {
    const m = machine();
    m.hold({ ...BOUNDARY, playlists: { day: [['a', 600]], noon: ['x'] } });
    m.hello();
    const first = m.show();
    m.wait(50_000);
    m.wait(10_000);
    m.take();
    const next = m.state.prepared!.draft.id;
    m.stage({ type: 'started', id: next, agoMs: 0 });
    m.stage({ type: 'ended', id: first, agoMs: 0, shownMs: 60_000, outcome: 'interrupted', reason: null });
    expect(ends(m.take())).toMatchObject([{ end: { outcome: 'interrupted', reason: 'schedule' } }]);
  });

  test('what was prepared for the old playlist and never seen comes first when it is on again', () => {
    const m = machine();
    m.hold({ ...BOUNDARY, playlists: { day: ['a', 'b', 'c', 'd'], noon: ['x'] } });
    m.hello();
    m.show();
    playUntil(m, 59_000);
    const lastOfDay = m.state.current!.draft.itemId;
    m.wait(1_000);
    m.show();
    playUntil(m, 119_000);
    m.wait(1_000);
    m.show();
    const order = ['day/a', 'day/b', 'day/c', 'day/d'];
    expect(m.state.current?.draft.itemId).toBe(order[(order.indexOf(lastOfDay) + 1) % 4]);
  });

  test('at a boundary to nothing the stage is emptied and the play closed', () => {
    const m = machine();
    m.hold({ playlists: { noon: [['x', 600]] }, base: null, rules: [rule('r', 'noon', '12:00', '12:01')] });
    m.hello();
    m.show();
    m.take();
    m.wait(60_000);
    const effects = m.take();
    expect(orders(effects)).toEqual([{ type: 'clear' }]);
    expect(ends(effects)).toMatchObject([
      { end: { outcome: 'interrupted', reason: 'schedule', durationMs: 60_000 } },
    ]);
    expect(m.state).toMatchObject({ picture: false, current: null, prepared: null });
    m.wait(1_000);
    expect(m.take()).toEqual([]);
  });

  test('a boundary to a playlist that cannot be shown leaves the picture up', () => {
    const m = machine();
    m.hold(BOUNDARY, ['x', 'y']);
    m.hello();
    m.show();
    playUntil(m, 61_000);
    expect(m.state).toMatchObject({ picture: true, starved: true });
    expect(orders(m.take()).some((order) => order.type === 'clear')).toBe(false);
    m.send({ kind: 'media', held: new Set(['x', 'y', 'a', 'b'].map(hashOf)) });
    expect(m.state.prepared).toMatchObject({ draft: { contentId: 'asset_x' }, cut: 'when_ready' });
  });

  test('the machine wakes at the latest after 30 s, for clocks are corrected', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    m.show();
    m.stage({ type: 'ready', id: m.state.prepared!.draft.id });
    expect(m.waitMs()).toBe(30_000);
  });
});

describe('a new manifest', () => {
  test('that does not touch the current item disturbs neither it nor the prepared one', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    m.show();
    m.take();
    m.hold({ playlists: { pl: ['a', 'b', 'c', 'd'] } });
    expect(orders(m.take())).toEqual([]);
  });

  test('that drops the prepared item prepares another one', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    m.show();
    m.take();
    m.hold({ playlists: { pl: ['a', 'c'] } });
    expect(orders(m.take())).toMatchObject([{ type: 'prepare', cut: 'after_current' }]);
    expect(m.names()).toEqual(['a', 'c']);
  });

  test('that drops the current item cuts to the next one', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    m.show();
    m.take();
    m.hold({ playlists: { pl: ['b', 'c'] } });
    expect(orders(m.take())).toEqual([{ type: 'cut', showing_id: m.state.prepared!.draft.id }]);
  });

  test('that changes how long the prepared item is shown prepares it anew', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    m.show();
    m.take();
    m.hold({ playlists: { pl: ['a', ['b', 20], 'c'] } });
    expect(orders(m.take())).toMatchObject([{ type: 'prepare', showing: { duration_ms: 20_000 } }]);
    expect(m.names()).toEqual(['a', 'b']);
  });

  test('a cut to what was just replaced is taken as it is', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    m.show();
    const replaced = m.state.prepared!.draft;
    m.hold({ playlists: { pl: ['a', ['b', 20], 'c'] } });
    m.take();
    m.stage({ type: 'started', id: replaced.id, agoMs: 0 });
    expect(m.take()).toContainEqual(expect.objectContaining({ kind: 'started', draft: replaced }));
    expect(m.state.current?.draft.id).toBe(replaced.id);
  });

  test('none any more empties the stage', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    m.show();
    m.take();
    m.send({ kind: 'programme', programme: null, deviceId: '' });
    const effects = m.take();
    expect(orders(effects)).toEqual([{ type: 'clear' }]);
    expect(ends(effects)).toMatchObject([{ end: { reason: 'unpaired' } }]);
    expect(m.state.positions).toEqual({});
  });
});

/** Plays two items, then boots a new machine from what the disk would remember. */
const restarted = (downMs: number) => {
  const m = machine();
  m.hold(ABC);
  m.hello();
  m.show();
  m.wait(10_000);
  m.show();
  m.wait(4_000);
  const { current, prepared, positions } = m.state;
  const atMs = m.at() + downMs;
  const { state } = bootPlayback(
    {
      unfinished: {
        prepared: prepared!.draft,
        superseded: [],
        open: [{ draft: current!.draft, startedAtMs: current!.startedAtMs }],
      },
      positions,
      aliveMs: START + m.at(),
    },
    { wallMs: START + atMs, monoMs: atMs, playId: 'play_x' },
  );
  const next = machine({ state, atMs });
  next.hold(ABC);
  return { m: next, current: current!.draft, prepared: prepared!.draft };
};

describe('after a restart', () => {
  test('a page that still shows the current item goes on with the same play', () => {
    const { m, current, prepared } = restarted(2_000);
    m.hello({ id: current.id, agoMs: 6_000 }, prepared.id);
    const effects = m.take();
    expect(ends(effects)).toEqual([]);
    expect(orders(effects)).toMatchObject([
      { type: 'prepare', cut: 'after_current', showing: { id: prepared.id } },
    ]);
    m.wait(4_000);
    m.show();
    expect(m.names()).toEqual(['c', 'a']);
    expect(ends(m.take())).toMatchObject([
      { draft: { id: current.id }, end: { durationMs: 10_000, outcome: 'completed' } },
    ]);
  });

  test('a page that went on to the prepared item meanwhile is followed', () => {
    const { m, current, prepared } = restarted(8_000);
    m.hello({ id: prepared.id, agoMs: 2_000 });
    const effects = m.take();
    expect(effects).toContainEqual(expect.objectContaining({ kind: 'started', startedAtMs: START + 20_000 }));
    m.wait(m.waitMs());
    expect(ends(m.take())).toMatchObject([
      { draft: { id: current.id }, end: { durationMs: 10_000, outcome: 'completed' } },
    ]);
    expect(m.names()).toEqual(['c', 'a']);
  });

  test('a page that holds the last picture of what is long through counts it as completed', () => {
    const { m, current } = restarted(60_000);
    m.hello({ id: current.id, agoMs: 64_000 });
    expect(ends(m.take())).toMatchObject([
      {
        draft: { id: current.id },
        end: { durationMs: 10_000, endedAtMs: START + 20_000, outcome: 'completed' },
      },
    ]);
  });

  test('a page that went on to what had just been replaced is followed too', () => {
    const { state } = bootPlayback(
      {
        unfinished: {
          prepared: draftOf('play_new', 'b'),
          superseded: [draftOf('play_old', 'c')],
          open: [{ draft: draftOf('play_on', 'a'), startedAtMs: START }],
        },
        positions: {},
        aliveMs: START,
      },
      { wallMs: START + 12_000, monoMs: 12_000, playId: 'play_x' },
    );
    const m = machine({ state, atMs: 12_000 });
    m.hold(ABC);
    m.hello({ id: 'play_old', agoMs: 2_000 });
    expect(m.state.current?.draft.id).toBe('play_old');
    m.wait(m.waitMs());
    expect(ends(m.take())).toMatchObject([{ draft: { id: 'play_on' }, end: { outcome: 'completed' } }]);
  });

  test('after a power cut the play is closed as interrupted at the last known time', () => {
    const { m, current, prepared } = restarted(3_600_000);
    m.hello();
    const effects = m.take();
    expect(ends(effects)).toMatchObject([
      {
        draft: { id: current.id },
        end: { endedAtMs: START + 14_000, durationMs: 4_000, outcome: 'interrupted' },
      },
    ]);
    expect(orders(effects)).toMatchObject([
      { type: 'prepare', cut: 'when_ready', showing: { id: prepared.id } },
    ]);
  });

  test('a death between two pictures closes the older play', () => {
    const { current, prepared } = restarted(0);
    const { state, effects } = bootPlayback(
      {
        unfinished: {
          prepared: null,
          superseded: [],
          open: [
            { draft: current, startedAtMs: START },
            { draft: prepared, startedAtMs: START + 10_000 },
          ],
        },
        positions: {},
        aliveMs: START,
      },
      { wallMs: START + 11_000, monoMs: 0, playId: 'play_x' },
    );
    expect(state.current?.draft).toBe(prepared);
    expect(ends(effects)).toMatchObject([
      { draft: current, end: { durationMs: 10_000, outcome: 'completed' } },
    ]);
  });

  test('a page that was reloaded is given the next item at once', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    const first = m.show();
    m.wait(3_000);
    m.send({ kind: 'beat' });
    m.send({ kind: 'page_gone' });
    m.wait(5_000);
    m.take();
    m.hello();
    const effects = m.take();
    expect(ends(effects)).toMatchObject([
      { draft: { id: first }, end: { durationMs: 3_000, outcome: 'interrupted', reason: 'page_lost' } },
    ]);
    expect(orders(effects)).toMatchObject([{ type: 'prepare', cut: 'when_ready' }]);
  });
});
