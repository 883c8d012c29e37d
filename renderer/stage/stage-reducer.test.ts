import { describe, expect, test } from 'vitest';
import type { CutTiming, StageShowing } from '@placard/protocol/stage';
import { reduceStage } from './stage-reducer.ts';
import { EMPTY_STAGE } from './stage-state.ts';
import type { StageEffect, StageInput } from './stage-state.ts';

const image = (id: string, duration_ms = 10_000): StageShowing => ({
  id,
  kind: 'image',
  url: '/media/a',
  duration_ms,
  video_end_ms: null,
});
const video = (id: string): StageShowing => ({
  id,
  kind: 'video',
  url: '/media/b',
  duration_ms: null,
  video_end_ms: 2_000,
});
const prepare = (showing: StageShowing, cut: CutTiming = 'after_current'): StageInput => ({
  type: 'prepare',
  showing,
  cut,
});

/** Runs events in order; returns the last state and the effects of the last event. */
function runInputs(...events: [atMs: number, StageInput][]) {
  let state = EMPTY_STAGE;
  let effects: StageEffect[] = [];
  for (const [atMs, event] of events) {
    [state, effects] = reduceStage(state, event, atMs);
  }
  return { state, effects };
}

/** `first` has been on the stage since 1,000 ms. */
const inputsUntilPlaying = (first: StageShowing): [number, StageInput][] => [
  [0, prepare(first)],
  [900, { type: 'loaded', id: first.id }],
  [1_020, { type: 'presented', id: first.id, atMs: 1_000 }],
  [1_100, { type: 'fully_visible', id: first.id }],
];

const reportedEvents = (effects: StageEffect[]) =>
  effects.flatMap((effect) => (effect.do === 'report' ? [effect.event] : []));
const otherEffects = (effects: StageEffect[]) =>
  effects.flatMap((effect) => (effect.do === 'report' ? [] : [effect]));

describe('the first showing', () => {
  test('is loaded, then shown as soon as it is ready', () => {
    expect(runInputs([0, prepare(image('a'))]).effects).toEqual([{ do: 'load', showing: image('a') }]);
    const { effects } = runInputs([0, prepare(image('a'))], [5, { type: 'loaded', id: 'a' }]);
    expect(effects).toEqual([
      { do: 'report', event: { type: 'ready', showing_id: 'a' } },
      { do: 'reveal', id: 'a' },
    ]);
  });

  test('starts when its first frame is on the screen, and is watched until it is due', () => {
    const { effects } = runInputs(...inputsUntilPlaying(image('a')).slice(0, -1));
    expect(effects).toEqual([
      { do: 'report', event: { type: 'started', showing_id: 'a', atMs: 1_000 } },
      { do: 'watch', id: 'a', dueAtMs: 11_000 },
    ]);
  });

  test('waits for the command when it was prepared for one', () => {
    const waiting = runInputs([0, prepare(image('a'), 'on_command')], [5, { type: 'loaded', id: 'a' }]);
    expect(otherEffects(waiting.effects)).toEqual([]);
    const [, effects] = reduceStage(waiting.state, { type: 'cut', id: 'a' }, 9);
    expect(effects).toEqual([{ do: 'reveal', id: 'a' }]);
  });
});

