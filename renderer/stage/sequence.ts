import type { Showing, StageFailure } from '../../src/stage-link/messages.ts';

/**
 * The order of things on the stage, without the things: which showing is on, which one waits, and when one
 * gives way to the other. Pure; `stage.ts` carries out what it says with real elements.
 *
 * Invariant: once a picture is on, there is always one on, until `clear`.
 */
export interface Sequence {
  readonly current: Playing | null;
  readonly next: Waiting | null;
  /** Came while both layers were in use; loaded as soon as the layer of the leaving one is free. */
  readonly queued: Omit<Waiting, 'ready'> | null;
  /** `next` has been raised, and its first frame is awaited. */
  readonly cutting: boolean;
  /** The one before, still painted below until the current one covers it for certain. */
  readonly leaving: string | null;
  /** `wanted`: at the next cut. `going_on`: another page takes over, and this one only keeps its picture. */
  readonly reload: 'no' | 'wanted' | 'going_on';
}

export interface Playing {
  readonly showing: Showing;
  /** When its first frame was on the screen. */
  readonly startedAtMs: number;
  /** When its time is up; null for a video that runs to its natural end. */
  readonly dueAtMs: number | null;
  /** Its time is up or it broke: it only stays until something else is ready. */
  readonly through: boolean;
  /** `ended` has been told. */
  readonly told: boolean;
}

export type CutMode = 'after_current' | 'when_ready' | 'on_command';

export interface Waiting {
  readonly showing: Showing;
  readonly cut: CutMode;
  readonly ready: boolean;
}

export type SequenceEvent =
  | { type: 'prepare'; showing: Showing; cut: CutMode }
  | { type: 'cut'; id: string }
  | { type: 'clear' }
  | { type: 'reload' }
  /** The other page did not come. */
  | { type: 'go_on' }
  /** The spare layer has painted it, out of sight. */
  | { type: 'loaded'; id: string }
  | { type: 'load_failed'; id: string; reason: StageFailure; detail: string }
  /** The raised one is on the screen since `atMs`. */
  | { type: 'presented'; id: string; atMs: number }
  /** It covers the one below, which may be let go. */
  | { type: 'settled'; id: string }
  /** The time of the current one is up, or its last frame is about to leave. */
  | { type: 'through'; id: string }
  /** It cannot go on. */
  | { type: 'broke'; id: string; reason: StageFailure; detail: string };

/** What happened on the stage, by the page's monotonic clock. */
export type StageEvent =
  | { type: 'ready'; showing_id: string }
  | { type: 'started'; showing_id: string; atMs: number }
  | {
      type: 'ended';
      showing_id: string;
      atMs: number;
      shown_ms: number;
      outcome: 'completed' | 'interrupted' | 'failed';
      reason: string | null;
    }
  | { type: 'failed'; showing_id: string; reason: StageFailure; detail: string };

export type SequenceEffect =
  | { do: 'load'; showing: Showing }
  /** Raise it above the current one and set it going. */
  | { do: 'reveal'; id: string }
  /** Watch for its end. */
  | { do: 'watch'; id: string; dueAtMs: number | null }
  /** Nothing follows: a video starts again, a picture stays. */
  | { do: 'hold'; id: string }
  /** Empty its layer. */
  | { do: 'release'; id: string }
  | { do: 'tell'; event: StageEvent }
  | { do: 'renew_page' };

export const EMPTY: Sequence = {
  current: null,
  next: null,
  queued: null,
  cutting: false,
  leaving: null,
  reload: 'no',
};

/** A cut this late after the due time is still "in time": the next due time is counted from the due time, so that nothing drifts. */
const IN_TIME_MS = 60;

type Step = [Sequence, SequenceEffect[]];

const NEW_WORK = new Set<SequenceEvent['type']>(['prepare', 'cut', 'reload', 'loaded']);

