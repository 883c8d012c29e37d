import { describe, expect, it } from 'vitest';
import type { Showing } from '../../src/stage-link/messages.ts';
import { EMPTY, step, type CutMode, type SequenceEffect, type SequenceEvent } from './sequence.ts';

const image = (id: string, duration_ms = 10_000): Showing => ({
  id,
  kind: 'image',
  url: '/media/a',
  duration_ms,
  video_end_ms: null,
});
const video = (id: string): Showing => ({
  id,
  kind: 'video',
  url: '/media/b',
  duration_ms: null,
  video_end_ms: 2_000,
});
const prepare = (showing: Showing, cut: CutMode = 'after_current'): SequenceEvent => ({
  type: 'prepare',
  showing,
  cut,
});

/** Runs events in order and answers with the last state and the effects of the last event. */
function after(...events: [atMs: number, SequenceEvent][]) {
  let state = EMPTY;
  let effects: SequenceEffect[] = [];
  for (const [atMs, event] of events) [state, effects] = step(state, event, atMs);
  return { state, effects };
}

/** `first` is on the stage since 1,000 ms. */
const playing = (first: Showing): [number, SequenceEvent][] => [
  [0, prepare(first)],
  [900, { type: 'loaded', id: first.id }],
  [1_020, { type: 'presented', id: first.id, atMs: 1_000 }],
  [1_100, { type: 'settled', id: first.id }],
];

const told = (effects: SequenceEffect[]) =>
  effects.flatMap((effect) => (effect.do === 'tell' ? [effect.event] : []));
const done = (effects: SequenceEffect[]) =>
  effects.flatMap((effect) => (effect.do === 'tell' ? [] : [effect]));

describe('the first showing', () => {
  it('is loaded, then cut to as soon as it is ready', () => {
    expect(after([0, prepare(image('a'))]).effects).toEqual([{ do: 'load', showing: image('a') }]);
    const { effects } = after([0, prepare(image('a'))], [5, { type: 'loaded', id: 'a' }]);
    expect(effects).toEqual([
      { do: 'tell', event: { type: 'ready', showing_id: 'a' } },
      { do: 'reveal', id: 'a' },
    ]);
  });

  it('starts when its first frame is on the screen, and is watched until it is due', () => {
    const { effects } = after(...playing(image('a')).slice(0, -1));
    expect(effects).toEqual([
      { do: 'tell', event: { type: 'started', showing_id: 'a', atMs: 1_000 } },
      { do: 'watch', id: 'a', dueAtMs: 11_000 },
    ]);
  });

  it('waits for the command when it was prepared for one', () => {
    const waiting = after([0, prepare(image('a'), 'on_command')], [5, { type: 'loaded', id: 'a' }]);
    expect(done(waiting.effects)).toEqual([]);
    const [, effects] = step(waiting.state, { type: 'cut', id: 'a' }, 9);
    expect(effects).toEqual([{ do: 'reveal', id: 'a' }]);
  });
});

