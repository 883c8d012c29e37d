import type { StageShowing } from '@placard/protocol/stage';
import { EMPTY_STAGE } from './stage-state.ts';
import type { CurrentShowing, FailedShowing, StageEffect, StageInput, StageState } from './stage-state.ts';

/** A transition up to this late counts as on time: the next due time is based on the due time, so nothing drifts. */
const ON_TIME_TOLERANCE_MS = 60;

type StateAndEffects = [StageState, StageEffect[]];

const NEW_WORK_INPUTS = new Set<StageInput['type']>(['prepare', 'cut', 'reload', 'loaded']);

/**
 * The stage as a pure state machine: decides when the transition happens. `stage.ts` performs the effects on real
 * elements. Invariant: once a picture is shown, there is always one, until `clear`.
 */
export function reduceStage(state: StageState, input: StageInput, nowMs: number): StateAndEffects {
  if (state.reload === 'replacing' && NEW_WORK_INPUTS.has(input.type)) {
    return [state, []];
  }
  switch (input.type) {
    case 'prepare':
      return prepare(state, input);
    case 'cut':
      return cutOnCommand(state, input.id, nowMs);
    case 'clear':
      return clear(state, nowMs);
    case 'reload':
      return reload(state);
    case 'resume':
      return [{ ...state, reload: 'no' }, []];
    case 'loaded':
      return loaded(state, input.id, nowMs);
    case 'load_failed':
      return loadFailed(state, input);
    case 'presented':
      return presented(state, input.id, input.atMs);
    case 'fully_visible':
      return becameFullyVisible(state, input.id);
    case 'finished':
      return finished(state, input.id, nowMs);
    case 'playback_failed':
      return playbackFailed(state, input, nowMs);
  }
  return input satisfies never;
}

function prepare(state: StageState, { showing, cut }: NonNullable<StageState['queued']>): StateAndEffects {
  if (state.current?.showing.id === showing.id) {
    return [state, []];
  }
  if (state.cutting || state.leaving !== null) {
    return [{ ...state, queued: { showing, cut } }, []];
  }
  const effects: StageEffect[] = [];
  if (state.next) {
    effects.push({ do: 'release', id: state.next.showing.id });
  }
  effects.push({ do: 'load', showing });
  return [{ ...state, next: { showing, cut, ready: false } }, effects];
}

function cutOnCommand(state: StageState, id: string, nowMs: number): StateAndEffects {
  if (state.queued?.showing.id === id) {
    return [{ ...state, queued: { ...state.queued, cut: 'when_ready' } }, []];
  }
  const { next } = state;
  if (next?.showing.id !== id || state.cutting) {
    return [state, []];
  }
  const wanted: StageState = { ...state, next: { ...next, cut: 'when_ready' } };
  return next.ready ? beginCut(wanted, id, nowMs) : [wanted, []];
}

/** The current showing's duration ends first; a finished one, or an empty stage, is replaced at once. */
function reload(state: StageState): StateAndEffects {
  const busy = state.cutting || (state.current !== null && !state.current.isFinished);
  return busy ? [{ ...state, reload: 'pending' }, []] : replacePage(state, []);
}

function clear(state: StageState, nowMs: number): StateAndEffects {
  const effects: StageEffect[] = [];
  if (state.current) {
    effects.push(...reportEnded(state.current, nowMs, 'interrupted', null));
    effects.push({ do: 'release', id: state.current.showing.id });
  }
  if (state.leaving !== null) {
    effects.push({ do: 'release', id: state.leaving });
  }
  if (state.next) {
    effects.push({ do: 'release', id: state.next.showing.id });
  }
  if (state.reload === 'pending') {
    return replacePage(EMPTY_STAGE, effects);
  }
  return [{ ...EMPTY_STAGE, reload: state.reload }, effects];
}

function loaded(state: StageState, id: string, nowMs: number): StateAndEffects {
  const { next, current } = state;
  if (next?.showing.id !== id) {
    return [state, []];
  }
  const ready: StageState = { ...state, next: { ...next, ready: true } };
  const readyReport: StageEffect = { do: 'report', event: { type: 'ready', showing_id: id } };
  const mayCut =
    next.cut === 'when_ready' || (next.cut === 'after_current' && (current === null || current.isFinished));
  if (!mayCut) {
    return [ready, [readyReport]];
  }
  const [cut, effects] = beginCut(ready, id, nowMs);
  return [cut, [readyReport, ...effects]];
}

function loadFailed(state: StageState, input: FailedShowing): StateAndEffects {
  if (state.next?.showing.id !== input.id || state.cutting) {
    return [state, []];
  }
  return [{ ...state, next: null }, [{ do: 'release', id: input.id }, reportFailed(input)]];
}

function presented(state: StageState, id: string, atMs: number): StateAndEffects {
  const { next, current } = state;
  if (!state.cutting || next?.showing.id !== id) {
    return [state, []];
  }
  const effects: StageEffect[] = [];
  if (current) {
    effects.push(...reportEnded(current, atMs, current.isFinished ? 'completed' : 'interrupted', null));
  }
  effects.push({ do: 'report', event: { type: 'started', showing_id: id, atMs } });
  const dueAtMs = dueTime(next.showing, current, atMs);
  effects.push({ do: 'watch', id, dueAtMs });
  const after: StageState = {
    ...state,
    current: { showing: next.showing, startedAtMs: atMs, dueAtMs, isFinished: false, isEndReported: false },
    next: null,
    cutting: false,
    leaving: current?.showing.id ?? null,
  };
  return [after, effects];
}

