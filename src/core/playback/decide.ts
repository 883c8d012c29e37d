import type { CutTiming, StageCommand } from '@placard/protocol/stage';
import { isKindAllowed, itemDurationMs, pickNextShowing } from './pick-showing.ts';
import type { Showing } from './plays.ts';
import { activePlaylistAt, findItem } from './compiled-manifest.ts';
import type { ActivePlaylist, CompiledManifest } from './compiled-manifest.ts';
import { BOUNDARY_LEAD_MS, chooseNextSource, isStillScheduled, shortenedEndMonoMs } from './next-source.ts';
import type { NextSource } from './next-source.ts';
import { closeOutgoing, endedEffect, failPrepared } from './apply-stage-report.ts';
import type {
  PlaybackEffect,
  PlaybackNow,
  PlaybackState,
  PreparedShowing,
  StepResult,
} from './playback-state.ts';

/** A page that has not responded within this time will not. */
const PREPARE_TIMEOUT_MS = 60_000;
/** The page reports how long a showing was on right after the transition, or never. */
const OUTGOING_REPORT_TIMEOUT_MS = 5_000;
/** The schedule is evaluated at least this often, because clocks are corrected now and then. */
const SCHEDULE_RECHECK_MS = 30_000;

/** Makes the stage follow the state: the only place that decides what comes next. */
export function decideNext(before: PlaybackState, now: PlaybackNow): StepResult {
  const effects: PlaybackEffect[] = [];
  let state = refreshActivePlaylist(before, now);
  if (state.outgoing && now.monoMs - (state.current?.startedAtMonoMs ?? 0) > OUTGOING_REPORT_TIMEOUT_MS) {
    effects.push(closeOutgoing(state.outgoing, state.current?.startedAtMonoMs ?? now.monoMs, now));
    state = { ...state, outgoing: null };
  }
  if (!state.isPageConnected) {
    return [state, effects];
  }

  const { compiledManifest, activePlaylist } = state;
  if (!compiledManifest || !activePlaylist?.playlistId) {
    const [cleared, more] = clearStage(state, now);
    return [cleared, [...effects, ...more]];
  }
  const { prepared } = state;
  if (prepared?.isSent && !prepared.isReady && now.monoMs - prepared.sentAtMonoMs > PREPARE_TIMEOUT_MS) {
    const [failed, more] = failPrepared(state, 'timeout', now);
    effects.push(...more);
    state = failed;
  }
  const [next, more] = prepareNext(state, compiledManifest, activePlaylist, now);
  return [next, [...effects, ...more]];
}

/** Evaluates the schedule, unless the last result is still valid. */
function refreshActivePlaylist(state: PlaybackState, now: PlaybackNow): PlaybackState {
  if (!state.compiledManifest) {
    return { ...state, activePlaylist: null, nothingPlayable: false };
  }
  const { activePlaylist } = state;
  const isStillValid =
    activePlaylist !== null &&
    now.wallMs >= state.activeCheckedAtMs &&
    now.wallMs - state.activeCheckedAtMs < SCHEDULE_RECHECK_MS &&
    (activePlaylist.untilMs === null || now.wallMs < activePlaylist.untilMs);
  return isStillValid
    ? state
    : {
        ...state,
        activePlaylist: activePlaylistAt(state.compiledManifest, now.wallMs),
        activeCheckedAtMs: now.wallMs,
      };
}

/** Nothing is scheduled: the stage is cleared, and the idle screen covers it. */
function clearStage(state: PlaybackState, now: PlaybackNow): StepResult {
  const effects: PlaybackEffect[] = [];
  if (state.prepared) {
    effects.push({
      kind: 'preparation_dropped',
      position: state.compiledManifest ? state.prepared.positionBefore : null,
    });
  }
  if (state.hasPicture || state.prepared) {
    effects.push({ kind: 'stage_command', command: { type: 'clear' } });
  }
  if (state.current && !state.current.finished) {
    const { startedAtMs, startedAtMonoMs } = state.current;
    effects.push(
      endedEffect(state.current, {
        endedAtMs: Math.max(startedAtMs, now.wallMs),
        durationMs: Math.max(0, Math.round(now.monoMs - startedAtMonoMs)),
        outcome: 'interrupted',
        reason: state.compiledManifest ? 'schedule' : 'unpaired',
      }),
    );
  }
  const positions = state.compiledManifest ? positionsBeforePrepared(state) : {};
  return [
    {
      ...state,
      positions,
      hasPicture: false,
      current: null,
      prepared: null,
      superseded: [],
      nothingPlayable: false,
    },
    effects,
  ];
}

function prepareNext(
  state: PlaybackState,
  compiledManifest: CompiledManifest,
  active: ActivePlaylist,
  now: PlaybackNow,
): StepResult {
  const nextSource = chooseNextSource(state, compiledManifest, active, now);
  const { prepared } = state;
  if (prepared && isPreparedValid(state, compiledManifest, prepared.showing, nextSource.active)) {
    return keepPrepared({ ...state, nothingPlayable: false }, prepared, nextSource, now);
  }
  const positions = positionsBeforePrepared(state);
  const picked = pickNextShowing({ ...state, positions }, compiledManifest, nextSource.active, now);
  if (!picked) {
    return holdBackPrepared(
      { ...state, nothingPlayable: nextSource.active.playlistId === active.playlistId },
      now,
    );
  }
  const { showing, position } = picked;
  const { playlistId } = showing;
  const positionBefore = { playlistId, position: positions[playlistId] ?? null };
  const [sent, sendEffects] = sendPrepared(state, { showing, positionBefore }, nextSource.cut, now);
  const effects: PlaybackEffect[] = [];
  if (prepared) {
    effects.push({ kind: 'preparation_dropped', position: prepared.positionBefore });
  }
  effects.push({ kind: 'prepared', showing, position: { playlistId, position } }, ...sendEffects);
  return [
    {
      ...sent,
      positions: { ...positions, [playlistId]: position },
      superseded: prepared
        ? [
            ...state.superseded,
            { showing: prepared.showing, position: state.positions[prepared.showing.playlistId] },
          ]
        : state.superseded,
      nothingPlayable: false,
    },
    effects,
  ];
}