export function step(state: Sequence, event: SequenceEvent, nowMs: number): Step {
  if (state.reload === 'going_on' && NEW_WORK.has(event.type)) return [state, []];
  switch (event.type) {
    case 'prepare':
      return prepare(state, event);
    case 'cut':
      return cutOnCommand(state, event.id, nowMs);
    case 'clear':
      return clear(state, nowMs);
    case 'reload':
      return reload(state);
    case 'go_on':
      return [{ ...state, reload: 'no' }, []];
    case 'loaded':
      return loaded(state, event.id, nowMs);
    case 'load_failed':
      return loadFailed(state, event);
    case 'presented':
      return presented(state, event.id, event.atMs);
    case 'settled':
      return settled(state, event.id);
    case 'through':
      return through(state, event.id, nowMs);
    case 'broke':
      return broke(state, event, nowMs);
  }
  return event satisfies never;
}

function prepare(state: Sequence, { showing, cut }: { showing: Showing; cut: CutMode }): Step {
  if (state.current?.showing.id === showing.id) return [state, []];
  if (state.cutting || state.leaving !== null) return [{ ...state, queued: { showing, cut } }, []];
  const effects: SequenceEffect[] = [];
  if (state.next) effects.push({ do: 'release', id: state.next.showing.id });
  effects.push({ do: 'load', showing });
  return [{ ...state, next: { showing, cut, ready: false } }, effects];
}

function cutOnCommand(state: Sequence, id: string, nowMs: number): Step {
  if (state.queued?.showing.id === id) {
    return [{ ...state, queued: { ...state.queued, cut: 'when_ready' } }, []];
  }
  const { next } = state;
  if (next?.showing.id !== id || state.cutting) return [state, []];
  const wanted: Sequence = { ...state, next: { ...next, cut: 'when_ready' } };
  return next.ready ? beginCut(wanted, id, nowMs) : [wanted, []];
}

/** What is on has its time first; what is through, or nothing, need not be waited for. */
function reload(state: Sequence): Step {
  const busy = state.cutting || (state.current !== null && !state.current.through);
  return busy ? [{ ...state, reload: 'wanted' }, []] : renew(state, []);
}

function clear(state: Sequence, nowMs: number): Step {
  const effects: SequenceEffect[] = [];
  if (state.current) {
    effects.push(...tellEnded(state.current, nowMs, 'interrupted', null));
    effects.push({ do: 'release', id: state.current.showing.id });
  }
  if (state.leaving !== null) effects.push({ do: 'release', id: state.leaving });
  if (state.next) effects.push({ do: 'release', id: state.next.showing.id });
  if (state.reload === 'wanted') return renew(EMPTY, effects);
  return [{ ...EMPTY, reload: state.reload }, effects];
}

function loaded(state: Sequence, id: string, nowMs: number): Step {
  const { next, current } = state;
  if (next?.showing.id !== id) return [state, []];
  const ready: Sequence = { ...state, next: { ...next, ready: true } };
  const told: SequenceEffect = { do: 'tell', event: { type: 'ready', showing_id: id } };
  const mayCut =
    next.cut === 'when_ready' || (next.cut === 'after_current' && (current === null || current.through));
  if (!mayCut) return [ready, [told]];
  const [cut, effects] = beginCut(ready, id, nowMs);
  return [cut, [told, ...effects]];
}

function loadFailed(state: Sequence, event: { id: string; reason: StageFailure; detail: string }): Step {
  if (state.next?.showing.id !== event.id || state.cutting) return [state, []];
  return [{ ...state, next: null }, [{ do: 'release', id: event.id }, tellFailed(event)]];
}

function presented(state: Sequence, id: string, atMs: number): Step {
  const { next, current } = state;
  if (!state.cutting || next?.showing.id !== id) return [state, []];
  const effects: SequenceEffect[] = [];
  if (current) {
    effects.push(...tellEnded(current, atMs, current.through ? 'completed' : 'interrupted', null));
  }
  effects.push({ do: 'tell', event: { type: 'started', showing_id: id, atMs } });
  const dueAtMs = dueTime(next.showing, current, atMs);
  effects.push({ do: 'watch', id, dueAtMs });
  const after: Sequence = {
    ...state,
    current: { showing: next.showing, startedAtMs: atMs, dueAtMs, through: false, told: false },
    next: null,
    cutting: false,
    leaving: current?.showing.id ?? null,
  };
  return [after, effects];
}

