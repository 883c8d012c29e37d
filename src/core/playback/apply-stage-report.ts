import type { StageReport } from '@placard/protocol/stage';
import { OVERDUE_MS, expectedMs } from './plays.ts';
import type { PlayEnd, Showing } from './plays.ts';
import type {
  CurrentShowing,
  PlaybackEffect,
  PlaybackNow,
  PlaybackState,
  StepResult,
} from './playback-state.ts';

/** Wait before a failed item is tried again; doubled each time. */
const RETRY_BACKOFF = { baseMs: 30_000, capMs: 30 * 60_000 };

/** Applies a report of the page; what to do next is decided afterwards. */
export function applyStageReport(state: PlaybackState, report: StageReport, now: PlaybackNow): StepResult {
  const refreshedState = { ...state, lastAliveAtMs: now.wallMs };
  switch (report.type) {
    case 'beat':
      return [refreshedState, []];
    case 'hello':
      return applyHello(state, report, now);
    case 'ready':
      return [
        refreshedState.prepared?.showing.id === report.showing_id
          ? { ...refreshedState, prepared: { ...refreshedState.prepared, isReady: true } }
          : refreshedState,
        [],
      ];
    case 'started':
      return applyStarted(refreshedState, report.showing_id, report.ago_ms, now);
    case 'ended':
      return applyEnded(refreshedState, report, now);
    case 'failed':
      return refreshedState.prepared?.showing.id === report.showing_id
        ? failPrepared(refreshedState, report.reason, now)
        : [refreshedState, []];
  }
  return report satisfies never;
}

/** A page has connected: a known showing on it is adopted, so that a restart of the runtime does not interrupt it. */
function applyHello(
  state: PlaybackState,
  report: Extract<StageReport, { type: 'hello' }>,
  now: PlaybackNow,
): StepResult {
  const onStage = report.current;
  // The prepared showing is sent again: a page that already has it responds at once.
  const prepared = state.prepared && { ...state.prepared, isSent: false, isReady: false };
  const connected: PlaybackState = {
    ...state,
    isPageConnected: true,
    hasPicture: onStage !== null,
    prepared,
  };
  if (onStage && connected.current?.showing.id === onStage.showing_id) {
    const current = { ...connected.current, startedAtMonoMs: now.monoMs - onStage.ago_ms };
    return finishIfOverdue({ ...connected, current, lastAliveAtMs: now.wallMs }, now);
  }
  if (onStage && findShowing(connected, onStage.showing_id)) {
    const [next, effects] = applyStarted(connected, onStage.showing_id, onStage.ago_ms, now);
    const [finished, more] = finishIfOverdue({ ...next, lastAliveAtMs: now.wallMs }, now);
    return [finished, [...effects, ...more]];
  }
  const effects =
    state.current && !state.current.finished
      ? [closeInterrupted(state.current, state.lastAliveAtMs, now)]
      : [];
  if (state.outgoing) {
    effects.push(closeOutgoing(state.outgoing, now.monoMs, now));
  }
  return [{ ...connected, current: null, outgoing: null, lastAliveAtMs: now.wallMs }, effects];
}

function finishIfOverdue(state: PlaybackState, now: PlaybackNow): StepResult {
  const { current } = state;
  const expected = current && expectedMs(current.showing);
  if (!current || current.finished || expected === null) {
    return [state, []];
  }
  if (now.monoMs - current.startedAtMonoMs < expected + OVERDUE_MS) {
    return [state, []];
  }
  const end = {
    endedAtMs: current.startedAtMs + expected,
    durationMs: expected,
    outcome: 'completed' as const,
    reason: null,
  };
  return [{ ...state, current: { ...current, finished: true } }, [endedEffect(current, end)]];
}

const findShowing = (state: PlaybackState, id: string): Showing | null => {
  if (state.prepared?.showing.id === id) {
    return state.prepared.showing;
  }
  return state.superseded.find((one) => one.showing.id === id)?.showing ?? null;
};

function applyStarted(state: PlaybackState, id: string, agoMs: number, now: PlaybackNow): StepResult {
  if (state.current?.showing.id === id || state.outgoing?.showing.id === id) {
    return [state, []];
  }
  const showing = findShowing(state, id);
  if (!showing) {
    // It started under an earlier process that could not record it; its item is unknown.
    const lost = state.compiledManifest !== null && now.monoMs - agoMs < state.processStartedAtMonoMs;
    return [{ ...state, hasPicture: true }, lost ? [{ kind: 'play_lost' }] : []];
  }
  const startedAtMs = Math.round(now.wallMs - agoMs);
  const startedAtMonoMs = now.monoMs - agoMs;
  const effects: PlaybackEffect[] = [
    { kind: 'started', showing, startedAtMs, isTimeUnconfirmed: now.isTimeUnconfirmed },
  ];
  if (state.outgoing) {
    effects.push(closeOutgoing(state.outgoing, startedAtMonoMs, now));
  }
  const { [showing.sha256]: _cleared, ...failures } = state.failures;
  return [
    {
      ...state,
      hasPicture: true,
      current: {
        showing,
        startedAtMs,
        startedAtMonoMs,
        isTimeUnconfirmed: now.isTimeUnconfirmed,
        finished: false,
      },
      outgoing: state.current && !state.current.finished ? state.current : null,
      prepared: state.prepared?.showing.id === id ? null : state.prepared,
      superseded: [],
      positions: positionsAfterSuperseded(state, showing),
      failures,
    },
    effects,
  ];
}