describe('a cut', () => {
  it('comes when the current one is through, and tells both at the first frame of the next', () => {
    const ready = after(
      ...playing(image('a')),
      [2_000, prepare(video('b'))],
      [2_300, { type: 'loaded', id: 'b' }],
    );
    expect(done(ready.effects)).toEqual([]);
    const cut = after(
      ...playing(image('a')),
      [2_000, prepare(video('b'))],
      [2_300, { type: 'loaded', id: 'b' }],
      [10_990, { type: 'through', id: 'a' }],
    );
    expect(cut.effects).toEqual([{ do: 'reveal', id: 'b' }]);
    const [state, effects] = step(cut.state, { type: 'presented', id: 'b', atMs: 11_004 }, 11_100);
    expect(told(effects)).toEqual([
      { type: 'ended', showing_id: 'a', atMs: 11_004, shown_ms: 10_004, outcome: 'completed', reason: null },
      { type: 'started', showing_id: 'b', atMs: 11_004 },
    ]);
    expect(done(effects)).toEqual([{ do: 'watch', id: 'b', dueAtMs: null }]);
    expect(state.next).toBeNull();
    const [, released] = step(state, { type: 'settled', id: 'b' }, 11_500);
    expect(released).toEqual([{ do: 'release', id: 'a' }]);
  });

  it('never lets lateness add up: the next due time is counted from the due time', () => {
    const { effects } = after(
      ...playing(image('a')),
      [2_000, prepare(image('b', 5_000))],
      [2_300, { type: 'loaded', id: 'b' }],
      [10_990, { type: 'through', id: 'a' }],
      [11_050, { type: 'presented', id: 'b', atMs: 11_013 }],
    );
    expect(done(effects)).toContainEqual({ do: 'watch', id: 'b', dueAtMs: 16_000 });
  });

  it('counts from the screen when the cut was really late', () => {
    const { effects } = after(
      ...playing(image('a')),
      [11_000, { type: 'through', id: 'a' }],
      [12_000, prepare(image('b', 5_000))],
      [12_300, { type: 'loaded', id: 'b' }],
      [12_350, { type: 'presented', id: 'b', atMs: 12_320 }],
    );
    expect(done(effects)).toContainEqual({ do: 'watch', id: 'b', dueAtMs: 17_320 });
  });

  it('on "when ready" interrupts the current one', () => {
    const { effects } = after(
      ...playing(image('a')),
      [2_000, prepare(image('b'), 'when_ready')],
      [2_300, { type: 'loaded', id: 'b' }],
      [2_330, { type: 'presented', id: 'b', atMs: 2_320 }],
    );
    expect(told(effects)[0]).toMatchObject({ type: 'ended', showing_id: 'a', outcome: 'interrupted' });
  });

  it('on command waits for a showing that is not ready yet', () => {
    const { effects } = after(
      ...playing(image('a')),
      [2_000, prepare(image('b'), 'on_command')],
      [2_100, { type: 'cut', id: 'b' }],
      [2_300, { type: 'loaded', id: 'b' }],
    );
    expect(done(effects)).toEqual([{ do: 'reveal', id: 'b' }]);
  });

  it('takes no new showing into a layer that is still leaving', () => {
    const cutting = after(
      ...playing(image('a')),
      [2_000, prepare(image('b'), 'when_ready')],
      [2_300, { type: 'loaded', id: 'b' }],
      [2_310, prepare(image('c'))],
    );
    expect(cutting.effects).toEqual([]);
    const [fading, effects] = step(cutting.state, { type: 'presented', id: 'b', atMs: 2_320 }, 2_400);
    expect(effects.map((effect) => effect.do)).toEqual(['tell', 'tell', 'watch']);
    const [replaced, none] = step(fading, prepare(image('d')), 2_500);
    expect(none).toEqual([]);
    const [state, free] = step(replaced, { type: 'settled', id: 'b' }, 3_000);
    expect(free).toEqual([
      { do: 'release', id: 'a' },
      { do: 'load', showing: image('d') },
    ]);
    expect(state).toMatchObject({ leaving: null, queued: null, next: { showing: { id: 'd' } } });
  });

  it('lets a showing that is shorter than the fade end in time, and goes on once a layer is free', () => {
    const { state, effects } = after(
      ...playing(image('a')),
      [2_000, prepare(image('b', 1_000), 'when_ready')],
      [2_300, { type: 'loaded', id: 'b' }],
      [2_330, { type: 'presented', id: 'b', atMs: 2_320 }],
      [2_400, prepare(image('c'))],
      [3_320, { type: 'through', id: 'b' }],
    );
    expect(told(effects)).toMatchObject([{ type: 'ended', showing_id: 'b', outcome: 'completed' }]);
    const [free] = step(state, { type: 'settled', id: 'b' }, 4_000);
    const [, cut] = step(free, { type: 'loaded', id: 'c' }, 4_200);
    expect(done(cut)).toEqual([{ do: 'reveal', id: 'c' }]);
  });

  it('empties all layers on "clear", also in the middle of a fade', () => {
    const { state, effects } = after(
      ...playing(image('a')),
      [2_000, prepare(image('b'), 'when_ready')],
      [2_300, { type: 'loaded', id: 'b' }],
      [2_330, { type: 'presented', id: 'b', atMs: 2_320 }],
      [2_500, { type: 'clear' }],
    );
    expect(done(effects)).toEqual([
      { do: 'release', id: 'b' },
      { do: 'release', id: 'a' },
    ]);
    expect(state).toEqual(EMPTY);
  });
});

