import type { OrderPosition } from '@placard/schedule';

/** Everything about a showing that is known before it is on the screen. */
export interface Showing {
  /** Play id; the page uses it as the id of the showing. */
  id: string;
  playlistId: string;
  itemId: string;
  contentId: string;
  sha256: string;
  scheduleId: string | null;
  ruleId: string | null;
  kind: 'image' | 'video';
  /** Milliseconds on screen; null plays a video to its end. */
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

/** Plays that are missing from the reports. */
export interface DroppedPlays {
  count: number;
  /** Milliseconds since 1970 when the last one was dropped. */
  lastAtMs: number;
}

/** Position at which a playlist continues; plain JSON, made by the playlist order. Null: at its beginning. */
export interface PositionUpdate {
  playlistId: string;
  position: OrderPosition | null;
}

/** What an earlier run of the player left open. */
export interface UnfinishedPlays {
  prepared: Showing | null;
  /** Prepared earlier and perhaps on the screen: the page may have cut to one just as it was replaced. */
  superseded: Showing[];
  /** Oldest first; more than one when the crash happened during a transition. */
  open: OpenPlay[];
}

export interface OpenPlay {
  showing: Showing;
  /** Milliseconds since 1970. */
  startedAtMs: number;
  /** The boot whose uncorrected clock dated the start; null: the clock was correct. */
  unconfirmedBootId: string | null;
}

/** How long it should be on the screen, in milliseconds; null when only the page will know. */
export const expectedMs = (showing: Showing): number | null => showing.durationMs ?? showing.videoEndMs;

/** A showing this far past its expected end has ended, and only its report was lost. */
export const OVERDUE_MS = 2_000;
