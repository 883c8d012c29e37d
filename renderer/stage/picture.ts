import type { StageFailure } from '../../src/stage-link/messages.ts';

/**
 * Something loaded into a layer and painted there, whatever its kind. A new kind of content is one more
 * function that answers with this.
 */
export interface Picture {
  /** Sets it going at the cut; resolves with the time of its first frame on the screen. */
  begin(): Promise<number>;
  /** Resolves when the layer below may be let go. */
  settled(): Promise<void>;
  /** Calls back once: at the end of its time, or when it cannot go on. */
  watch(dueAtMs: number | null, on: PictureEnd): void;
  /** Nothing follows: starts again if it moves, else stays as it is. */
  hold(): void;
  /** Gives back everything it holds. */
  release(): void;
}

export interface PictureEnd {
  /** How long what follows needs from being raised to being seen, as far as is known. Milliseconds. */
  leadMs(): number;
  through(): void;
  broke(reason: StageFailure, detail: string): void;
}

/** Why something could not be loaded, or went wrong on the way. */
export interface LoadFailure {
  reason: StageFailure;
  detail: string;
}

export type LoadResult = { ok: true; picture: Picture } | ({ ok: false } & LoadFailure);

export function loadFailure(reason: StageFailure, detail: string): LoadResult {
  return { ok: false, reason, detail };
}
