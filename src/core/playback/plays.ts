import type { OrderPosition } from '@placard/schedule';

/** Everything about one showing that is known before it is on the screen. */
export interface PlayDraft {
  /** Play id; also the showing id that the page knows. */
  id: string;
  playlistId: string;
  itemId: string;
  contentId: string;
  sha256: string;
  scheduleId: string | null;
  ruleId: string | null;
  kind: 'image' | 'video';
  /** Milliseconds on screen that were ordered; null lets a video run to its natural end. */
  durationMs: number | null;
  /** Where the video track ends, in milliseconds; null when unknown or an image. */
  videoEndMs: number | null;
}

export interface PlayEnd {
  /** Milliseconds since 1970. */
  endedAtMs: number;
  /** Milliseconds on screen by the monotonic clock. */
  durationMs: number;
  outcome: 'completed' | 'interrupted' | 'failed';
  reason: string | null;
}

/** Plays that were shown and are missing from the reports. */
export interface DroppedPlays {
  count: number;
  /** Milliseconds since 1970 at which the last one was given up. */
  lastAtMs: number;
}

/** Why a showing was cut off. */
export type InterruptReason = 'schedule' | 'manifest' | 'unpaired' | 'page_lost' | 'power_lost' | 'replaced';

/** Where a playlist goes on; plain JSON, made by the order engine. Null: at its beginning. */
export interface PositionUpdate {
  playlistId: string;
  position: OrderPosition | null;
}

/** What an earlier run of the player left open. */
export interface Unfinished {
  prepared: PlayDraft | null;
  /** Prepared before it, and perhaps on the screen: the page may have cut in the instant that it was replaced. */
  superseded: PlayDraft[];
  /** Oldest first; more than one when the death fell between two pictures. */
  open: OpenPlay[];
}

export interface OpenPlay {
  draft: PlayDraft;
  /** Milliseconds since 1970. */
  startedAtMs: number;
  /** The boot whose clock, not yet corrected, gave the time; null: the clock was right. */
  guess: string | null;
}

/** How long it should be on the screen, in milliseconds; null when only the page will know. */
export const expectedMs = (draft: PlayDraft): number | null => draft.durationMs ?? draft.videoEndMs;
