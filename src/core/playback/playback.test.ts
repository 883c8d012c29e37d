import { describe, expect, test } from 'vitest';
import { hashOf, videoAsset } from '../../../test/support/manifests.ts';
import { ABC, START, ends, machine, orders } from '../../../test/support/playback-machine.ts';

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

describe('behind a message that covers the stage', () => {
  test('the first picture is made ready, and cut to when the message is gone', () => {
    const m = machine();
    m.send({ kind: 'curtain', untilMono: 5_000 });
    m.hold(ABC);
    m.hello();
    expect(orders(m.take())).toMatchObject([{ type: 'prepare', cut: 'on_command' }]);
    const { id } = m.state.prepared!.draft;
    m.stage({ type: 'ready', id });
    expect(m.waitMs()).toBe(5_000);
    m.wait(4_999);
    expect(m.take()).toEqual([]);
    m.wait(1);
    expect(orders(m.take())).toEqual([{ type: 'cut', showing_id: id }]);
  });

  test('nothing waits for a message that was', () => {
    const m = machine({ atMs: 5_000 });
    m.send({ kind: 'curtain', untilMono: 5_000 });
    m.hold(ABC);
    m.hello();
    expect(orders(m.take())).toMatchObject([{ type: 'prepare', cut: 'when_ready' }]);
  });
});

describe('in safe mode', () => {
  const MIXED = {
    playlists: { pl: ['a', ['film', null], 'c'] as ['a', ['film', null], 'c'] },
    assets: [videoAsset('film', 12)],
  };

  test('videos are passed over, and have their turn again afterwards', () => {
    const m = machine();
    m.send({ kind: 'images_only', on: true });
    m.hold(MIXED);
    m.hello();
    m.show();
    expect(m.names()).toEqual(['a', 'c']);
    m.send({ kind: 'images_only', on: false });
    m.show();
    m.show();
    expect(m.names()).toEqual(['a', 'film']);
  });

  test('a video that is on gives way as soon as something else is ready', () => {
    const m = machine();
    m.hold(MIXED);
    m.hello();
    m.show();
    m.wait(10_000);
    m.show();
    expect(m.names()).toEqual(['film', 'c']);
    m.take();
    m.send({ kind: 'images_only', on: true });
    expect(orders(m.take())).toEqual([{ type: 'cut', showing_id: m.state.prepared!.draft.id }]);
  });

  test('a playlist of videos leaves the picture up and is told as not playable', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    m.show();
    m.send({ kind: 'images_only', on: true });
    m.hold({ playlists: { pl: [['film', null]] }, assets: [videoAsset('film', 12)] });
    expect(m.state).toMatchObject({ starved: true, picture: true });
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

  test('an item that was shown again begins with the shortest wait when it fails anew', () => {
    const m = machine();
    m.hold({ playlists: { pl: ['a'] } });
    m.hello();
    for (let i = 0; i < 3; i++) {
      m.stage({ type: 'failed', id: m.state.prepared!.draft.id, reason: 'decode_failed' });
      while (!m.state.prepared) m.wait(m.waitMs());
    }
    m.show();
    expect(m.state.failures).toEqual({});
  });

  test('no play ends before it began, though the clock was set back under it', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    const id = m.show();
    m.take();
    m.stage({ type: 'ended', id, agoMs: 60_000, shownMs: 1_000, outcome: 'completed', reason: null });
    expect(ends(m.take())).toMatchObject([{ startedAtMs: START, end: { endedAtMs: START } }]);
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

  test('what failed is no fault any more once no playlist names it', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    m.show();
    m.stage({ type: 'failed', id: m.state.prepared!.draft.id, reason: 'decode_failed' });
    m.hold({ playlists: { pl: ['a', 'b'] } });
    expect(Object.keys(m.state.failures)).toEqual([hashOf('b')]);
    m.hold({ playlists: { pl: ['a', 'c'] } });
    expect(m.state.failures).toEqual({});
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
