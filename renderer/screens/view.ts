import type { Screen } from '@placard/protocol/stage';
import type { Locale } from '../strings/strings.ts';

/** What every view needs: the locale, and a clock corrected by the runtime's. */
export interface ViewContext {
  locale: Locale;
  /** Wall clock in milliseconds, from the time that the runtime sent last. */
  wallMs: () => number;
}

/** One overlay, built once per language. */
export interface View<Kind extends Screen['kind']> {
  readonly root: HTMLElement;
  show: (screen: Extract<Screen, { kind: Kind }>) => void;
  /** Called every second while it is on the screen. */
  tick: () => void;
}
