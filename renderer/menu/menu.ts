import type { FromStage, MenuAnswer } from '../../src/stage-link/messages.ts';
import { element } from '../screens/element.ts';
import type { Words } from '../strings/strings.ts';
import { createConversation } from './conversation.ts';
import { homePage } from './home-page.ts';
import { isBack, moveOrPress } from './keys.ts';
import { button, whyNot, type MenuContext, type MenuPage } from './page.ts';
import { pinPage } from './pin-page.ts';
import { createPressCounter, createTapCounter, isSummons } from './summons.ts';

export interface Menu {
  answered: (id: string, answer: MenuAnswer) => void;
  readonly isOpen: boolean;
  /** Another page has taken this one's place: nothing may open here any more. */
  dispose(): void;
}

export interface MenuDeps {
  /** Turns with the picture. */
  parent: HTMLElement;
  /** False when there is nobody to send it to. */
  send(message: Extract<FromStage, { type: 'menu_request' }>): boolean;
  onClosed(): void;
  words(): Words;
  monoMs: () => number;
  /** Windows whose keys are listened to: this one, and the one that it stands in. */
  keySources: readonly Window[];
}

const PATIENCE_MS = 60_000;

/** The technician menu: over the picture, which plays on below. */
export function createMenu(deps: MenuDeps): Menu {
  const conversation = createConversation(deps);
  const isFifthTap = createTapCounter();
  const isFifthPress = createPressCounter();
  const disposal = new AbortController();
  const root = element('div', 'menu');
  root.id = 'menu';
  root.hidden = true;
  deps.parent.append(root);
  let pages: MenuPage[] = [];
  let patience: ReturnType<typeof setTimeout> | null = null;
  /** Answers to an earlier opening are nobody's any more. */
  let opening = 0;

  const isOpen = () => pages.length > 0;

  const context = (): MenuContext => ({
    words: deps.words(),
    ask: conversation.ask,
    open: (page) => put([...pages, page]),
    back: () => put(pages.slice(0, -1)),
    close,
    locked: () => void begin(),
    refocus,
  });

  function put(next: MenuPage[]): void {
    const before = pages.at(-1);
    const page = next.at(-1);
    pages = next;
    if (page !== before) before?.closed?.();
    if (!page) return leave();
    if (page === before) return;
    draw(page);
    root.hidden = false;
    page.opened?.();
    refocus();
    wait();
  }

  function draw(page: MenuPage): void {
    const { menu } = deps.words().strings;
    const first = pages.length === 1;
    const back = button(first ? menu.close : menu.back, 'menu-back', () => context().back());
    const panel = element(
      'section',
      'menu-panel',
      element('header', 'menu-header', element('h1', '', page.title), back),
      page.root,
    );
    panel.setAttribute('role', 'dialog');
    panel.setAttribute('aria-label', page.title);
    root.replaceChildren(page.bare ? page.root : panel);
  }

  const isUsable = (place: Element) =>
    root.contains(place) && place.checkVisibility() && !place.matches(':disabled');

  /** To the page's own choice, else to its first button; never away from where somebody has put it. */
  function refocus(): void {
    if (document.activeElement && isUsable(document.activeElement)) return;
    const wanted = ['[data-first]', '.menu-page button', 'button']
      .flatMap((selector) => [...root.querySelectorAll<HTMLElement>(selector)])
      .find(isUsable);
    wanted?.focus();
  }

  /** From the beginning: the runtime says what is allowed. */
  async function begin(): Promise<void> {
    opening += 1;
    const mine = opening;
    put([waitingPage(deps.words())]);
    const opened = await conversation.ask({ kind: 'open' });
    if (mine !== opening || !isOpen()) return;
    if (opened.kind !== 'opened') {
      put([sentencePage(deps.words(), whyNot({ words: deps.words(), locked: close }, opened))]);
    } else if (opened.access === 'pin') {
      const unlocked = () => put([homePage(context(), { ...opened, access: 'all' })]);
      put([pinPage(context(), { retryInMs: opened.retry_in_ms, monoMs: deps.monoMs, unlocked })]);
    } else put([homePage(context(), opened)]);
  }

  function close(): void {
    if (isOpen()) put([]);
  }

  function leave(): void {
    opening += 1;
    root.hidden = true;
    root.replaceChildren();
    if (patience) clearTimeout(patience);
    void conversation.ask({ kind: 'close' });
    deps.onClosed();
  }

  /** Starts to wait anew for the next key or tap. */
  function wait(): void {
    if (patience) clearTimeout(patience);
    patience = setTimeout(close, pages.at(-1)?.patienceMs ?? PATIENCE_MS);
  }

  function onKey(event: KeyboardEvent): void {
    if (!isOpen()) {
      if (!isSummons(event) && !isFifthPress(event, deps.monoMs())) return;
      event.preventDefault();
      void begin();
      return;
    }
    wait();
    const known = pages.at(-1)?.key?.(event) || goBack(event.key) || moveOrPress(root, event);
    if (known) event.preventDefault();
  }

  function goBack(key: string): boolean {
    if (!isBack(key)) return false;
    context().back();
    return true;
  }

  function onTap({ clientX, clientY }: PointerEvent): void {
    if (isOpen()) return wait();
    const tap = { x: clientX, y: clientY, width: innerWidth, height: innerHeight, atMs: deps.monoMs() };
    if (isFifthTap(tap)) void begin();
  }

  for (const source of deps.keySources) {
    source.addEventListener('keydown', onKey, { capture: true, signal: disposal.signal });
  }
  window.addEventListener('pointerdown', onTap, { capture: true, signal: disposal.signal });

  return {
    answered: conversation.answered,
    get isOpen() {
      return isOpen();
    },
    dispose() {
      close();
      disposal.abort();
    },
  };
}

const waitingPage = (words: Words): MenuPage => sentencePage(words, words.strings.menu.oneMoment);

function sentencePage({ strings }: Words, sentence: string): MenuPage {
  return {
    title: strings.menu.title,
    root: element('div', 'menu-page', element('p', 'menu-note', sentence)),
  };
}
