import type { Screen } from '../../src/stage-link/messages.ts';
import type { Strings } from '../strings.ts';
import { idleView, pairedView, startingView } from './calm.ts';
import { pairingView } from './pairing.ts';
import type { ViewContext } from './view.ts';

export interface Overlay {
  show(screen: Screen): void;
  /** Whether the stage has a picture: only then may the overlay leave. */
  pictureIs(present: boolean): void;
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
  strings: Strings;
  language: string;
  monoMs: () => number;
}): Overlay {
  const { parent, monoMs } = deps;
  let wallAheadMs = 0;
  const context: ViewContext = {
    strings: deps.strings,
    language: deps.language,
    wallMs: () => monoMs() + wallAheadMs,
  };
  const pairing = pairingView(context);
  const paired = pairedView(context);
  const idle = idleView(context);
  let tick: (() => void) | null = null;
  let stageWanted = false;
  let picture = false;
  let visible = true;
  setTimeout(() => {
    if (!parent.firstElementChild && !picture) parent.replaceChildren(startingView(context));
  }, STARTING_AFTER_MS);
  setInterval(() => {
    if (visible) tick?.();
  }, TICK_MS);

  function put(root: HTMLElement, onTick: () => void): void {
    if (parent.firstElementChild !== root) parent.replaceChildren(root);
    tick = onTick;
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

  return {
    show(screen) {
      stageWanted = screen.kind === 'stage';
      if ('facts' in screen) wallAheadMs = screen.facts.now_ms - monoMs();
      switch (screen.kind) {
        case 'stage':
          break;
        case 'pairing':
          pairing.show(screen);
          put(pairing.root, pairing.tick);
          break;
        case 'paired':
          paired.show(screen);
          put(paired.root, paired.tick);
          break;
        case 'idle':
          idle.show(screen);
          put(idle.root, idle.tick);
          break;
      }
      settle();
    },
    pictureIs(present) {
      picture = present;
      settle();
    },
  };
}
