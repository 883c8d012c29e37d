import type { CutTiming } from '@placard/protocol/stage';
import { activePlaylistAt, findItem } from './compiled-manifest.ts';
import type { ActivePlaylist, CompiledManifest } from './compiled-manifest.ts';
import { isKindAllowed, itemDurationMs, pickNextShowing } from './pick-showing.ts';
import type { PlaybackNow, PlaybackState } from './playback-state.ts';
import { expectedMs } from './plays.ts';
import type { Showing } from './plays.ts';

/** The first showing after a rule boundary is prepared this long before it. */
export const BOUNDARY_LEAD_MS = 10_000;
/** No showing starts less than this before a boundary; the last picture stays instead. */
const MIN_SHOWING_MS = 2_000;

/** The playlist of the next showing, and when that takes over. */
export interface NextSource {
  active: ActivePlaylist;
  cut: CutTiming;
}

/** From which playlist the next showing comes, and when it takes over. */
export function chooseNextSource(
  state: PlaybackState,
  compiledManifest: CompiledManifest,
  active: ActivePlaylist,
  now: PlaybackNow,
): NextSource {
  const { current } = state;
  const currentStays =
    current !== null &&
    isStillScheduled(compiledManifest, current.showing, active) &&
    isKindAllowed(state, current.showing.kind) &&
    (shortenedEndMonoMs(state) ?? Number.POSITIVE_INFINITY) > now.monoMs;
  if (!currentStays) {
    const isStartHeld = state.startHoldUntilMonoMs !== null && now.monoMs < state.startHoldUntilMonoMs;
    return { active, cut: isStartHeld ? 'on_command' : 'when_ready' };
  }
  if (active.untilMs !== null && active.untilMs - now.wallMs <= BOUNDARY_LEAD_MS) {
    const upcoming = activePlaylistAt(compiledManifest, active.untilMs);
    const expected = expectedMs(current.showing);
    // A finished showing is replaced as soon as the prepared one is ready, so that one is not exchanged.
    const remainingMs = current.finished
      ? 0
      : expected === null
        ? Number.POSITIVE_INFINITY
        : expected - (now.monoMs - current.startedAtMonoMs);
    const endsAtMs = now.wallMs + remainingMs;
    const crossesBoundary = endsAtMs >= active.untilMs - MIN_SHOWING_MS;
    const playlistChanges = upcoming.playlistId !== null && upcoming.playlistId !== active.playlistId;
    if (playlistChanges && crossesBoundary && pickNextShowing(state, compiledManifest, upcoming, now)) {
      return { active: upcoming, cut: 'on_command' };
    }
  }
  return { active, cut: 'after_current' };
}

/** When the current showing ends by its changed item; null when the item has not become shorter. */
export function shortenedEndMonoMs({ compiledManifest, current }: PlaybackState): number | null {
  if (!compiledManifest || !current || current.finished) {
    return null;
  }
  const { showing, startedAtMonoMs } = current;
  const item = findItem(compiledManifest, showing.playlistId, showing.itemId);
  const lengthMs = item && (itemDurationMs(item.duration, showing.kind) ?? showing.videoEndMs);
  const orderedMs = expectedMs(showing) ?? Number.POSITIVE_INFINITY;
  return lengthMs !== null && lengthMs < orderedMs ? startedAtMonoMs + lengthMs : null;
}

/** Whether a showing still matches its playlist, and that playlist is active. */
export function isStillScheduled(
  compiledManifest: CompiledManifest,
  showing: Showing,
  active: ActivePlaylist,
): boolean {
  if (showing.playlistId !== active.playlistId) {
    return false;
  }
  const item = findItem(compiledManifest, showing.playlistId, showing.itemId);
  return item !== null && compiledManifest.assets.get(item.content_id)?.sha256 === showing.sha256;
}
