import { faultHelp, type NowPlaying } from '@placard/protocol';
import { sessionShown } from '../core/pairing/pairing.ts';
import type { Board, BoardFacts } from './board.ts';

/** What is on the screen, in the shape of the wire. */
export function nowPlaying(facts: Readonly<BoardFacts>): NowPlaying | null {
  const { current } = facts;
  if (!current) return null;
  const { draft } = current;
  return {
    playlist_id: draft.playlistId,
    item_id: draft.itemId,
    content_id: draft.contentId,
    since: new Date(current.startedAtMs).toISOString(),
    schedule_id: draft.scheduleId,
    rule_id: draft.ruleId,
  };
}

/**
 * Why the picture on the screen is there. `kept`: what is scheduled cannot be shown (`faults` say why) or is just
 * being made ready, and the picture of before stays; `instead_of` names what is scheduled.
 */
export function becauseOf({ active, current }: Readonly<BoardFacts>): object {
  const scheduled = {
    source: active?.source ?? 'none',
    schedule_id: active?.scheduleId ?? null,
    rule_id: active?.ruleId ?? null,
  };
  if (!current || current.draft.playlistId === active?.playlistId) return scheduled;
  const { scheduleId, ruleId } = current.draft;
  return {
    source: 'kept',
    schedule_id: scheduleId,
    rule_id: ruleId,
    instead_of: { playlist_id: active?.playlistId ?? null, ...scheduled },
  };
}

/** The document of `status.json`. */
export function statusOf(
  board: Board,
  { server, tzVersion }: { server: string; tzVersion?: string | undefined },
): object {
  const { facts } = board;
  const { pairing, next } = facts;
  const playing = nowPlaying(facts);
  return {
    state: facts.identity ? 'paired' : 'pairing',
    code: facts.identity ? null : (sessionShown(pairing)?.code ?? null),
    device_id: facts.identity?.deviceId ?? null,
    server,
    connection: facts.connection,
    held_revision: facts.heldRevision,
    target_revision: facts.targetRevision,
    blocked_by: facts.blockedBy,
    now_playing: playing && {
      playlist_id: playing.playlist_id,
      item_id: playing.item_id,
      content_id: playing.content_id,
      since: playing.since,
    },
    next: next && { playlist_id: next.playlistId, item_id: next.itemId, content_id: next.contentId },
    playing_because: becauseOf(facts),
    orientation: {
      shown: facts.localOrientation ?? facts.orientation,
      set_here: facts.localOrientation !== null,
    },
    videos: facts.videos,
    plays_dropped: facts.playsDropped,
    tz_version: tzVersion ?? null,
    // Read over ssh: the code alone would send a technician looking for its meaning.
    faults: board.faults().map((fault) => ({ ...fault, help: faultHelp(fault.code) })),
  };
}