/**
 * Nothing of the active playlist can be shown. The current picture stays: the prepared showing is no more correct than
 * that, and waits. Only an empty stage shows it, rather than nothing.
 */
function holdBackPrepared(state: PlaybackState, now: PlaybackNow): StepResult {
  const { prepared } = state;
  if (!prepared?.isSent || !state.nothingPlayable || !state.hasPicture || prepared.cut === 'on_command') {
    return [state, []];
  }
  return sendPrepared(state, prepared, 'on_command', now);
}

/** Sends the prepared showing to the page (again); its time-out starts now. */
function sendPrepared(
  state: PlaybackState,
  prepared: Pick<PreparedShowing, 'showing' | 'positionBefore'>,
  cut: CutTiming,
  now: PlaybackNow,
): StepResult {
  const sentPrepared: PreparedShowing = {
    ...prepared,
    cut,
    isSent: true,
    isReady: false,
    sentAtMonoMs: now.monoMs,
  };
  return [
    { ...state, prepared: sentPrepared },
    [{ kind: 'stage_command', command: createPrepareCommand(prepared.showing, cut) }],
  ];
}

/** The prepared showing is the right one: send it to a new page, or cut to it when it is due. */
function keepPrepared(
  state: PlaybackState,
  prepared: PreparedShowing,
  nextSource: NextSource,
  now: PlaybackNow,
): StepResult {
  if (!prepared.isSent) {
    return sendPrepared(state, prepared, nextSource.cut, now);
  }
  // It waited while its playlist was inactive, and now follows the current showing.
  if (prepared.cut === 'on_command' && nextSource.cut === 'after_current') {
    return sendPrepared(state, prepared, 'after_current', now);
  }
  if (prepared.cut === nextSource.cut || nextSource.cut !== 'when_ready') {
    return [state, []];
  }
  return [
    { ...state, prepared: { ...prepared, cut: 'when_ready' } },
    [{ kind: 'stage_command', command: { type: 'cut', showing_id: prepared.showing.id } }],
  ];
}

function isPreparedValid(
  state: PlaybackState,
  compiledManifest: CompiledManifest,
  showing: Showing,
  from: ActivePlaylist,
): boolean {
  if (!isKindAllowed(state, showing.kind)) {
    return false;
  }
  if (!isStillScheduled(compiledManifest, showing, from) || !state.cachedMedia.has(showing.sha256)) {
    return false;
  }
  const item = findItem(compiledManifest, showing.playlistId, showing.itemId);
  const asset = item && compiledManifest.assets.get(item.content_id);
  return (
    asset !== null &&
    asset !== undefined &&
    itemDurationMs(item?.duration ?? null, asset.type) === showing.durationMs
  );
}

/** A prepared showing that was never shown does not count: its playlist goes back to the position before it. */
function positionsBeforePrepared(state: PlaybackState): PlaybackState['positions'] {
  const before = state.prepared?.positionBefore;
  if (!before) {
    return state.positions;
  }
  const { [before.playlistId]: _taken, ...rest } = state.positions;
  return before.position === null ? rest : { ...rest, [before.playlistId]: before.position };
}

const createPrepareCommand = (showing: Showing, cut: CutTiming): StageCommand => ({
  type: 'prepare',
  showing: {
    id: showing.id,
    kind: showing.kind,
    url: `/media/${showing.sha256}`,
    duration_ms: showing.durationMs,
    video_end_ms: showing.videoEndMs,
  },
  cut,
});

/** Milliseconds until the state machine needs a `tick`. */
export function playbackWaitMs(state: PlaybackState, now: { wallMs: number; monoMs: number }): number {
  const waits = [SCHEDULE_RECHECK_MS];
  const untilMs = state.activePlaylist?.untilMs ?? null;
  if (untilMs !== null) {
    waits.push(untilMs - now.wallMs);
    if (untilMs - BOUNDARY_LEAD_MS > now.wallMs) {
      waits.push(untilMs - BOUNDARY_LEAD_MS - now.wallMs);
    }
  }
  const { startHoldUntilMonoMs } = state;
  if (startHoldUntilMonoMs !== null && startHoldUntilMonoMs > now.monoMs) {
    waits.push(startHoldUntilMonoMs - now.monoMs);
  }
  const shortenedEnd = shortenedEndMonoMs(state);
  if (shortenedEnd !== null && shortenedEnd > now.monoMs) {
    waits.push(shortenedEnd - now.monoMs);
  }
  if (state.outgoing && state.current) {
    waits.push(state.current.startedAtMonoMs + OUTGOING_REPORT_TIMEOUT_MS + 1 - now.monoMs);
  }
  // While the page is gone, nothing comes of a time-out that is over.
  if (state.isPageConnected && state.prepared?.isSent && !state.prepared.isReady) {
    waits.push(state.prepared.sentAtMonoMs + PREPARE_TIMEOUT_MS + 1 - now.monoMs);
  }
  if (!state.prepared) {
    for (const failure of Object.values(state.failures)) {
      if (failure.retryAtMonoMs > now.monoMs) {
        waits.push(failure.retryAtMonoMs - now.monoMs);
      }
    }
  }
  return Math.max(0, Math.min(...waits));
}