describe('when nothing is ready', () => {
  it('tells the end once, at once, and keeps the picture', () => {
    const over = after(...playing(image('a')), [11_000, { type: 'through', id: 'a' }]);
    expect(over.effects).toEqual([
      {
        do: 'tell',
        event: {
          type: 'ended',
          showing_id: 'a',
          atMs: 11_000,
          shown_ms: 10_000,
          outcome: 'completed',
          reason: null,
        },
      },
      { do: 'hold', id: 'a' },
    ]);
    expect(step(over.state, { type: 'through', id: 'a' }, 12_000)[1]).toEqual([]);
    const later = after(
      ...playing(image('a')),
      [11_000, { type: 'through', id: 'a' }],
      [12_000, prepare(image('b'))],
      [12_100, { type: 'loaded', id: 'b' }],
      [12_130, { type: 'presented', id: 'b', atMs: 12_120 }],
    );
    expect(told(later.effects)).toEqual([{ type: 'started', showing_id: 'b', atMs: 12_120 }]);
  });

  it('cuts to a late showing as soon as it is ready', () => {
    const { effects } = after(
      ...playing(image('a')),
      [2_000, prepare(image('b'))],
      [11_000, { type: 'through', id: 'a' }],
      [11_400, { type: 'loaded', id: 'b' }],
    );
    expect(done(effects)).toEqual([{ do: 'reveal', id: 'b' }]);
  });
});

describe('preparing again', () => {
  it('replaces the prepared showing', () => {
    const { state, effects } = after(
      ...playing(image('a')),
      [2_000, prepare(image('b'))],
      [2_100, prepare(image('c'))],
    );
    expect(effects).toEqual([
      { do: 'release', id: 'b' },
      { do: 'load', showing: image('c') },
    ]);
    expect(step(state, { type: 'loaded', id: 'b' }, 2_200)[1]).toEqual([]);
  });

  it('leaves what is already on the stage alone', () => {
    expect(after(...playing(image('a')), [2_000, prepare(image('a'))]).effects).toEqual([]);
  });
});