/** A superseded showing that was shown nevertheless counts: its playlist continues after it. */
function positionsAfterSuperseded(state: PlaybackState, showing: Showing): PlaybackState['positions'] {
  const position = state.superseded.find((one) => one.showing.id === showing.id)?.position;
  if (!position || state.prepared?.showing.playlistId === showing.playlistId) {
    return state.positions;
  }
  return { ...state.positions, [showing.playlistId]: position };
}

function applyEnded(
  state: PlaybackState,
  report: Extract<StageReport, { type: 'ended' }>,
  now: PlaybackNow,
): StepResult {
  const { current, outgoing } = state;
  const play = [current, outgoing].find((one) => one?.showing.id === report.showing_id && !one.finished);
  if (!play) {
    return [state, []];
  }
  const reason =
    report.outcome === 'interrupted'
      ? (report.reason ?? interruptReason(state, play.showing))
      : report.reason;
  const effects: PlaybackEffect[] = [
    endedEffect(play, {
      endedAtMs: Math.max(play.startedAtMs, Math.round(now.wallMs - report.ago_ms)),
      durationMs: Math.round(report.shown_ms),
      outcome: report.outcome,
      reason,
    }),
  ];
  let next: PlaybackState =
    play === current ? { ...state, current: { ...play, finished: true } } : { ...state, outgoing: null };
  if (report.outcome === 'failed') {
    next = { ...next, failures: withFailure(next, play.showing, reason ?? 'failed', now) };
    effects.push({ kind: 'recheck_media', sha256: play.showing.sha256, reason: reason ?? 'failed' });
  }
  return [next, effects];
}

/** The prepared showing cannot be shown: its play failed, and its file is verified again. */
export function failPrepared(state: PlaybackState, reason: string, now: PlaybackNow): StepResult {
  const { prepared } = state;
  if (!prepared) {
    return [state, []];
  }
  const { showing } = prepared;
  return [
    { ...state, prepared: null, failures: withFailure(state, showing, reason, now) },
    [
      {
        kind: 'ended',
        showing,
        startedAtMs: now.wallMs,
        isTimeUnconfirmed: now.isTimeUnconfirmed,
        end: { endedAtMs: now.wallMs, durationMs: 0, outcome: 'failed', reason },
      },
      { kind: 'recheck_media', sha256: showing.sha256, reason },
    ],
  ];
}

function withFailure(
  state: PlaybackState,
  showing: Showing,
  reason: string,
  now: PlaybackNow,
): PlaybackState['failures'] {
  const { sha256, contentId } = showing;
  const attempts = (state.failures[sha256]?.attempts ?? 0) + 1;
  const waitMs = Math.min(RETRY_BACKOFF.capMs, RETRY_BACKOFF.baseMs * 2 ** Math.min(attempts - 1, 20));
  return {
    ...state.failures,
    [sha256]: { contentId, reason, attempts, retryAtMonoMs: now.monoMs + waitMs },
  };
}

export const endedEffect = (
  { showing, startedAtMs, isTimeUnconfirmed }: Omit<CurrentShowing, 'startedAtMonoMs' | 'finished'>,
  end: PlayEnd,
): PlaybackEffect => ({ kind: 'ended', showing, startedAtMs, isTimeUnconfirmed, end });

/** Closes a showing whose end was not reported: its duration follows from the start of the next one. */
export function closeOutgoing(play: CurrentShowing, leftAtMonoMs: number, now: PlaybackNow): PlaybackEffect {
  const durationMs = Math.max(0, Math.round(leftAtMonoMs - play.startedAtMonoMs));
  const expected = expectedMs(play.showing);
  const completed = expected === null || durationMs >= expected - OVERDUE_MS;
  return endedEffect(play, {
    endedAtMs: Math.min(now.wallMs, play.startedAtMs + durationMs),
    durationMs,
    outcome: completed ? 'completed' : 'interrupted',
    reason: completed ? null : 'replaced',
  });
}

/**
 * Closes the showing that was on the screen when the page or the power was lost: it ended when it was last known to be
 * alive, and lasted no longer than its duration.
 */
function closeInterrupted(play: CurrentShowing, lastAliveAtMs: number, now: PlaybackNow): PlaybackEffect {
  const shownMs = Math.max(0, Math.min(lastAliveAtMs, now.wallMs) - play.startedAtMs);
  const expected = expectedMs(play.showing);
  const completed = expected !== null && shownMs >= expected;
  const durationMs = Math.round(completed ? expected : shownMs);
  return endedEffect(play, {
    endedAtMs: play.startedAtMs + durationMs,
    durationMs,
    outcome: completed ? 'completed' : 'interrupted',
    reason: completed ? null : 'page_lost',
  });
}

/** Why the page cut off a showing. */
const interruptReason = (state: PlaybackState, showing: Showing): string =>
  state.activePlaylist?.playlistId === showing.playlistId ? 'manifest' : 'schedule';
