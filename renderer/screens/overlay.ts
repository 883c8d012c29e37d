import type { Screen } from '../../src/stage-link/messages.ts';
import { wordsOf, type Language, type Words } from '../strings/strings.ts';
import { idleView, pairedView, startingView } from './calm.ts';
import { pairingView } from './pairing.ts';
import type { ViewContext } from './view.ts';

export interface Overlay {
  show(screen: Screen): void;
  /** The language of the device. A screen that is not paired yet speaks the system's. */
  speak(language: Language): void;
  /** Whether the stage has a picture: only then may the overlay leave. */
  pictureIs(present: boolean): void;
  /** What is spoken now. */
  readonly words: Words;
  /** Wall clock in milliseconds, corrected by the runtime's. */
  wallMs(): number;
}

const TICK_MS = 1_000;
const FADE_MS = 400;
/**
 * A page that loads anew paints nothing for a moment: the engine then keeps the last frame of the page before it,
 * and a reload in the middle of the programme is not seen.
 */
const STARTING_AFTER_MS = 1_000;

/** What lies over the stage until there is a picture to see. */
export function createOverlay(deps: {
  parent: HTMLElement;
  systemLanguage: Language;
  /** Called at once, and whenever the language changes. */
  onWords(words: Words): void;
  monoMs: () => number;
}): Overlay {
  const { parent, monoMs } = deps;
  let wallAheadMs = 0;
  const wallMs = () => monoMs() + wallAheadMs;
  let words = wordsOf(deps.systemLanguage);
  let views = viewsIn({ words, wallMs });
  let deviceLanguage: Language | null = null;
  let last: Screen | null = null;
  let tick: (() => void) | null = null;
  let stageWanted = false;
  let picture = false;
  let visible = true;
  deps.onWords(words);
  setTimeout(() => {
    if (!parent.firstElementChild && !picture) parent.replaceChildren(startingView({ words, wallMs }));
  }, STARTING_AFTER_MS);
  setInterval(() => {
    if (visible) tick?.();
  }, TICK_MS);

  function put(view: { root: HTMLElement; tick: () => void }): void {
    if (parent.firstElementChild !== view.root) parent.replaceChildren(view.root);
    tick = view.tick;
  }

  function settle(): void {
    const wanted = !(stageWanted && picture);
    if (wanted === visible) return;
    visible = wanted;
    parent.classList.toggle('leaving', !wanted);
    if (wanted) parent.hidden = false;
    else {
      setTimeout(() => {
        if (!visible) parent.hidden = true;
      }, FADE_MS);
    }
  }

  function draw(screen: Screen): void {
    const language = screen.kind === 'pairing' ? null : deviceLanguage;
    if ((language ?? deps.systemLanguage) !== words.language) {
      words = wordsOf(language ?? deps.systemLanguage);
      views = viewsIn({ words, wallMs });
      deps.onWords(words);
    }
    switch (screen.kind) {
      case 'stage':
        break;
      case 'pairing':
        views.pairing.show(screen);
        put(views.pairing);
        break;
      case 'paired':
        views.paired.show(screen);
        put(views.paired);
        break;
      case 'idle':
        views.idle.show(screen);
        put(views.idle);
        break;
    }
  }

  return {
    show(screen) {
      last = screen;
      stageWanted = screen.kind === 'stage';
      if ('facts' in screen) wallAheadMs = screen.facts.now_ms - monoMs();
      draw(screen);
      settle();
    },
    speak(language) {
      deviceLanguage = language;
      if (last) draw(last);
    },
    pictureIs(present) {
      picture = present;
      settle();
    },
    get words() {
      return words;
    },
    wallMs,
  };
}

const viewsIn = (context: ViewContext) => ({
  pairing: pairingView(context),
  paired: pairedView(context),
  idle: idleView(context),
});
