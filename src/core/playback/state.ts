import type { OrderPosition } from '@placard/schedule';
import type { Active, Programme } from './programme.ts';
import { endBefore } from './report.ts';
import type { OpenPlay, PlayDraft, PlayEnd, PositionUpdate, Unfinished } from './plays.ts';
import type { Cut, StageOrder, StageReport } from './stage.ts';

/** On the screen. */
export interface Current {
  readonly draft: PlayDraft;
  readonly startedAtMs: number;
  readonly startedMono: number;
  /** By a clock that nobody has corrected yet in this boot. */
  readonly guessed: boolean;
  /** Its play is closed; its last picture stays until something else is ready. */
  readonly through: boolean;
}

/** Given to the page to make ready. */
export interface Prepared {
  readonly draft: PlayDraft;
  readonly cut: Cut;
  readonly ready: boolean;
  readonly sinceMono: number;
  /** This page has been told about it. */
  readonly sent: boolean;
  /** Where its playlist stood before; taken back when it is dropped unseen. Null: not known any more. */
  readonly before: PositionUpdate | null;
}

export interface Failure {
  readonly contentId: string;
  readonly reason: string;
  readonly attempts: number;
  readonly retryAtMono: number;
}

export interface PlaybackState {
  /** Part of the seed of the order; the same after a restart. */
  readonly deviceId: string;
  readonly programme: Programme | null;
  /** Hashes of verified media. */
  readonly media: ReadonlySet<string>;
  readonly active: Active | null;
  /** Milliseconds since 1970 at which `active` was asked. */
  readonly activeAskedMs: number;
  readonly positions: Readonly<Record<string, OrderPosition>>;
  /** A page is there and has said hello. */
  readonly page: boolean;
  /** Something is on the stage, be it known or not. */
  readonly picture: boolean;
  readonly current: Current | null;
  /** Left the screen by a cut, and the page has not told yet for how long it was on. */
  readonly leaving: Current | null;
  readonly prepared: Prepared | null;
  /** Prepared before this, since the last cut; the page may have cut to one in the instant that it was replaced. */
  readonly superseded: readonly { draft: PlayDraft; position: OrderPosition | undefined }[];
  /** By hash: what the page could not show, and when it may be tried again. */
  readonly failures: Readonly<Record<string, Failure>>;
  /** Nothing of the active playlist can be shown. */
  readonly starved: boolean;
  /** The first picture is made ready behind a message and waits until this instant; null: nothing to wait for. */
  readonly curtainUntilMono: number | null;
  /** Safe mode: nothing that needs a video decoder is put on the stage. */
  readonly imagesOnly: boolean;
  /** Milliseconds since 1970 when the stage was last known to be alive. */
  readonly aliveMs: number;
  /** Monotonic milliseconds at which this process began to play. */
  readonly bornMono: number;
}

export type PlaybackEvent =
  | { kind: 'tick' }
  /** Null: not paired, or nothing is held yet. */
  | { kind: 'programme'; programme: Programme | null; deviceId: string }
  | { kind: 'media'; held: ReadonlySet<string> }
  | { kind: 'page_gone' }
  /** A message covers the stage until then: what nobody can see is not begun. */
  | { kind: 'curtain'; untilMono: number }
  | { kind: 'images_only'; on: boolean }
  | { kind: 'beat' }
  | { kind: 'stage'; report: StageReport };

export type PlaybackEffect =
  | { kind: 'order'; order: StageOrder }
  | { kind: 'prepared'; draft: PlayDraft; position: PositionUpdate }
  | { kind: 'unprepared'; position: PositionUpdate | null }
  | { kind: 'started'; draft: PlayDraft; startedAtMs: number; guessed: boolean }
  | { kind: 'ended'; draft: PlayDraft; startedAtMs: number; guessed: boolean; end: PlayEnd }
  /** Something was shown that was never written down, and nobody knows any more what it was. */
  | { kind: 'lost' }
  /** The page could not show these bytes: look at them again. */
  | { kind: 'suspect'; sha256: string; reason: string };

export interface PlaybackNow {
  wallMs: number;
  monoMs: number;
  /** A fresh play id; used at most once a step. */
  playId: string;
  /** Nobody has corrected the wall clock yet in this boot. */
  guessed: boolean;
}

/** What the disk remembers of the run before. */
export interface Remembered {
  unfinished: Unfinished;
  positions: Readonly<Record<string, OrderPosition>>;
  bootId: string;
  /** The last instant at which the player was known to run. */
  aliveMs: number;
}

export interface BootedPlayback {
  state: PlaybackState;
  effects: PlaybackEffect[];
}

/** The state at the start. A play that an earlier run left open stays open until the page has said hello. */
export function bootPlayback(remembered: Remembered, now: PlaybackNow): BootedPlayback {
  const { open, prepared } = remembered.unfinished;
  const last = open.at(-1);
  const isGuess = (play: OpenPlay) => play.guess === remembered.bootId;
  const effects: PlaybackEffect[] = open.slice(0, -1).map((play, index) => ({
    kind: 'ended',
    draft: play.draft,
    startedAtMs: play.startedAtMs,
    guessed: isGuess(play),
    end: endBefore(play, open[index + 1]?.startedAtMs ?? play.startedAtMs),
  }));
  const state: PlaybackState = {
    deviceId: '',
    programme: null,
    media: new Set(),
    active: null,
    activeAskedMs: 0,
    positions: remembered.positions,
    page: false,
    picture: false,
    current: last
      ? {
          draft: last.draft,
          startedAtMs: last.startedAtMs,
          startedMono: now.monoMs - Math.max(0, now.wallMs - last.startedAtMs),
          guessed: isGuess(last),
          through: false,
        }
      : null,
    leaving: null,
    prepared: prepared
      ? {
          draft: prepared,
          cut: 'after_current',
          ready: false,
          sent: false,
          sinceMono: now.monoMs,
          before: null,
        }
      : null,
    superseded: remembered.unfinished.superseded.map((draft) => ({ draft, position: undefined })),
    failures: {},
    starved: false,
    curtainUntilMono: null,
    imagesOnly: false,
    aliveMs: remembered.aliveMs,
    bornMono: now.monoMs,
  };
  return { state, effects };
}
