import type { Screen } from '@placard/protocol/stage';
import { localeFor } from '../strings/strings.ts';
import type { Language, Locale } from '../strings/strings.ts';
import { idleView, pairedView, startingView } from './idle-screens.ts';
import { pairingView } from './pairing.ts';
import type { ViewContext } from './view.ts';

const TICK_MS = 1_000;
const FADE_MS = 400;
/**
 * A reloaded page paints nothing for this long: the engine keeps the previous page's last frame, so that a reload
 * during playback is not visible.
 */
const STARTING_VIEW_DELAY_MS = 1_000;

/** Covers the stage until there is a picture. */
export function createOverlay(deps: {
  parent: HTMLElement;
  systemLanguage: Language;
  /** Called immediately and whenever the language changes. */
  onLocaleChange(locale: Locale): void;
  monoMs: () => number;
}) {
  const { parent, monoMs } = deps;
  let wallClockOffsetMs = 0;
  /** Wall clock in milliseconds, corrected by the runtime's. */
  const wallMs = () => monoMs() + wallClockOffsetMs;
  let locale = localeFor(deps.systemLanguage);
  let views = createViews({ locale, wallMs });
  let deviceLanguage: Language | null = null;
  let lastScreen: Screen | null = null;
  let tick: (() => void) | null = null;
  let isStageRequested = false;
  let hasPicture = false;
  let isVisible = true;
  deps.onLocaleChange(locale);
  setTimeout(() => {
    if (!parent.firstElementChild && !hasPicture) {
      parent.replaceChildren(startingView({ locale, wallMs }));
    }
  }, STARTING_VIEW_DELAY_MS);
  setInterval(() => {
    if (isVisible) {
      tick?.();
    }
  }, TICK_MS);

  function showView(view: { root: HTMLElement; tick: () => void }): void {
    if (parent.firstElementChild !== view.root) {
      parent.replaceChildren(view.root);
    }
    tick = view.tick;
  }

  function updateVisibility(): void {
    const shouldShow = !(isStageRequested && hasPicture);
    if (shouldShow === isVisible) {
      return;
    }
    isVisible = shouldShow;
    parent.classList.toggle('leaving', !shouldShow);
    if (shouldShow) {
      parent.hidden = false;
    } else {
      setTimeout(() => {
        if (!isVisible) {
          parent.hidden = true;
        }
      }, FADE_MS);
    }
  }

  function renderScreen(screen: Screen): void {
    const language = screen.kind === 'pairing' ? null : deviceLanguage;
    if ((language ?? deps.systemLanguage) !== locale.language) {
      locale = localeFor(language ?? deps.systemLanguage);
      views = createViews({ locale, wallMs });
      deps.onLocaleChange(locale);
    }
    switch (screen.kind) {
      case 'stage':
        break;
      case 'pairing':
        views.pairing.show(screen);
        showView(views.pairing);
        break;
      case 'paired':
        views.paired.show(screen);
        showView(views.paired);
        break;
      case 'idle':
        views.idle.show(screen);
        showView(views.idle);
        break;
    }
  }

  return {
    show(screen: Screen) {
      lastScreen = screen;
      isStageRequested = screen.kind === 'stage';
      if ('info' in screen) {
        wallClockOffsetMs = screen.info.now_ms - monoMs();
      }
      renderScreen(screen);
      updateVisibility();
    },
    /** The language of the device; before pairing, the system's. */
    setLanguage(language: Language) {
      deviceLanguage = language;
      if (lastScreen) {
        renderScreen(lastScreen);
      }
    },
    /** Whether the stage has a picture; the overlay is hidden only then. */
    setPicturePresent(present: boolean) {
      hasPicture = present;
      updateVisibility();
    },
    get locale() {
      return locale;
    },
  };
}

const createViews = (context: ViewContext) => ({
  pairing: pairingView(context),
  paired: pairedView(context),
  idle: idleView(context),
});
