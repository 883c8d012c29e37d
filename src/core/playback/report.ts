import { expectedMs, type OpenPlay, type PlayDraft, type PlayEnd } from './plays.ts';
import type { Current, PlaybackEffect, PlaybackNow, PlaybackState } from './state.ts';
import type { StageReport } from './stage.ts';

/** An item that failed waits this long before it is tried again; doubled each time. */
const RETRY = { baseMs: 30_000, capMs: 30 * 60_000 };
/** A showing that should have ended this long ago has ended, and only the report of it was lost. */
const LATE_MS = 2_000;

type Result = [PlaybackState, PlaybackEffect[]];

/** What a report of the page changes; what to do about it is decided afterwards. */
export function takeReport(state: PlaybackState, report: StageReport, now: PlaybackNow): Result {
  const alive = { ...state, aliveMs: now.wallMs };
  switch (report.type) {
    case 'hello':
      return hello(state, report, now);
    case 'ready':
      return [
        alive.prepared?.draft.id === report.id
          ? { ...alive, prepared: { ...alive.prepared, ready: true } }
          : alive,
        [],
      ];
    case 'started':
      return started(alive, report.id, report.agoMs, now);
    case 'ended':
      return ended(alive, report, now);
    case 'failed':
      return alive.prepared?.draft.id === report.id ? failPrepared(alive, report.reason, now) : [alive, []];
  }
  return report satisfies never;
}

/** A page is there: what it shows is taken on when it is known, so that a restart of the runtime cuts nothing off. */
function hello(
  state: PlaybackState,
  report: Extract<StageReport, { type: 'hello' }>,
  now: PlaybackNow,
): Result {
  const onStage = report.current;
  // Whatever is prepared is told again: a page that has it already answers at once.
  const prepared = state.prepared && { ...state.prepared, sent: false, ready: false };
  const met: PlaybackState = { ...state, page: true, picture: onStage !== null, prepared };
  if (onStage && met.current?.draft.id === onStage.id) {
    const current = { ...met.current, startedMono: now.monoMs - onStage.agoMs };
    return throughIfLate({ ...met, current, aliveMs: now.wallMs }, now);
  }
  if (onStage && draftOf(met, onStage.id)) {
    const [next, effects] = started(met, onStage.id, onStage.agoMs, now);
    const [settled, more] = throughIfLate({ ...next, aliveMs: now.wallMs }, now);
    return [settled, [...effects, ...more]];
  }
  const effects = state.current && !state.current.through ? [cutOff(state.current, state.aliveMs, now)] : [];
  if (state.leaving) effects.push(leave(state.leaving, now.monoMs, now));
  return [{ ...met, current: null, leaving: null, aliveMs: now.wallMs }, effects];
}

function throughIfLate(state: PlaybackState, now: PlaybackNow): Result {
  const { current } = state;
  const expected = current && expectedMs(current.draft);
  if (!current || current.through || expected === null) return [state, []];
  if (now.monoMs - current.startedMono < expected + LATE_MS) return [state, []];
  const end = {
    endedAtMs: current.startedAtMs + expected,
    durationMs: expected,
    outcome: 'completed' as const,
    reason: null,
  };
  return [
    { ...state, current: { ...current, through: true } },
    [
      {
        kind: 'ended',
        draft: current.draft,
        startedAtMs: current.startedAtMs,
        guessed: current.guessed,
        end,
      },
    ],
  ];
}

const draftOf = (state: PlaybackState, id: string): PlayDraft | null => {
  if (state.prepared?.draft.id === id) return state.prepared.draft;
  return state.superseded.find((one) => one.draft.id === id)?.draft ?? null;
};

function started(state: PlaybackState, id: string, agoMs: number, now: PlaybackNow): Result {
  if (state.current?.draft.id === id || state.leaving?.draft.id === id) return [state, []];
  const draft = draftOf(state, id);
  if (!draft) {
    // It began under a process that could not write it down and is gone; nobody knows what it was.
    const lost = state.programme !== null && now.monoMs - agoMs < state.bornMono;
    return [{ ...state, picture: true }, lost ? [{ kind: 'lost' }] : []];
  }
  const startedAtMs = Math.round(now.wallMs - agoMs);
  const startedMono = now.monoMs - agoMs;
  const effects: PlaybackEffect[] = [{ kind: 'started', draft, startedAtMs, guessed: now.guessed }];
  if (state.leaving) effects.push(leave(state.leaving, startedMono, now));
  const { [draft.sha256]: _healed, ...failures } = state.failures;
  return [
    {
      ...state,
      picture: true,
      current: { draft, startedAtMs, startedMono, guessed: now.guessed, through: false },
      leaving: state.current && !state.current.through ? state.current : null,
      prepared: state.prepared?.draft.id === id ? null : state.prepared,
      superseded: [],
      positions: positionsAfter(state, draft),
      failures,
    },
    effects,
  ];
}

/** What was replaced and is seen nevertheless counts: its playlist goes on after it. */
function positionsAfter(state: PlaybackState, draft: PlayDraft): PlaybackState['positions'] {
  const position = state.superseded.find((one) => one.draft.id === draft.id)?.position;
  if (!position || state.prepared?.draft.playlistId === draft.playlistId) return state.positions;
  return { ...state.positions, [draft.playlistId]: position };
}