describe('a transition', () => {
  test('happens when the current showing has finished, and reports both at the first frame of the next', () => {
    const ready = runInputs(
      ...inputsUntilPlaying(image('a')),
      [2_000, prepare(video('b'))],
      [2_300, { type: 'loaded', id: 'b' }],
    );
    expect(otherEffects(ready.effects)).toEqual([]);
    const cut = runInputs(
      ...inputsUntilPlaying(image('a')),
      [2_000, prepare(video('b'))],
      [2_300, { type: 'loaded', id: 'b' }],
      [10_990, { type: 'finished', id: 'a' }],
    );
    expect(cut.effects).toEqual([{ do: 'reveal', id: 'b' }]);
    const [state, effects] = reduceStage(cut.state, { type: 'presented', id: 'b', atMs: 11_004 }, 11_100);
    expect(reportedEvents(effects)).toEqual([
      { type: 'ended', showing_id: 'a', atMs: 11_004, shown_ms: 10_004, outcome: 'completed', reason: null },
      { type: 'started', showing_id: 'b', atMs: 11_004 },
    ]);
    expect(otherEffects(effects)).toEqual([{ do: 'watch', id: 'b', dueAtMs: null }]);
    expect(state.next).toBeNull();
    const [, released] = reduceStage(state, { type: 'fully_visible', id: 'b' }, 11_500);
    expect(released).toEqual([{ do: 'release', id: 'a' }]);
  });

  test('does not accumulate lateness: the next due time is based on the due time', () => {
    const { effects } = runInputs(
      ...inputsUntilPlaying(image('a')),
      [2_000, prepare(image('b', 5_000))],
      [2_300, { type: 'loaded', id: 'b' }],
      [10_990, { type: 'finished', id: 'a' }],
      [11_050, { type: 'presented', id: 'b', atMs: 11_013 }],
    );
    expect(otherEffects(effects)).toContainEqual({ do: 'watch', id: 'b', dueAtMs: 16_000 });
  });

  test('bases the next due time on the first frame when it was really late', () => {
    const { effects } = runInputs(
      ...inputsUntilPlaying(image('a')),
      [11_000, { type: 'finished', id: 'a' }],
      [12_000, prepare(image('b', 5_000))],
      [12_300, { type: 'loaded', id: 'b' }],
      [12_350, { type: 'presented', id: 'b', atMs: 12_320 }],
    );
    expect(otherEffects(effects)).toContainEqual({ do: 'watch', id: 'b', dueAtMs: 17_320 });
  });

  test('on "when ready" interrupts the current one', () => {
    const { effects } = runInputs(
      ...inputsUntilPlaying(image('a')),
      [2_000, prepare(image('b'), 'when_ready')],
      [2_300, { type: 'loaded', id: 'b' }],
      [2_330, { type: 'presented', id: 'b', atMs: 2_320 }],
    );
    expect(reportedEvents(effects)[0]).toMatchObject({
      type: 'ended',
      showing_id: 'a',
      outcome: 'interrupted',
    });
  });

  test('on command waits for a showing that is not ready yet', () => {
    const { effects } = runInputs(
      ...inputsUntilPlaying(image('a')),
      [2_000, prepare(image('b'), 'on_command')],
      [2_100, { type: 'cut', id: 'b' }],
      [2_300, { type: 'loaded', id: 'b' }],
    );
    expect(otherEffects(effects)).toEqual([{ do: 'reveal', id: 'b' }]);
  });

  test('loads no new showing into a layer that is still leaving', () => {
    const cutting = runInputs(
      ...inputsUntilPlaying(image('a')),
      [2_000, prepare(image('b'), 'when_ready')],
      [2_300, { type: 'loaded', id: 'b' }],
      [2_310, prepare(image('c'))],
    );
    expect(cutting.effects).toEqual([]);
    const [fading, effects] = reduceStage(cutting.state, { type: 'presented', id: 'b', atMs: 2_320 }, 2_400);
    expect(effects.map((effect) => effect.do)).toEqual(['report', 'report', 'watch']);
    const [replaced, none] = reduceStage(fading, prepare(image('d')), 2_500);
    expect(none).toEqual([]);
    const [state, free] = reduceStage(replaced, { type: 'fully_visible', id: 'b' }, 3_000);
    expect(free).toEqual([
      { do: 'release', id: 'a' },
      { do: 'load', showing: image('d') },
    ]);
    expect(state).toMatchObject({ leaving: null, queued: null, next: { showing: { id: 'd' } } });
  });

  test('ends a showing shorter than the fade in time, and continues once a layer is free', () => {
    const { state, effects } = runInputs(
      ...inputsUntilPlaying(image('a')),
      [2_000, prepare(image('b', 1_000), 'when_ready')],
      [2_300, { type: 'loaded', id: 'b' }],
      [2_330, { type: 'presented', id: 'b', atMs: 2_320 }],
      [2_400, prepare(image('c'))],
      [3_320, { type: 'finished', id: 'b' }],
    );
    expect(reportedEvents(effects)).toMatchObject([{ type: 'ended', showing_id: 'b', outcome: 'completed' }]);
    const [free] = reduceStage(state, { type: 'fully_visible', id: 'b' }, 4_000);
    const [, cut] = reduceStage(free, { type: 'loaded', id: 'c' }, 4_200);
    expect(otherEffects(cut)).toEqual([{ do: 'reveal', id: 'c' }]);
  });

  test('empties all layers on "clear", also in the middle of a fade', () => {
    const { state, effects } = runInputs(
      ...inputsUntilPlaying(image('a')),
      [2_000, prepare(image('b'), 'when_ready')],
      [2_300, { type: 'loaded', id: 'b' }],
      [2_330, { type: 'presented', id: 'b', atMs: 2_320 }],
      [2_500, { type: 'clear' }],
    );
    expect(otherEffects(effects)).toEqual([
      { do: 'release', id: 'b' },
      { do: 'release', id: 'a' },
    ]);
    expect(state).toEqual(EMPTY_STAGE);
  });
});

