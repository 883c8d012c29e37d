import { decideNext } from './decide.ts';
import { listPlaylistAssets } from './compiled-manifest.ts';
import type { CompiledManifest } from './compiled-manifest.ts';
import { applyStageReport } from './apply-stage-report.ts';
import type {
  CurrentShowing,
  PlaybackEvent,
  PlaybackNow,
  PlaybackState,
  StepResult,
} from './playback-state.ts';

/**
 * The playback state machine. It keeps one showing prepared ahead of the current one, follows the schedule at its
 * boundaries, skips what cannot be shown, and never removes a picture before the next one is ready.
 */
export function stepPlayback(state: PlaybackState, event: PlaybackEvent, now: PlaybackNow): StepResult {
  const [applied, effects] = applyEvent(state, event, now);
  const [decided, more] = decideNext(applied, now);
  return [decided, [...effects, ...more]];
}

function applyEvent(state: PlaybackState, event: PlaybackEvent, now: PlaybackNow): StepResult {
  switch (event.kind) {
    case 'tick':
      return [state, []];
    case 'manifest_applied':
      return [
        {
          ...state,
          compiledManifest: event.compiledManifest,
          deviceId: event.deviceId,
          activePlaylist: null,
          failures: failuresInManifest(state.failures, event.compiledManifest),
        },
        [],
      ];
    case 'media_changed':
      return [{ ...state, cachedMedia: event.cached, failures: withoutRefetched(state, event.cached) }, []];
    case 'start_hold':
      return [{ ...state, startHoldUntilMonoMs: event.untilMonoMs }, []];
    case 'images_only':
      return [{ ...state, imagesOnly: event.enabled }, []];
    case 'page_gone':
      return [{ ...state, isPageConnected: false }, []];
    case 'stage_report':
      return applyStageReport(state, event.report, now);
  }
  return event satisfies never;
}

/** The wall clock was set: shifts unconfirmed times. With `isConfirmed` they count as confirmed from now on. */
export function shiftUnconfirmedTimes(
  state: PlaybackState,
  byMs: number,
  isConfirmed: boolean,
): PlaybackState {
  const shift = (play: CurrentShowing | null) =>
    play?.isTimeUnconfirmed
      ? { ...play, startedAtMs: play.startedAtMs + byMs, isTimeUnconfirmed: !isConfirmed }
      : play;
  return {
    ...state,
    lastAliveAtMs: state.lastAliveAtMs + byMs,
    current: shift(state.current),
    outgoing: shift(state.outgoing),
  };
}

/** Something is on the stage, or will be as soon as a page connects. */
export function hasSomethingToShow({
  hasPicture,
  prepared,
  isPageConnected,
  compiledManifest,
  activePlaylist,
  cachedMedia,
}: PlaybackState): boolean {
  // A prepared showing without its file is neither sent to the page nor shown.
  if (hasPicture || (prepared && (prepared.isSent || cachedMedia.has(prepared.showing.sha256)))) {
    return true;
  }
  if (isPageConnected || !compiledManifest || !activePlaylist) {
    return false;
  }
  return listPlaylistAssets(compiledManifest, activePlaylist.playlistId).some((asset) =>
    cachedMedia.has(asset.sha256),
  );
}

/** Media that are no longer in the manifest are no longer faults. */
function failuresInManifest(
  failures: PlaybackState['failures'],
  compiledManifest: CompiledManifest | null,
): PlaybackState['failures'] {
  const referenced = new Set(compiledManifest?.manifest.assets.map((asset) => asset.sha256));
  return Object.fromEntries(Object.entries(failures).filter(([sha256]) => referenced.has(sha256)));
}

/** A newly downloaded file is tried at once, even if the previous one failed. */
function withoutRefetched(state: PlaybackState, cached: ReadonlySet<string>): PlaybackState['failures'] {
  const remaining = Object.entries(state.failures).filter(
    ([sha256]) => state.cachedMedia.has(sha256) || !cached.has(sha256),
  );
  return remaining.length === Object.keys(state.failures).length
    ? state.failures
    : Object.fromEntries(remaining);
}
