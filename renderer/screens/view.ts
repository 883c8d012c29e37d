import type { Screen, ScreenFacts } from '../../src/stage-link/messages.ts';
import type { Words } from '../strings/strings.ts';

/** What every view needs: the words, and a clock corrected by the runtime's. */
export interface ViewContext {
  words: Words;
  /** Wall clock in milliseconds, from the facts that the runtime sent last. */
  wallMs: () => number;
}

/** One overlay, built once for each language. */
export interface View<Kind extends Screen['kind']> {
  readonly root: HTMLElement;
  show: (screen: Extract<Screen, { kind: Kind }>) => void;
  /** Every second while it is on the screen. */
  tick: () => void;
}

export type Facts = ScreenFacts;