describe('when nothing is ready', () => {
  test('reports the end once, immediately, and keeps the picture', () => {
    const over = runInputs(...inputsUntilPlaying(image('a')), [11_000, { type: 'finished', id: 'a' }]);
    expect(over.effects).toEqual([
      {
        do: 'report',
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
    expect(reduceStage(over.state, { type: 'finished', id: 'a' }, 12_000)[1]).toEqual([]);
    const later = runInputs(
      ...inputsUntilPlaying(image('a')),
      [11_000, { type: 'finished', id: 'a' }],
      [12_000, prepare(image('b'))],
      [12_100, { type: 'loaded', id: 'b' }],
      [12_130, { type: 'presented', id: 'b', atMs: 12_120 }],
    );
    expect(reportedEvents(later.effects)).toEqual([{ type: 'started', showing_id: 'b', atMs: 12_120 }]);
  });

  test('shows a late showing as soon as it is ready', () => {
    const { effects } = runInputs(
      ...inputsUntilPlaying(image('a')),
      [2_000, prepare(image('b'))],
      [11_000, { type: 'finished', id: 'a' }],
      [11_400, { type: 'loaded', id: 'b' }],
    );
    expect(otherEffects(effects)).toEqual([{ do: 'reveal', id: 'b' }]);
  });
});

describe('preparing again', () => {
  test('replaces the prepared showing', () => {
    const { state, effects } = runInputs(
      ...inputsUntilPlaying(image('a')),
      [2_000, prepare(image('b'))],
      [2_100, prepare(image('c'))],
    );
    expect(effects).toEqual([
      { do: 'release', id: 'b' },
      { do: 'load', showing: image('c') },
    ]);
    expect(reduceStage(state, { type: 'loaded', id: 'b' }, 2_200)[1]).toEqual([]);
  });

  test('ignores a showing that is already on the stage', () => {
    expect(runInputs(...inputsUntilPlaying(image('a')), [2_000, prepare(image('a'))]).effects).toEqual([]);
  });
});

describe('failures', () => {
  const failure = { reason: 'decode_failed', detail: 'cut short' } as const;

  test('before the transition are reported and leave the current one playing', () => {
    const { state, effects } = runInputs(
      ...inputsUntilPlaying(image('a')),
      [2_000, prepare(image('b'))],
      [2_100, { type: 'load_failed', id: 'b', ...failure }],
    );
    expect(effects).toEqual([
      { do: 'release', id: 'b' },
      { do: 'report', event: { type: 'failed', showing_id: 'b', ...failure } },
    ]);
    expect(state.current?.showing.id).toBe('a');
    const [onward] = reduceStage(state, { type: 'resume' }, 40_000);
    expect(reduceStage(onward, prepare(image('b')), 40_001)[1]).toEqual([
      { do: 'load', showing: image('b') },
    ]);
  });

  test('during playback switch at once to a showing that is ready', () => {
    const { effects } = runInputs(
      ...inputsUntilPlaying(video('a')),
      [1_100, prepare(image('b'))],
      [1_200, { type: 'loaded', id: 'b' }],
      [1_500, { type: 'playback_failed', id: 'a', ...failure }],
    );
    expect(effects).toEqual([
      {
        do: 'report',
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

  test('during playback with nothing ready are reported once, and the next one follows when it is ready', () => {
    const broken = runInputs(...inputsUntilPlaying(video('a')), [
      1_500,
      { type: 'playback_failed', id: 'a', ...failure },
    ]);
    expect(otherEffects(broken.effects)).toEqual([]);
    const [waiting] = reduceStage(broken.state, prepare(image('b')), 1_600);
    expect(otherEffects(reduceStage(waiting, { type: 'loaded', id: 'b' }, 1_700)[1])).toEqual([
      { do: 'reveal', id: 'b' },
    ]);
  });

  test('of a raised showing that was never painted restore the current one', () => {
    const { state, effects } = runInputs(
      ...inputsUntilPlaying(image('a')),
      [2_000, prepare(video('b'))],
      [2_300, { type: 'loaded', id: 'b' }],
      [10_990, { type: 'finished', id: 'a' }],
      [11_200, { type: 'playback_failed', id: 'b', ...failure }],
    );
    expect(otherEffects(effects)).toEqual([
      { do: 'release', id: 'b' },
      { do: 'hold', id: 'a' },
    ]);
    expect(reportedEvents(effects).map((event) => event.type)).toEqual(['failed', 'ended']);
    expect(state).toMatchObject({ cutting: false, next: null });
  });
});

test('clears everything and reports the interruption', () => {
  const { state, effects } = runInputs(
    ...inputsUntilPlaying(image('a')),
    [2_000, prepare(image('b'))],
    [3_000, { type: 'clear' }],
  );
  expect(state).toEqual(EMPTY_STAGE);
  expect(reportedEvents(effects)).toMatchObject([{ type: 'ended', outcome: 'interrupted', shown_ms: 2_000 }]);
  expect(otherEffects(effects)).toEqual([
    { do: 'release', id: 'a' },
    { do: 'release', id: 'b' },
  ]);
});

describe('a pending reload', () => {
  test('happens at the next transition, after the end was reported', () => {
    const { effects } = runInputs(
      ...inputsUntilPlaying(image('a')),
      [2_000, prepare(image('b'))],
      [2_300, { type: 'loaded', id: 'b' }],
      [3_000, { type: 'reload' }],
      [11_000, { type: 'finished', id: 'a' }],
    );
    expect(reportedEvents(effects)).toMatchObject([{ type: 'ended', showing_id: 'a', outcome: 'completed' }]);
    expect(otherEffects(effects)).toEqual([
      { do: 'hold', id: 'a' },
      { do: 'release', id: 'b' },
      { do: 'replace_page' },
    ]);
  });

  test('waits for the picture that is about to be shown', () => {
    const { state, effects } = runInputs(
      ...inputsUntilPlaying(image('a')),
      [2_000, prepare(image('b'))],
      [2_300, { type: 'loaded', id: 'b' }],
      [11_000, { type: 'finished', id: 'a' }],
      [11_010, { type: 'reload' }],
    );
    expect(effects).toEqual([]);
    expect(state.reload).toBe('pending');
  });

  test('keeps the picture until the other page takes over, and prepares nothing', () => {
    const { state } = runInputs(
      ...inputsUntilPlaying(image('a')),
      [3_000, { type: 'reload' }],
      [11_000, { type: 'finished', id: 'a' }],
    );
    for (const event of [
      prepare(image('b')),
      { type: 'loaded', id: 'b' },
      { type: 'cut', id: 'b' },
      { type: 'reload' },
    ] satisfies StageInput[]) {
      expect(reduceStage(state, event, 12_000)).toEqual([state, []]);
    }
    expect(state.current?.showing.id).toBe('a');
  });

  test('happens at once on an empty stage, and when the current showing is only held', () => {
    expect(runInputs([0, { type: 'reload' }]).effects).toEqual([{ do: 'replace_page' }]);
    const { effects } = runInputs(
      ...inputsUntilPlaying(image('a')),
      [11_000, { type: 'finished', id: 'a' }],
      [12_000, { type: 'reload' }],
    );
    expect(effects).toEqual([{ do: 'replace_page' }]);
  });
});
