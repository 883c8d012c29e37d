import type { CutTiming, StageShowing, StageFailure } from '@placard/protocol/stage';
import type { LoadFailure } from './loaded-media.ts';

/** Which showing is current and which one is next. */
export interface StageState {
  readonly current: CurrentShowing | null;
  readonly next: PreparedShowing | null;
  /** Prepared while both layers were in use; loaded when the leaving showing has released its layer. */
  readonly queued: Omit<PreparedShowing, 'ready'> | null;
  /** `next` has been raised, and its first frame is pending. */
  readonly cutting: boolean;
  /** The previous showing, painted below until the current one is fully visible. */
  readonly leaving: string | null;
  /** `pending`: at the next transition. `replacing`: another page takes over, and this one only keeps its picture. */
  readonly reload: 'no' | 'pending' | 'replacing';
}

export interface CurrentShowing {
  readonly showing: StageShowing;
  /** When its first frame was on the screen. */
  readonly startedAtMs: number;
  /** When its duration ends; null for a video that plays to its natural end. */
  readonly dueAtMs: number | null;
  /** Its duration is over or it failed: it only stays until something else is ready. */
  readonly isFinished: boolean;
  /** `ended` has been reported. */
  readonly isEndReported: boolean;
}

export interface PreparedShowing {
  readonly showing: StageShowing;
  readonly cut: CutTiming;
  readonly ready: boolean;
}

export interface FailedShowing extends LoadFailure {
  id: string;
}

export type StageInput =
  | { type: 'prepare'; showing: StageShowing; cut: CutTiming }
  | { type: 'cut'; id: string }
  | { type: 'clear' }
  | { type: 'reload' }
  /** The page replacement failed. */
  | { type: 'resume' }
  /** The hidden layer has painted it. */
  | { type: 'loaded'; id: string }
  | ({ type: 'load_failed' } & FailedShowing)
  /** The raised showing is on the screen since `atMs`. */
  | { type: 'presented'; id: string; atMs: number }
  /** It covers the layer below, which may be released. */
  | { type: 'fully_visible'; id: string }
  /** The current showing's duration is over, or its last frame is about to end. */
  | { type: 'finished'; id: string }
  /** It failed during playback. */
  | ({ type: 'playback_failed' } & FailedShowing);

/** Events of showings, with times of the page's monotonic clock. */
export type ShowingEvent =
  | { type: 'ready'; showing_id: string }
  | { type: 'started'; showing_id: string; atMs: number }
  | {
      type: 'ended';
      showing_id: string;
      atMs: number;
      shown_ms: number;
      outcome: 'completed' | 'interrupted' | 'failed';
      reason: string | null;
    }
  | { type: 'failed'; showing_id: string; reason: StageFailure; detail: string };

export type StageEffect =
  | { do: 'load'; showing: StageShowing }
  /** Raise it above the current one and start it. */
  | { do: 'reveal'; id: string }
  /** Watch for its end. */
  | { do: 'watch'; id: string; dueAtMs: number | null }
  /** Nothing is ready to follow: a video restarts, an image stays. */
  | { do: 'hold'; id: string }
  /** Empty its layer. */
  | { do: 'release'; id: string }
  | { do: 'report'; event: ShowingEvent }
  | { do: 'replace_page' };

export const EMPTY_STAGE: StageState = {
  current: null,
  next: null,
  queued: null,
  cutting: false,
  leaving: null,
  reload: 'no',
};