function settled(state: Sequence, id: string): Step {
  if (state.current?.showing.id !== id) return [state, []];
  const effects: SequenceEffect[] = [];
  if (state.leaving !== null) effects.push({ do: 'release', id: state.leaving });
  const after: Sequence = { ...state, leaving: null, queued: null };
  return state.queued ? append(prepare(after, state.queued), effects) : [after, effects];
}

function dueTime(showing: Showing, previous: Playing | null, atMs: number): number | null {
  if (showing.duration_ms === null) return null;
  const before = previous?.dueAtMs ?? null;
  const inTime = before !== null && Math.abs(atMs - before) <= IN_TIME_MS;
  return (inTime ? before : atMs) + showing.duration_ms;
}

function through(state: Sequence, id: string, nowMs: number): Step {
  const { current, next } = state;
  if (current?.showing.id !== id || current.through) return [state, []];
  const over: Sequence = { ...state, current: { ...current, through: true } };
  if (state.cutting) return [over, []];
  if (next?.ready && next.cut === 'after_current') return beginCut(over, next.showing.id, nowMs);
  return stay(over, nowMs);
}

function broke(
  state: Sequence,
  event: { id: string; reason: StageFailure; detail: string },
  nowMs: number,
): Step {
  const { current, next } = state;
  if (state.cutting && next?.showing.id === event.id) {
    // Raised, but it never painted: the one below is still there and stays.
    const effects: SequenceEffect[] = [{ do: 'release', id: event.id }, tellFailed(event)];
    const back: Sequence = { ...state, next: null, queued: null, cutting: false };
    const [held, more] = current?.through ? stay(back, nowMs) : [back, []];
    const all = [...effects, ...more];
    return state.queued ? append(prepare(held, state.queued), all) : [held, all];
  }
  if (current?.showing.id !== event.id || current.through) return [state, []];
  const over: Sequence = {
    ...state,
    current: { ...current, through: true, told: true },
  };
  const told = tellEnded(current, nowMs, 'failed', `${event.reason}: ${event.detail}`);
  if (next?.ready && !state.cutting && next.cut !== 'on_command') {
    return append(beginCut(over, next.showing.id, nowMs), told);
  }
  return [over, told];
}

/** Nothing is ready: tell the end once, and keep the picture. */
function stay(state: Sequence, nowMs: number): Step {
  const { current } = state;
  if (!current) return [state, []];
  const effects = tellEnded(current, nowMs, 'completed', null);
  const stayed: Sequence = { ...state, current: { ...current, told: true } };
  const held: SequenceEffect[] = [...effects, { do: 'hold', id: current.showing.id }];
  return state.reload === 'wanted' ? renew(stayed, held) : [stayed, held];
}

function beginCut(state: Sequence, id: string, nowMs: number): Step {
  const { current } = state;
  if (state.reload !== 'wanted' || !current) return [{ ...state, cutting: true }, [{ do: 'reveal', id }]];
  const effects = tellEnded(current, nowMs, current.through ? 'completed' : 'interrupted', null);
  if (current.through) effects.push({ do: 'hold', id: current.showing.id });
  return renew({ ...state, current: { ...current, told: true } }, effects);
}

/** What is on stays on until the other page is there; what waits is that page's business. */
function renew(state: Sequence, before: SequenceEffect[]): Step {
  const effects = [...before];
  if (state.next) effects.push({ do: 'release', id: state.next.showing.id });
  effects.push({ do: 'renew_page' });
  return [{ ...state, next: null, queued: null, reload: 'going_on' }, effects];
}

function tellEnded(
  playing: Playing,
  atMs: number,
  outcome: 'completed' | 'interrupted' | 'failed',
  reason: string | null,
): SequenceEffect[] {
  if (playing.told) return [];
  const shown_ms = Math.max(0, atMs - playing.startedAtMs);
  return [
    {
      do: 'tell',
      event: { type: 'ended', showing_id: playing.showing.id, atMs, shown_ms, outcome, reason },
    },
  ];
}

function tellFailed({
  id,
  reason,
  detail,
}: {
  id: string;
  reason: StageFailure;
  detail: string;
}): SequenceEffect {
  return { do: 'tell', event: { type: 'failed', showing_id: id, reason, detail } };
}

function append([state, effects]: Step, before: SequenceEffect[]): Step {
  return [state, [...before, ...effects]];
}
