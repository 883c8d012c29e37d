import type { CutTiming, StageCommand, StageReport } from '@placard/protocol/stage';
import type { OrderPosition } from '@placard/schedule';
import type { ActivePlaylist, CompiledManifest } from './compiled-manifest.ts';
import type { Showing, PlayEnd, PositionUpdate } from './plays.ts';

/** The showing on the screen. */
export interface CurrentShowing {
  readonly showing: Showing;
  readonly startedAtMs: number;
  readonly startedAtMonoMs: number;
  /** The start is dated by a clock that has not been corrected yet in this boot. */
  readonly isTimeUnconfirmed: boolean;
  /** Its play is closed; its last picture stays until the next showing is ready. */
  readonly finished: boolean;
}

/** A showing that the page is preparing or holds ready. */
export interface PreparedShowing {
  readonly showing: Showing;
  readonly cut: CutTiming;
  readonly isReady: boolean;
  readonly sentAtMonoMs: number;
  /** The current page has received it. */
  readonly isSent: boolean;
  /** Position of its playlist before it; restored when it is dropped unseen. Null: no longer known. */
  readonly positionBefore: PositionUpdate | null;
}

export interface MediaFailure {
  readonly contentId: string;
  readonly reason: string;
  readonly attempts: number;
  readonly retryAtMonoMs: number;
}

export interface PlaybackState {
  /** Part of the seed of the playlist order; the same after a restart. */
  readonly deviceId: string;
  readonly compiledManifest: CompiledManifest | null;
  /** Hashes of verified media. */
  readonly cachedMedia: ReadonlySet<string>;
  readonly activePlaylist: ActivePlaylist | null;
  /** Milliseconds since 1970 when `activePlaylist` was evaluated. */
  readonly activeCheckedAtMs: number;
  readonly positions: Readonly<Record<string, OrderPosition>>;
  /** A page is connected and has sent `hello`. */
  readonly isPageConnected: boolean;
  /** Something, known or not, is on the stage. */
  readonly hasPicture: boolean;
  readonly current: CurrentShowing | null;
  /** Replaced by a transition; the page has not reported yet how long it was on. */
  readonly outgoing: CurrentShowing | null;
  readonly prepared: PreparedShowing | null;
  /** Showings prepared earlier since the last transition; the page may have cut to one just as it was replaced. */
  readonly superseded: readonly { showing: Showing; position: OrderPosition | undefined }[];
  /** By hash: media that the page could not show, and when to try again. */
  readonly failures: Readonly<Record<string, MediaFailure>>;
  /** No item of the active playlist can be shown. */
  readonly nothingPlayable: boolean;
  /** The first showing is prepared behind a message and waits until then; null: no wait. */
  readonly startHoldUntilMonoMs: number | null;
  /** Safe mode: only showings that need no video decoder. */
  readonly imagesOnly: boolean;
  /** Milliseconds since 1970 when the stage was last known to be alive. */
  readonly lastAliveAtMs: number;
  /** Monotonic milliseconds at which playback started in this process. */
  readonly processStartedAtMonoMs: number;
}

export type PlaybackEvent =
  | { kind: 'tick' }
  /** Null: not paired, or no manifest is held yet. */
  | { kind: 'manifest_applied'; compiledManifest: CompiledManifest | null; deviceId: string }
  | { kind: 'media_changed'; cached: ReadonlySet<string> }
  | { kind: 'page_gone' }
  /** A message covers the stage until then: no showing starts unseen. */
  | { kind: 'start_hold'; untilMonoMs: number }
  | { kind: 'images_only'; enabled: boolean }
  | { kind: 'stage_report'; report: StageReport };

export type PlaybackEffect =
  | { kind: 'stage_command'; command: StageCommand }
  | { kind: 'prepared'; showing: Showing; position: PositionUpdate }
  | { kind: 'preparation_dropped'; position: PositionUpdate | null }
  | { kind: 'started'; showing: Showing; startedAtMs: number; isTimeUnconfirmed: boolean }
  | { kind: 'ended'; showing: Showing; startedAtMs: number; isTimeUnconfirmed: boolean; end: PlayEnd }
  /** A play that was not recorded, and whose item is unknown. */
  | { kind: 'play_lost' }
  /** The page could not show this file: verify it again. */
  | { kind: 'recheck_media'; sha256: string; reason: string };

export interface PlaybackNow {
  wallMs: number;
  monoMs: number;
  /** A new play id; used at most once per step. */
  playId: string;
  /** The wall clock has not been corrected yet in this boot. */
  isTimeUnconfirmed: boolean;
}

export type StepResult = [PlaybackState, PlaybackEffect[]];