function ended(
  state: PlaybackState,
  report: Extract<StageReport, { type: 'ended' }>,
  now: PlaybackNow,
): Result {
  const { current, leaving } = state;
  const play = [current, leaving].find((one) => one?.draft.id === report.id && !one.through);
  if (!play) return [state, []];
  const reason =
    report.outcome === 'interrupted' ? (report.reason ?? whyCut(state, play.draft)) : report.reason;
  const effects: PlaybackEffect[] = [
    {
      kind: 'ended',
      draft: play.draft,
      startedAtMs: play.startedAtMs,
      guessed: play.guessed,
      end: {
        endedAtMs: Math.max(play.startedAtMs, Math.round(now.wallMs - report.agoMs)),
        durationMs: Math.round(report.shownMs),
        outcome: report.outcome,
        reason,
      },
    },
  ];
  let next: PlaybackState =
    play === current ? { ...state, current: { ...play, through: true } } : { ...state, leaving: null };
  if (report.outcome === 'failed') {
    next = { ...next, failures: withFailure(next, play.draft, reason ?? 'failed', now) };
    effects.push({ kind: 'suspect', sha256: play.draft.sha256, reason: reason ?? 'failed' });
  }
  return [next, effects];
}

/** What was being prepared cannot be shown: its play failed, and its bytes are looked at again. */
export function failPrepared(state: PlaybackState, reason: string, now: PlaybackNow): Result {
  const { prepared } = state;
  if (!prepared) return [state, []];
  const { draft } = prepared;
  return [
    { ...state, prepared: null, failures: withFailure(state, draft, reason, now) },
    [
      {
        kind: 'ended',
        draft,
        startedAtMs: now.wallMs,
        guessed: now.guessed,
        end: { endedAtMs: now.wallMs, durationMs: 0, outcome: 'failed', reason },
      },
      { kind: 'suspect', sha256: draft.sha256, reason },
    ],
  ];
}

function withFailure(
  state: PlaybackState,
  draft: PlayDraft,
  reason: string,
  now: PlaybackNow,
): PlaybackState['failures'] {
  const { sha256, contentId } = draft;
  const attempts = (state.failures[sha256]?.attempts ?? 0) + 1;
  const waitMs = Math.min(RETRY.capMs, RETRY.baseMs * 2 ** Math.min(attempts - 1, 20));
  return {
    ...state.failures,
    [sha256]: { contentId, reason, attempts, retryAtMono: now.monoMs + waitMs },
  };
}

/** Closes what left the screen without a report of its own: its length is known from when the next one began. */
export function leave(play: Current, leftMono: number, now: PlaybackNow): PlaybackEffect {
  const durationMs = Math.max(0, Math.round(leftMono - play.startedMono));
  const expected = expectedMs(play.draft);
  const completed = expected === null || durationMs >= expected - LATE_MS;
  return {
    kind: 'ended',
    draft: play.draft,
    startedAtMs: play.startedAtMs,
    guessed: play.guessed,
    end: {
      endedAtMs: Math.min(now.wallMs, play.startedAtMs + durationMs),
      durationMs,
      outcome: completed ? 'completed' : 'interrupted',
      reason: completed ? null : 'replaced',
    },
  };
}

/**
 * Closes what was on the screen when the page or the power went: it was last known to be alive then, and was on for no
 * longer than was ordered.
 */
function cutOff(play: Current, aliveMs: number, now: PlaybackNow): PlaybackEffect {
  const knownMs = Math.max(0, Math.min(aliveMs, now.wallMs) - play.startedAtMs);
  const expected = expectedMs(play.draft);
  const completed = expected !== null && knownMs >= expected;
  const durationMs = Math.round(completed ? expected : knownMs);
  return {
    kind: 'ended',
    draft: play.draft,
    startedAtMs: play.startedAtMs,
    guessed: play.guessed,
    end: {
      endedAtMs: play.startedAtMs + durationMs,
      durationMs,
      outcome: completed ? 'completed' : 'interrupted',
      reason: completed ? null : 'page_lost',
    },
  };
}

/**
 * The end of a play that stands open beside a newer one: the death fell into a cut, and it left when that one began.
 * When more time lies between the two than it was given, others came between, and that it began is all that is known.
 */
export function endBefore(play: OpenPlay, nextMs: number): PlayEnd {
  const betweenMs = Math.max(0, nextMs - play.startedAtMs);
  const expected = expectedMs(play.draft) ?? betweenMs;
  const durationMs = betweenMs > expected + LATE_MS ? 0 : betweenMs;
  const completed = durationMs >= expected - LATE_MS;
  return {
    endedAtMs: play.startedAtMs + durationMs,
    durationMs,
    outcome: completed ? 'completed' : 'interrupted',
    reason: completed ? null : durationMs === 0 ? 'power_lost' : 'replaced',
  };
}

/** Why a showing that the page cut off had to go. */
export const whyCut = (state: PlaybackState, draft: PlayDraft): string =>
  state.active?.playlistId === draft.playlistId ? 'manifest' : 'schedule';
