import type { Screen, ScreenFacts } from '../../src/stage-link/messages.ts';
import type { Strings } from '../strings.ts';

/** What every view needs: the words, their language, and a clock corrected by the runtime's. */
export interface ViewContext {
  strings: Strings;
  language: string;
  /** Wall clock in milliseconds, from the facts that the runtime sent last. */
  wallMs: () => number;
}

/** One overlay, built once. */
export interface View<Kind extends Screen['kind']> {
  readonly root: HTMLElement;
  show: (screen: Extract<Screen, { kind: Kind }>) => void;
  /** Every second while it is on the screen. */
  tick: () => void;
}

export type Facts = ScreenFacts;