function becameFullyVisible(state: StageState, id: string): StateAndEffects {
  if (state.current?.showing.id !== id) {
    return [state, []];
  }
  const effects: StageEffect[] = [];
  if (state.leaving !== null) {
    effects.push({ do: 'release', id: state.leaving });
  }
  const after: StageState = { ...state, leaving: null, queued: null };
  return state.queued ? prependEffects(prepare(after, state.queued), effects) : [after, effects];
}

function dueTime(showing: StageShowing, previous: CurrentShowing | null, atMs: number): number | null {
  if (showing.duration_ms === null) {
    return null;
  }
  const previousDueAtMs = previous?.dueAtMs ?? null;
  const isOnTime = previousDueAtMs !== null && Math.abs(atMs - previousDueAtMs) <= ON_TIME_TOLERANCE_MS;
  return (isOnTime ? previousDueAtMs : atMs) + showing.duration_ms;
}

function finished(state: StageState, id: string, nowMs: number): StateAndEffects {
  const { current, next } = state;
  if (current?.showing.id !== id || current.isFinished) {
    return [state, []];
  }
  const finishedState: StageState = { ...state, current: { ...current, isFinished: true } };
  if (state.cutting) {
    return [finishedState, []];
  }
  if (next?.ready && next.cut === 'after_current') {
    return beginCut(finishedState, next.showing.id, nowMs);
  }
  return holdCurrent(finishedState, nowMs);
}

function playbackFailed(state: StageState, input: FailedShowing, nowMs: number): StateAndEffects {
  const { current, next } = state;
  if (state.cutting && next?.showing.id === input.id) {
    // Raised, but never painted: the one below is still visible and stays.
    const effects: StageEffect[] = [{ do: 'release', id: input.id }, reportFailed(input)];
    const restored: StageState = { ...state, next: null, queued: null, cutting: false };
    const [resumed, more] = current?.isFinished ? holdCurrent(restored, nowMs) : [restored, []];
    const all = [...effects, ...more];
    return state.queued ? prependEffects(prepare(resumed, state.queued), all) : [resumed, all];
  }
  if (current?.showing.id !== input.id || current.isFinished) {
    return [state, []];
  }
  const finishedState: StageState = {
    ...state,
    current: { ...current, isFinished: true, isEndReported: true },
  };
  const report = reportEnded(current, nowMs, 'failed', `${input.reason}: ${input.detail}`);
  if (next?.ready && !state.cutting && next.cut !== 'on_command') {
    return prependEffects(beginCut(finishedState, next.showing.id, nowMs), report);
  }
  return [finishedState, report];
}

/** Nothing is ready: reports the end once and keeps the picture. */
function holdCurrent(state: StageState, nowMs: number): StateAndEffects {
  const { current } = state;
  if (!current) {
    return [state, []];
  }
  const effects = reportEnded(current, nowMs, 'completed', null);
  const reported: StageState = { ...state, current: { ...current, isEndReported: true } };
  const holdEffects: StageEffect[] = [...effects, { do: 'hold', id: current.showing.id }];
  return state.reload === 'pending' ? replacePage(reported, holdEffects) : [reported, holdEffects];
}

function beginCut(state: StageState, id: string, nowMs: number): StateAndEffects {
  const { current } = state;
  if (state.reload !== 'pending' || !current) {
    return [{ ...state, cutting: true }, [{ do: 'reveal', id }]];
  }
  const effects = reportEnded(current, nowMs, current.isFinished ? 'completed' : 'interrupted', null);
  if (current.isFinished) {
    effects.push({ do: 'hold', id: current.showing.id });
  }
  return replacePage({ ...state, current: { ...current, isEndReported: true } }, effects);
}

/** The current showing stays until the other page takes over; the next one is prepared by that page. */
function replacePage(state: StageState, earlierEffects: StageEffect[]): StateAndEffects {
  const effects = [...earlierEffects];
  if (state.next) {
    effects.push({ do: 'release', id: state.next.showing.id });
  }
  effects.push({ do: 'replace_page' });
  return [{ ...state, next: null, queued: null, reload: 'replacing' }, effects];
}

function reportEnded(
  current: CurrentShowing,
  atMs: number,
  outcome: 'completed' | 'interrupted' | 'failed',
  reason: string | null,
): StageEffect[] {
  if (current.isEndReported) {
    return [];
  }
  const shown_ms = Math.max(0, atMs - current.startedAtMs);
  return [
    {
      do: 'report',
      event: { type: 'ended', showing_id: current.showing.id, atMs, shown_ms, outcome, reason },
    },
  ];
}

function reportFailed({ id, reason, detail }: FailedShowing): StageEffect {
  return { do: 'report', event: { type: 'failed', showing_id: id, reason, detail } };
}

function prependEffects([state, effects]: StateAndEffects, earlierEffects: StageEffect[]): StateAndEffects {
  return [state, [...earlierEffects, ...effects]];
}
