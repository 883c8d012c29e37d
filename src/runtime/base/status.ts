import { faultHelp } from '@placard/protocol';
import type { NowPlaying } from '@placard/protocol';
import { visibleSession } from '../../core/pairing/pairing.ts';
import type { Showing } from '../../core/playback/plays.ts';
import type { PlayerState, PlayerStateFields } from './player-state.ts';

/** The current showing in the format of the heartbeat. */
export function nowPlaying(fields: Readonly<PlayerStateFields>): NowPlaying | null {
  const { current } = fields;
  if (!current) {
    return null;
  }
  const { showing } = current;
  return {
    playlist_id: showing.playlistId,
    item_id: showing.itemId,
    content_id: showing.contentId,
    since: new Date(current.startedAtMs).toISOString(),
    schedule_id: showing.scheduleId,
    rule_id: showing.ruleId,
  };
}

/**
 * The current showing when it is not of the active playlist, which cannot be shown (see `faults`) or is still being
 * prepared; null otherwise.
 */
export const findKeptShowing = ({ current, activePlaylist }: Readonly<PlayerStateFields>): Showing | null =>
  current !== null && current.showing.playlistId !== activePlaylist?.playlistId ? current.showing : null;

/**
 * Why the current showing is on the screen. `kept`: the previous one stays, see `findKeptShowing`; `instead_of` names
 * the scheduled playlist.
 */
export function describePlayingReason(fields: Readonly<PlayerStateFields>): object {
  const { activePlaylist } = fields;
  const scheduled = {
    source: activePlaylist?.source ?? 'none',
    schedule_id: activePlaylist?.scheduleId ?? null,
    rule_id: activePlaylist?.ruleId ?? null,
  };
  const kept = findKeptShowing(fields);
  return kept === null
    ? scheduled
    : {
        source: 'kept',
        schedule_id: kept.scheduleId,
        rule_id: kept.ruleId,
        instead_of: { playlist_id: activePlaylist?.playlistId ?? null, ...scheduled },
      };
}

/** The document of `status.json`. */
export function buildStatus(
  playerState: PlayerState,
  { server, tzVersion }: { server: string; tzVersion?: string | undefined },
): object {
  const { fields } = playerState;
  const { pairing, next } = fields;
  const playing = nowPlaying(fields);
  return {
    state: fields.identity ? 'paired' : 'pairing',
    code: fields.identity ? null : (visibleSession(pairing)?.code ?? null),
    device_id: fields.identity?.deviceId ?? null,
    server,
    connection: fields.connection,
    held_revision: fields.heldRevision,
    target_revision: fields.targetRevision,
    blocked_by: fields.blockedBy,
    now_playing: playing && {
      playlist_id: playing.playlist_id,
      item_id: playing.item_id,
      content_id: playing.content_id,
      since: playing.since,
    },
    next: next && { playlist_id: next.playlistId, item_id: next.itemId, content_id: next.contentId },
    playing_because: describePlayingReason(fields),
    orientation: {
      shown: fields.localOrientation ?? fields.orientation,
      set_here: fields.localOrientation !== null,
    },
    videos: fields.videoCapabilities,
    plays_dropped: fields.playsDropped,
    tz_version: tzVersion ?? null,
    // With help texts, because technicians read this file over ssh.
    faults: playerState.faults().map((fault) => ({ ...fault, help: faultHelp(fault.code) })),
  };
}
