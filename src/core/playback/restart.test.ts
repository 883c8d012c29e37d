import { describe, expect, test } from 'vitest';
import { ABC, START, draftOf, ends, machine, orders } from '../../../test/support/playback-machine.ts';
import { redate } from './playback.ts';
import { bootPlayback } from './state.ts';

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
        open: [{ draft: current!.draft, startedAtMs: current!.startedAtMs, guess: null }],
      },
      positions,
      bootId: 'boot-1',
      aliveMs: START + m.at(),
    },
    { wallMs: START + atMs, monoMs: atMs, playId: 'play_x', guessed: false },
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
          open: [{ draft: draftOf('play_on', 'a'), startedAtMs: START, guess: null }],
        },
        positions: {},
        bootId: 'boot-1',
        aliveMs: START,
      },
      { wallMs: START + 12_000, monoMs: 12_000, playId: 'play_x', guessed: false },
    );
    const m = machine({ state, atMs: 12_000 });
    m.hold(ABC);
    m.hello({ id: 'play_old', agoMs: 2_000 });
    expect(m.state.current?.draft.id).toBe('play_old');
    m.wait(m.waitMs());
    expect(ends(m.take())).toMatchObject([{ draft: { id: 'play_on' }, end: { outcome: 'completed' } }]);
  });

  test('a page that tells once more what is known has shown nothing that was lost', () => {
    const { m, current, prepared } = restarted(8_000);
    m.hello({ id: prepared.id, agoMs: 2_000 });
    m.stage({ type: 'started', id: current.id, agoMs: 12_000 });
    m.stage({ type: 'started', id: prepared.id, agoMs: 2_000 });
    expect(m.take().filter((effect) => effect.kind === 'lost')).toEqual([]);
    expect(m.state.current?.draft.id).toBe(prepared.id);
  });

  test('a page that tells what it showed under a process that could not write it down is believed', () => {
    const { m, prepared } = restarted(40_000);
    m.hello({ id: 'play_unknown', agoMs: 2_000 });
    m.stage({ type: 'started', id: prepared.id, agoMs: 30_000 });
    m.take();
    m.stage({ type: 'started', id: 'play_never_written', agoMs: 20_000 });
    expect(m.take()).toContainEqual({ kind: 'lost' });
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
            { draft: current, startedAtMs: START, guess: null },
            { draft: prepared, startedAtMs: START + 10_000, guess: null },
          ],
        },
        positions: {},
        bootId: 'boot-1',
        aliveMs: START,
      },
      { wallMs: START + 11_000, monoMs: 0, playId: 'play_x', guessed: false },
    );
    expect(state.current?.draft).toBe(prepared);
    expect(ends(effects)).toMatchObject([
      { draft: current, end: { durationMs: 10_000, outcome: 'completed' } },
    ]);
  });

  test('a play that stands open long before a newer one is given no time that nobody has seen', () => {
    const { effects } = bootPlayback(
      {
        unfinished: {
          prepared: null,
          superseded: [],
          open: [
            { draft: draftOf('play_old', 'a'), startedAtMs: START, guess: null },
            { draft: draftOf('play_new', 'b'), startedAtMs: START + 3_600_000, guess: null },
          ],
        },
        positions: {},
        bootId: 'boot-1',
        aliveMs: START + 3_600_000,
      },
      { wallMs: START + 3_601_000, monoMs: 0, playId: 'play_x', guessed: false },
    );
    expect(ends(effects)).toMatchObject([
      {
        draft: { id: 'play_old' },
        end: { endedAtMs: START, durationMs: 0, outcome: 'interrupted', reason: 'power_lost' },
      },
    ]);
  });

  test('a play that the power cut off is not longer than was ordered, however long the box was known to live', () => {
    const { state } = bootPlayback(
      {
        unfinished: {
          prepared: null,
          superseded: [],
          open: [{ draft: draftOf('play_old', 'a'), startedAtMs: START, guess: null }],
        },
        positions: {},
        bootId: 'boot-1',
        aliveMs: START + 600_000,
      },
      { wallMs: START + 700_000, monoMs: 700_000, playId: 'play_x', guessed: false },
    );
    const m = machine({ state, atMs: 700_000 });
    m.hello();
    expect(ends(m.take())).toMatchObject([
      { end: { endedAtMs: START + 10_000, durationMs: 10_000, outcome: 'completed', reason: null } },
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

  test('a page that was lost right after a cut closes both plays', () => {
    const m = machine();
    m.hold(ABC);
    m.hello();
    const first = m.show();
    m.wait(10_000);
    const second = m.state.prepared!.draft.id;
    m.stage({ type: 'started', id: second, agoMs: 0 });
    m.send({ kind: 'page_gone' });
    m.wait(1_000);
    m.take();
    m.hello();
    expect(ends(m.take()).map(({ draft }) => draft.id)).toEqual([second, first]);
  });
});

const shown = (id: string, guessed: boolean) => ({
  draft: draftOf(id, 'a'),
  startedAtMs: START,
  startedMono: 0,
  guessed,
  through: false,
});

test('a clock that was wrong takes along all that it has dated, and no more', () => {
  const { state } = bootPlayback(
    {
      unfinished: { prepared: null, superseded: [], open: [] },
      positions: {},
      bootId: 'boot-1',
      aliveMs: START,
    },
    { wallMs: START, monoMs: 0, playId: 'play_x', guessed: true },
  );
  const guessed = { ...state, current: shown('now', true), leaving: shown('before', true) };
  const right = { startedAtMs: START + 3_600_000, guessed: false };
  expect(redate(guessed, 3_600_000, true)).toMatchObject({
    current: right,
    leaving: right,
    aliveMs: START + 3_600_000,
  });
  const sure = { ...state, current: shown('now', false) };
  expect(redate(sure, 3_600_000, true).current).toEqual(sure.current);
});
