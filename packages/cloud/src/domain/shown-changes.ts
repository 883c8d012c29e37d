import type { ShownChangeKind } from '@placard/protocol/api';
import type { TimelineSegment } from '@placard/schedule';
import type { ManifestContent } from './manifest-content.ts';

/** A stretch of time in which a device would show something else; ms since 1970. */
export interface ShownChange {
  fromMs: number;
  untilMs: number;
  kind: ShownChangeKind;
  before: TimelineSegment;
  after: TimelineSegment;
}

/**
 * Compares two timelines of the same time, segment by segment: a change, or null for a stretch in which both are the same
 * on the screen. Each is computed when it is taken, so a caller can let others run in between.
 *
 * @param hasOtherContent whether a playlist has other content after the change
 */
export function* compareTimelines(
  before: Iterable<TimelineSegment>,
  after: Iterable<TimelineSegment>,
  hasOtherContent: (playlistId: string) => boolean,
): Generator<ShownChange | null, void, undefined> {
  const [befores, afters] = [before[Symbol.iterator](), after[Symbol.iterator]()];
  let [left, right] = [befores.next(), afters.next()];
  while (!left.done && !right.done) {
    const [a, b] = [left.value, right.value];
    const kind = kindOfChange(a.playlist_id, b.playlist_id, hasOtherContent);
    const untilMs = Math.min(a.untilMs, b.untilMs);
    yield kind && { fromMs: Math.max(a.fromMs, b.fromMs), untilMs, kind, before: a, after: b };
    if (a.untilMs === untilMs) {
      left = befores.next();
    }
    if (b.untilMs === untilMs) {
      right = afters.next();
    }
  }
}

function kindOfChange(
  before: string | null,
  after: string | null,
  hasOtherContent: (playlistId: string) => boolean,
): ShownChangeKind | null {
  if (before !== after) {
    return 'playlist_changes';
  }
  return after !== null && hasOtherContent(after) ? 'content_changes' : null;
}

/** The timeline with this base playlist, where no rule decides. */
export function* withBasePlaylist(
  segments: Iterable<TimelineSegment>,
  playlistId: string | null,
): Generator<TimelineSegment, void, undefined> {
  const source = playlistId === null ? 'none' : 'deployment';
  for (const segment of segments) {
    const isSame = segment.rule !== null || segment.playlist_id === playlistId;
    yield isSame ? segment : { ...segment, source, playlist_id: playlistId };
  }
}

/** The playlists that show something else, or the same in another way. A new name is no difference on the screen. */
export function playlistsWithOtherContent(before: ManifestContent, after: ManifestContent): Set<string> {
  const changed = new Set<string>();
  for (const [id, playlist] of after.playlists) {
    const earlier = before.playlists.get(id);
    if (earlier && earlier !== playlist) {
      const [a, b] = [earlier, playlist].map(({ manifest: { mode, items } }) =>
        JSON.stringify([mode, items]),
      );
      if (a !== b) {
        changed.add(id);
      }
    }
  }
  return changed;
}

/** Keys of the targets through which something else reaches devices. */
export function changedTargetKeys(before: ManifestContent, after: ManifestContent): string[] {
  const keys = new Set([...before.targets.keys(), ...after.targets.keys()]);
  return [...keys].filter((key) => before.targets.get(key) !== after.targets.get(key));
}