describe('failures', () => {
  const failure = { reason: 'decode_failed', detail: 'cut short' } as const;

  it('before the cut are told and leave the current one playing', () => {
    const { state, effects } = after(
      ...playing(image('a')),
      [2_000, prepare(image('b'))],
      [2_100, { type: 'load_failed', id: 'b', ...failure }],
    );
    expect(effects).toEqual([
      { do: 'release', id: 'b' },
      { do: 'tell', event: { type: 'failed', showing_id: 'b', ...failure } },
    ]);
    expect(state.current?.showing.id).toBe('a');
    const [onward] = step(state, { type: 'go_on' }, 40_000);
    expect(step(onward, prepare(image('b')), 40_001)[1]).toEqual([{ do: 'load', showing: image('b') }]);
  });

  it('in the middle hand over at once to a showing that is ready', () => {
    const { effects } = after(
      ...playing(video('a')),
      [1_100, prepare(image('b'))],
      [1_200, { type: 'loaded', id: 'b' }],
      [1_500, { type: 'broke', id: 'a', ...failure }],
    );
    expect(effects).toEqual([
      {
        do: 'tell',
        event: {
          type: 'ended',
          showing_id: 'a',
          atMs: 1_500,
          shown_ms: 500,
          outcome: 'failed',
          reason: 'decode_failed: cut short',
        },
      },
      { do: 'reveal', id: 'b' },
    ]);
  });

  it('in the middle with nothing ready are told once, and the next one follows as soon as it can', () => {
    const broken = after(...playing(video('a')), [1_500, { type: 'broke', id: 'a', ...failure }]);
    expect(done(broken.effects)).toEqual([]);
    const [waiting] = step(broken.state, prepare(image('b')), 1_600);
    expect(done(step(waiting, { type: 'loaded', id: 'b' }, 1_700)[1])).toEqual([{ do: 'reveal', id: 'b' }]);
  });

  it('of a raised showing that never painted put the current one back', () => {
    const { state, effects } = after(
      ...playing(image('a')),
      [2_000, prepare(video('b'))],
      [2_300, { type: 'loaded', id: 'b' }],
      [10_990, { type: 'through', id: 'a' }],
      [11_200, { type: 'broke', id: 'b', ...failure }],
    );
    expect(done(effects)).toEqual([
      { do: 'release', id: 'b' },
      { do: 'hold', id: 'a' },
    ]);
    expect(told(effects).map((event) => event.type)).toEqual(['failed', 'ended']);
    expect(state).toMatchObject({ cutting: false, next: null });
  });
});

it('clears everything and tells the interruption', () => {
  const { state, effects } = after(
    ...playing(image('a')),
    [2_000, prepare(image('b'))],
    [3_000, { type: 'clear' }],
  );
  expect(state).toEqual(EMPTY);
  expect(told(effects)).toMatchObject([{ type: 'ended', outcome: 'interrupted', shown_ms: 2_000 }]);
  expect(done(effects)).toEqual([
    { do: 'release', id: 'a' },
    { do: 'release', id: 'b' },
  ]);
});

describe('a wanted reload', () => {
  it('happens at the next cut, after the end was told', () => {
    const { effects } = after(
      ...playing(image('a')),
      [2_000, prepare(image('b'))],
      [2_300, { type: 'loaded', id: 'b' }],
      [3_000, { type: 'reload' }],
      [11_000, { type: 'through', id: 'a' }],
    );
    expect(told(effects)).toMatchObject([{ type: 'ended', showing_id: 'a', outcome: 'completed' }]);
    expect(done(effects)).toEqual([
      { do: 'hold', id: 'a' },
      { do: 'release', id: 'b' },
      { do: 'renew_page' },
    ]);
  });

  it('waits for the picture that is just coming up', () => {
    const { state, effects } = after(
      ...playing(image('a')),
      [2_000, prepare(image('b'))],
      [2_300, { type: 'loaded', id: 'b' }],
      [11_000, { type: 'through', id: 'a' }],
      [11_010, { type: 'reload' }],
    );
    expect(effects).toEqual([]);
    expect(state.reload).toBe('wanted');
  });

  it('leaves the picture as it is until the other page is there, and takes no new work', () => {
    const { state } = after(
      ...playing(image('a')),
      [3_000, { type: 'reload' }],
      [11_000, { type: 'through', id: 'a' }],
    );
    for (const event of [
      prepare(image('b')),
      { type: 'loaded', id: 'b' },
      { type: 'cut', id: 'b' },
      { type: 'reload' },
    ] satisfies SequenceEvent[]) {
      expect(step(state, event, 12_000)).toEqual([state, []]);
    }
    expect(state.current?.showing.id).toBe('a');
  });

  it('happens at once on an empty stage, and when the current one only stays for want of another', () => {
    expect(after([0, { type: 'reload' }]).effects).toEqual([{ do: 'renew_page' }]);
    const { effects } = after(
      ...playing(image('a')),
      [11_000, { type: 'through', id: 'a' }],
      [12_000, { type: 'reload' }],
    );
    expect(effects).toEqual([{ do: 'renew_page' }]);
  });
});
