import type { StageFailure } from '@placard/protocol/stage';

/** Media loaded into a layer and painted there. Each media kind has a function that returns this. */
export interface LoadedMedia {
  /** Starts it at the transition; resolves with the time of its first frame on the screen. */
  start(): Promise<number>;
  /** Resolves when the layer below may be released. */
  waitUntilFullyVisible(): Promise<void>;
  /** Calls back once: at the end of its duration, or when it fails. */
  watchForEnd(dueAtMs: number | null, callbacks: PlaybackCallbacks): void;
  /** Nothing is ready to follow: a video restarts, everything else stays as it is. */
  hold(): void;
  /** Releases all its resources. */
  release(): void;
}

export interface PlaybackCallbacks {
  /** Milliseconds from raising the next showing to it being visible, as far as known. */
  leadMs(): number;
  finished(): void;
  failed(reason: StageFailure, detail: string): void;
}

/** Why media could not be loaded or failed during playback. */
export interface LoadFailure {
  reason: StageFailure;
  detail: string;
}

export type LoadResult = { ok: true; media: LoadedMedia } | ({ ok: false } & LoadFailure);

export function loadFailure(reason: StageFailure, detail: string): LoadResult {
  return { ok: false, reason, detail };
}
