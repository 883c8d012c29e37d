import { describe, expect, test } from 'vitest';
import { hashOf, rule, type ManifestSketch } from '../../../test/support/manifests.ts';
import { ABC, ends, machine, orders, playUntil } from '../../../test/support/playback-machine.ts';

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

  test('nothing is put on for the last second before it, the picture stays instead', () => {
    const m = machine();
    m.hold({ ...BOUNDARY, playlists: { day: [['a', 59], 'b'], noon: ['x'] } });
    m.hello();
    m.show();
    m.wait(52_000);
    expect(m.names()).toEqual(['a', 'x']);
    expect(m.state.prepared).toMatchObject({ cut: 'on_command' });
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

  test('what was ready for the old playlist waits then, and has its turn when that one is on again', () => {
    const m = machine();
    m.hold(BOUNDARY, ['x', 'y']);
    m.hello();
    m.show();
    playUntil(m, 59_000);
    const ready = m.state.prepared!.draft;
    m.take();
    m.wait(1_000);
    expect(orders(m.take())).toMatchObject([
      { type: 'prepare', cut: 'on_command', showing: { id: ready.id } },
    ]);
    m.stage({ type: 'ready', id: ready.id });
    m.wait(59_000);
    expect(m.take()).toEqual([]);
    m.wait(1_000);
    expect(m.state.starved).toBe(false);
    expect(orders(m.take())).toMatchObject([
      { type: 'prepare', cut: 'after_current', showing: { id: ready.id } },
    ]);
  });

  test('an empty stage takes what was ready rather than nothing', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    m.take();
    m.hold({ playlists: { pl: ['x'] } }, ['x']);
    expect(orders(m.take())).toEqual([]);
    expect(m.state.prepared).toMatchObject({ cut: 'when_ready', draft: { contentId: 'asset_a' } });
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
  test('that makes the current item shorter lets it go when it has been on for that long', () => {
    const m = machine();
    m.hold({ playlists: { pl: [['a', 3_600], 'b'] } });
    m.hello();
    m.show();
    m.stage({ type: 'ready', id: m.state.prepared!.draft.id });
    m.wait(8_000);
    m.take();
    m.hold({ playlists: { pl: [['a', 10], 'b'] } });
    expect(m.waitMs()).toBe(2_000);
    m.wait(1_999);
    expect(m.take()).toEqual([]);
    m.wait(1);
    expect(orders(m.take())).toEqual([{ type: 'cut', showing_id: m.state.prepared!.draft.id }]);
    expect(m.waitMs()).toBeGreaterThan(1_000);
    m.show();
    expect(m.names()).toEqual(['b', 'a']);
  });

  test('that makes the current item longer leaves it the time that it was given', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    m.show();
    m.wait(5_000);
    m.take();
    m.hold({ playlists: { pl: [['a', 3_600], 'b', 'c'] } });
    m.wait(4_000);
    expect(m.take()).toEqual([]);
  });

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
