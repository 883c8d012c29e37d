import type { FromStageMessage, MenuResponse } from '@placard/protocol/stage';
import { element } from '../screens/element.ts';
import type { Locale } from '../strings/strings.ts';
import { createMenuClient } from './menu-client.ts';
import { homePage } from './home-page.ts';
import { isBack, moveOrPress } from './keys.ts';
import { button, failureText } from './menu-page.ts';
import type { MenuContext, MenuPage } from './menu-page.ts';
import { pinPage } from './pin-page.ts';
import { createPressCounter, createTapCounter, isMenuShortcut } from './menu-shortcut.ts';

export interface Menu {
  handleResponse: (id: string, response: MenuResponse) => void;
  readonly isOpen: boolean;
  /** Called when another page has replaced this one: the menu must not open here any more. */
  dispose(): void;
}

const IDLE_TIMEOUT_MS = 60_000;

/** The technician menu, shown over the stage, which keeps playing. */
export function createMenu(deps: {
  /** The element that is rotated with the stage. */
  parent: HTMLElement;
  /** False when the runtime is not connected. */
  send(message: Extract<FromStageMessage, { type: 'menu_request' }>): boolean;
  onClosed(): void;
  locale(): Locale;
  monoMs: () => number;
  /** Windows whose keys are handled: this one and its parent. */
  keySources: readonly Window[];
}): Menu {
  const client = createMenuClient(deps);
  const isFifthTap = createTapCounter();
  const isFifthPress = createPressCounter();
  const disposal = new AbortController();
  const root = element('div', 'menu');
  root.id = 'menu';
  root.hidden = true;
  deps.parent.append(root);
  let pages: MenuPage[] = [];
  let idleTimer: ReturnType<typeof setTimeout> | undefined;
  /** Responses to requests of an earlier opening are ignored. */
  let openCount = 0;

  const isOpen = () => pages.length > 0;

  const context = (): MenuContext => ({
    locale: deps.locale(),
    request: client.request,
    open: (page) => setPages([...pages, page]),
    back: () => setPages(pages.slice(0, -1)),
    close,
    onPinRequired: () => void startSession(),
    refocus,
  });

  function setPages(next: MenuPage[]): void {
    const previous = pages.at(-1);
    const page = next.at(-1);
    pages = next;
    if (page !== previous) {
      previous?.onClosed?.();
    }
    if (!page) {
      return hideMenu();
    }
    if (page === previous) {
      return;
    }
    renderPage(page);
    root.hidden = false;
    page.onOpened?.();
    refocus();
    restartIdleTimer();
  }

  function renderPage(page: MenuPage): void {
    const { menu } = deps.locale().strings;
    const isFirstPage = pages.length === 1;
    const back = button(isFirstPage ? menu.close : menu.back, 'menu-back', () => context().back());
    const panel = element(
      'section',
      'menu-panel',
      element('header', 'menu-header', element('h1', '', page.title), back),
      page.root,
    );
    panel.setAttribute('role', 'dialog');
    panel.setAttribute('aria-label', page.title);
    root.replaceChildren(page.isFullScreen ? page.root : panel);
  }

  const isUsable = (target: Element) =>
    root.contains(target) && target.checkVisibility() && !target.matches(':disabled');

  /** Focuses the page's initial element, else its first button; does not move a focus that is already in the page. */
  function refocus(): void {
    if (document.activeElement && isUsable(document.activeElement)) {
      return;
    }
    const wanted = ['[data-first]', '.menu-page button', 'button']
      .flatMap((selector) => [...root.querySelectorAll<HTMLElement>(selector)])
      .find(isUsable);
    wanted?.focus();
  }

  /** Starts at the first page with what the runtime says is allowed. */
  async function startSession(): Promise<void> {
    openCount += 1;
    const ownOpenCount = openCount;
    setPages([messagePage(deps.locale(), deps.locale().strings.menu.loading)]);
    const opened = await client.request({ kind: 'open' });
    if (ownOpenCount !== openCount || !isOpen()) {
      return;
    }
    if (opened.kind !== 'opened') {
      setPages([
        messagePage(deps.locale(), failureText({ locale: deps.locale(), onPinRequired: close }, opened)),
      ]);
    } else if (opened.access === 'pin') {
      const unlocked = () => setPages([homePage(context(), { ...opened, access: 'all' })]);
      setPages([pinPage(context(), { retryInMs: opened.retry_in_ms, monoMs: deps.monoMs, unlocked })]);
    } else {
      setPages([homePage(context(), opened)]);
    }
  }

  function close(): void {
    if (isOpen()) {
      setPages([]);
    }
  }

  function hideMenu(): void {
    openCount += 1;
    root.hidden = true;
    root.replaceChildren();
    clearTimeout(idleTimer);
    void client.request({ kind: 'close' });
    deps.onClosed();
  }

  function restartIdleTimer(): void {
    clearTimeout(idleTimer);
    idleTimer = setTimeout(close, pages.at(-1)?.idleTimeoutMs ?? IDLE_TIMEOUT_MS);
  }

  function onKey(event: KeyboardEvent): void {
    if (!isOpen()) {
      if (!isMenuShortcut(event) && !isFifthPress(event, deps.monoMs())) {
        return;
      }
      event.preventDefault();
      void startSession();
      return;
    }
    restartIdleTimer();
    const isHandled = pages.at(-1)?.onKey?.(event) || goBack(event.key) || moveOrPress(root, event);
    if (isHandled) {
      event.preventDefault();
    }
  }

  function goBack(key: string): boolean {
    if (!isBack(key)) {
      return false;
    }
    context().back();
    return true;
  }

  function onTap({ clientX, clientY }: PointerEvent): void {
    if (isOpen()) {
      return restartIdleTimer();
    }
    const tap = { x: clientX, y: clientY, width: innerWidth, height: innerHeight, atMs: deps.monoMs() };
    if (isFifthTap(tap)) {
      void startSession();
    }
  }

  for (const source of deps.keySources) {
    source.addEventListener('keydown', onKey, { capture: true, signal: disposal.signal });
  }
  window.addEventListener('pointerdown', onTap, { capture: true, signal: disposal.signal });

  return {
    handleResponse: client.handleResponse,
    get isOpen() {
      return isOpen();
    },
    dispose() {
      close();
      disposal.abort();
    },
  };
}

function messagePage({ strings }: Locale, message: string): MenuPage {
  return {
    title: strings.menu.title,
    root: element('div', 'menu-page', element('p', 'menu-note', message)),
  };
}
